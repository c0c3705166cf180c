"""A damaged database is one line with the remedy, and exit code 3."""

from __future__ import annotations

import gc
import random
from pathlib import Path

import pytest

from arena.store.faults import StoreDamaged
from arena.store.model import AttemptKey
from arena.store.store import Store
from tests.arena.conftest import Arena

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
