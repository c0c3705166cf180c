"""A file with a whole run, and a store that it may be imported into."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import Store
from tests.arena.exchange.making import a_run, exported


@pytest.fixture
def file(store: Store, tmp_path: Path) -> Path:
    a_run(store)
    exported(store, "run", tmp_path / "run.arena.zip")
    return tmp_path / "run.arena.zip"


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store(tmp_path / "other")
