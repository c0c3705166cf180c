"""What was applied in one sandbox is brought into another one, file by file as it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.command import Command
from harness.grade.apply import apply, examine
from harness.grade.environment import limits_of, sandbox
from harness.grade.grader import Grader
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task, load_pack
from tests.gold_cache import GoldCache
from tests.mini import BASE, FIXED_C, VFC, VIC, Mini

pytestmark = pytest.mark.slow
MORE = {
    "plain": "one\n",
    "data/deep/only.txt": "two\n",
    "data/side.txt": "three\n",
    "old/a.txt": "a\n",
    "old/b.txt": "b\n",
    "run": "#!/bin/sh\n",
}
LIST = (
    "find . -path ./.git -prune -o -path ./build -prune -o -printf '%y %m %u %p %l\\n' | sort; "
    "find . -path ./.git -prune -o -path ./build -prune -o -type f -print0 | sort -z | xargs -0 cksum"
)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Mini:
    return Mini(tmp_path_factory.mktemp("rich"), [{**step, **MORE} for step in (BASE, VIC, VFC)])


def folder_for_file(work: Path) -> None:
    (work / "plain").unlink()
    (work / "plain").mkdir()
    (work / "plain/inside.txt").write_text("x\n")


def file_for_folder(work: Path) -> None:
    shutil.rmtree(work / "old")
    (work / "old").write_text("no folder\n")


def emptied(work: Path) -> None:
    (work / "data/deep/only.txt").unlink()


def moved(work: Path) -> None:
    (work / "new/place").mkdir(parents=True)
    (work / "old/a.txt").rename(work / "new/place/c.txt")
    (work / "run").chmod(0o755)


def oracle_edited(work: Path) -> None:
    (work / "tests/run.sh").write_text("exit 0\n")
    (work / "tests/more").mkdir()
    (work / "tests/more/own.sh").write_text("exit 0\n")
    (work / "fuzz/fuzz.c").unlink()


def products(work: Path) -> None:
    (work / ".gitignore").unlink()
    (work / "build").mkdir(exist_ok=True)
    (work / "build/x.d").write_text("x\n")
    (work / "with space").write_bytes(bytes(range(256)))


EDITS = (folder_for_file, file_for_folder, emptied, moved, oracle_edited, products)


@pytest.fixture(scope="module")
def grader(backend: Backend) -> Grader:
    return Grader(backend, GoldCache())


@pytest.mark.nightly("gold is taken anew for a task of its own")
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_both_sandboxes_hold_the_same(
    grader: Grader, rich: Mini, edit: Callable[[Path], None]
) -> None:
    backend, task = grader.backend, load_pack(rich.folder).tasks[0]
    patch = examine(rich.patch(edit, {"src/text.c": FIXED_C}))
    environment, gold = grader.ready(task)
    with sandbox(backend, environment.image, limits_of(task)) as first:
        applied = apply(first, task, patch, gold.files)
        expected = listing(first, task)
    assert applied.state is not None
    with sandbox(backend, environment.image, limits_of(task)) as second:
        assert listing(second, task) != expected
        applied.state.bring(second, task.spec.environment.workdir)
        assert listing(second, task) == expected


def listing(box: Sandbox, task: Task) -> list[str]:
    """Kinds, modes and contents of all that is there and is no product."""
    return box.exec(Command(LIST, task.spec.environment.workdir)).output.decode().splitlines()
