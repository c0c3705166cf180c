"""A recipe's image, a revision and a task's environment have names that every machine gives them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.building.oss_fuzz import image
from arena.building.oss_fuzz.checkout import ProjectFolder
from arena.building.revisions.builder import Recipe
from arena.building.revisions.source import Revision
from harness.command import Limits
from harness.grade.environment import identify
from harness.grade.ports import MemoryCache
from images.content import ImageContent
from tasks.loader import load_pack

DOCKERFILE = (
    b"FROM gcr.io/oss-fuzz-base/base-builder\nRUN apt-get install -y make\nCOPY build.sh $SRC/\n"
)
FOLDER = ProjectFolder("brook", "1" * 40, {"Dockerfile": DOCKERFILE, "build.sh": b"make\n"})
YEAR_2020, YEAR_2023 = 1_580_000_000, 1_690_000_000


class Engine:
    """A backend with ids of its own: they hold the time at which it built."""

    name = "fake"

    def __init__(self, id_: str, recipe: str = "arena/packages:0123456789abcdef") -> None:
        self.id, self.content = id_, ImageContent(recipe, "versions")

    def resolve(self, _: str, packages: object = ()) -> str:
        return self.id

    def content_of(self, _: str) -> ImageContent:
        return self.content

    def find(self, name: str) -> None:
        return None


@pytest.fixture(autouse=True)
def _nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "_make", lambda *_: [])


def name(store: Path, engine: Any, folder: ProjectFolder = FOLDER, date: int = YEAR_2023) -> str:
    return image.image_of(folder, date, store, engine, MemoryCache()).name


def test_a_recipes_image_is_named_by_what_it_is_made_of(tmp_path: Path) -> None:
    first = name(tmp_path, Engine("sha256:a"))
    assert first == name(tmp_path, Engine("sha256:b")) and first.startswith("arena/oss-fuzz/brook:")
    others = {
        name(tmp_path, Engine("sha256:a", "arena/packages:fedcba9876543210")),
        name(tmp_path, Engine("sha256:a"), replace(FOLDER, tree="2" * 40)),
        name(tmp_path, Engine("sha256:a"), date=YEAR_2020),
    }
    assert len(others | {first}) == 4


def test_a_revision_is_named_by_what_its_image_is_made_of() -> None:
    revision = Revision("c" * 40, "tree", (), (), (), ())
    how: tuple[Any, ...] = ("/src", "make", 60.0, "address", Limits())
    first = Recipe("sha256:a", "content", *how).key(revision)
    assert first == Recipe("sha256:b", "content", *how).key(revision)
    assert first != Recipe("sha256:a", "another", *how).key(revision)


def test_a_tasks_environment_is_named_by_what_its_image_is_made_of() -> None:
    task = load_pack("starter").task("brook-include")
    one, other, newer = Engine("sha256:a"), Engine("sha256:b"), Engine("sha256:a")
    newer.content = ImageContent(one.content.recipe, "newer versions")
    found: list[Any] = [identify(engine, task) for engine in (one, other, newer)]  # type: ignore[arg-type]
    assert found[0] == found[1] != found[2]
