"""An image of ours is looked for once by a process, and made again when somebody has removed it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from docker.errors import ImageNotFound

from harness.sandbox.backends.docker import DockerBackend
from harness.sandbox.base import ImageMissing
from images.builder import Builder


def test_an_image_is_looked_for_once_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grading asks seven times which image a task has; each look cost the engine seven questions."""
    here: set[str] = set()

    def ensure(self: Builder, name: str) -> str:
        here.add(f"digest {len(here)} of {name}")
        return max(here)

    monkeypatch.setattr(Builder, "ensure", ensure)
    monkeypatch.setattr(DockerBackend, "client", None)
    monkeypatch.setattr(DockerBackend, "find", lambda self, name: name if name in here else None)
    backend = DockerBackend()
    assert {backend.resolve("arena/cpp") for _ in range(3)} == {"digest 0 of arena/cpp"}
    assert len(here) == 1
    here.clear()
    here.add("another image")
    assert backend.resolve("arena/cpp") == "digest 1 of arena/cpp"


@pytest.mark.parametrize(
    "image", ["arena/oss-fuzz/brook:0123", "docker.io/arena/none", "other/x:1"]
)
def test_an_image_named_as_ours_is_never_pulled(
    image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever owned `arena` in a registry would serve what a task is graded in."""
    pulled: list[str] = []

    def absent(name: str) -> None:
        raise ImageNotFound("no such image")

    def pull(name: str) -> Any:
        pulled.append(name)
        return SimpleNamespace(id="sha256:1")

    images = SimpleNamespace(get=absent, pull=pull)
    monkeypatch.setattr(DockerBackend, "client", SimpleNamespace(images=images))
    backend = DockerBackend()
    if image == "other/x:1":
        assert backend.resolve(image) == "sha256:1" and pulled == [image]
        return
    with pytest.raises(
        ImageMissing, match=f"{image}.*`arena tasks build CASE --out PACK` makes it"
    ):
        backend.resolve(image)
    assert pulled == []
