"""A store of each kind of database, in a place of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import Store


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def where(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What names a new store."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ARENA_STORE", raising=False)
    monkeypatch.delenv("ARENA_ARTEFACTS", raising=False)
    if request.param == "sqlite":
        return str(tmp_path / "store")
    url: str = request.getfixturevalue("postgres").new_database()
    return url


@pytest.fixture
def store(where: str) -> Store:
    return Store(where)
