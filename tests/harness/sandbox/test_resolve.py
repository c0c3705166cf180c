"""An image of ours is looked for once by a process, and made again when somebody has removed it."""

from __future__ import annotations

import pytest

from harness.sandbox.backends.docker import DockerBackend
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
