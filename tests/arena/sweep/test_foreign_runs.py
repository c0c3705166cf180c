"""What an imported run would run came with its file: it is not run unless somebody says so."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from arena.protocols import Setup, Track
from arena.session import Session
from arena.store.model import Attempt, AttemptKey, attempt_id
from arena.store.store import Store
from arena.tracks import opening as protocol
from harness.sandbox.base import ImageMissing as Fault
from tests.arena.conftest import Arena
from tests.arena.sweep.matrix_track import BARE, MatrixTrack, write_sweep
from tests.arena.sweep.scripted import ScriptedTrack

OTHER = ("--store", "other")


@pytest.fixture
def track(monkeypatch: pytest.MonkeyPatch) -> MatrixTrack:
    made = MatrixTrack(facts=BARE)
    monkeypatch.setattr(protocol, "open_track", lambda setup, cache, say=print: made)
    return made


@pytest.fixture
def imported(tmp_path: Path, arena: Arena, track: MatrixTrack) -> str:
    """A run with an open attempt, in a store that it was not made in."""
    track.script = {"brook-one": [Fault("gone")]}
    write_sweep(tmp_path, '[matrix]\nagents = ["gold"]')
    assert arena("sweep", "run", "nightly.toml").status == 3
    assert arena("export", "latest", "--to", "run", "--out", "file").status == 0
    assert arena("import", "file", *OTHER).status == 0
    track.calls.clear()
    return str(Store(tmp_path / "other").run("latest").id)


@pytest.mark.slow
def test_an_imported_run_is_not_resumed_unless_it_is_trusted(
    arena: Arena, track: MatrixTrack, imported: str
) -> None:
    done = arena("sweep", "resume", *OTHER)
    assert (done.status, track.calls.total()) == (2, 0)
    assert done.err.startswith(f"arena: run {imported}: was imported") and done.err.count("\n") == 1
    assert arena("sweep", "resume", *OTHER, "--trust-import").status == 0
    assert track.calls.total() == 1


@pytest.mark.slow
def test_a_sweep_file_of_the_users_own_goes_on_with_it(
    tmp_path: Path, arena: Arena, track: MatrixTrack, imported: str
) -> None:
    store = Store(tmp_path / "other")
    assert store.foreign(imported)
    track.script = {"brook-one": [Fault("gone")]}
    assert arena("sweep", "run", "nightly.toml", *OTHER).status == 3
    assert not store.foreign(imported), "its settings are the user's now"
    assert arena("sweep", "resume", *OTHER).status == 0


def test_a_run_that_was_made_here_is_not_foreign(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert not store.foreign(store.open_run("pack", [], {}))


def test_an_id_that_would_be_cut_is_told(tmp_path: Path) -> None:
    store, name = Store(tmp_path / "store"), "r" * 41
    run = {"id": name, "pack": "p", "track": "repo", "created": 1.0, "settings": {}}
    with pytest.raises(ValueError, match="up to 40 letters"):
        store.put_run(run, [], [], [])
    assert store.runs() == []


def test_arena_run_makes_only_what_is_named_of_an_imported_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    named, hostile = AttemptKey("t", "gold"), AttemptKey("t", "command:rm -rf /")
    came = [Attempt(attempt_id("r", key), "r", key) for key in (named, hostile)]
    run = {"id": "r", "pack": "pack", "track": "repo", "created": 1.0, "settings": {}}
    store.put_run(run, [], [named, hostile], sorted(came, key=lambda one: one.id))
    track = ScriptedTrack()
    Session(store, Setup("repo", "pack"), cast("Track", track), 1).run([named], {}, "r")
    assert track.calls == {("t", "gold"): 1}
