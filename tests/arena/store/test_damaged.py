"""A damaged database is one line with the remedy, and exit code 3."""

from __future__ import annotations

import gc
import random
from pathlib import Path

import pytest

from arena.store.faults import StoreDamaged
from arena.store.model import AttemptKey
from arena.store.store import Store
from tests.arena.conftest import Arena, finish

PAGE = 4096


def damage(folder: Path) -> None:
    """Overwrite all pages behind the first with what is no page, and leave no log to recover them from."""
    database = folder / "arena.sqlite"
    for log in folder.glob("arena.sqlite-*"):
        log.unlink()
    size = database.stat().st_size
    with database.open("r+b") as stream:
        stream.seek(PAGE)
        stream.write(random.Random(1).randbytes(size - PAGE))


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "the store lacks artefact"), (b"junk", "is damaged"), (b"\x1f\x8b", "is damaged")],
)
@pytest.mark.parametrize(
    "command",
    [("show", "r", "--print", "patch"), ("export", "r", "--to", "predictions", "--out", "p")],
    ids=" ".join,
)
def test_an_artefact_that_is_missing_or_damaged_is_one_line(
    content: bytes | None, words: str, command: tuple[str, ...], tmp_path: Path, arena: Arena
) -> None:
    store = Store(tmp_path / "home")
    run = store.open_run("starter", [AttemptKey("t", "a")], {}, run="r")
    (attempt,) = store.attempts(run)
    finish(store, attempt.id, patch=b"a patch")
    digest = store.attempt(attempt.id).patch
    assert digest is not None
    path = tmp_path / "home/artefacts" / digest[:2] / f"{digest[2:]}.gz"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    result = arena(
        *(attempt.id if part == "r" and command[0] == "show" else part for part in command)
    )
    assert result.status == 3
    (line,) = [line for line in result.err.splitlines() if words in line]
    assert line.startswith("arena: ") and "copy of the store" in line and "--out" not in line


def test_a_damaged_store_is_one_line(tmp_path: Path, arena: Arena) -> None:
    store = Store(tmp_path / "s")
    store.open_run("starter", [AttemptKey(f"t{n}", "a") for n in range(200)], {}, run="r")
    del store
    gc.collect()  # connections keep pages in memory
    damage(tmp_path / "s")
    with pytest.raises(StoreDamaged, match=r"the store is damaged .*: restore a copy"):
        Store(tmp_path / "s").run("r")
    for command in (["report", "latest"], ["attempts"]):
        result = arena(*command, "--store", str(tmp_path / "s"))
        assert result.status == 3
        assert result.err.count("\n") == 1 and "docs/store.md#backup" in result.err
