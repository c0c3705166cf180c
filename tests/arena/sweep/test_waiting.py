"""A job whose container engine is away is held back, so that an outage burns one try and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.jobs import WAITS
from arena.store.store import Store
from arena.sweep import worker as working
from arena.sweep.control import Why
from arena.sweep.watch import Silent
from harness.sandbox.base import EngineUnavailable, ImageMissing
from tests.arena.sweep.scripted import ScriptedTrack, driven, keys


class Outage(ScriptedTrack):
    """Its engine is away for so many looks, and no attempt goes well meanwhile."""

    def __init__(self, looks: int, fault: type[Exception] = EngineUnavailable) -> None:
        super().__init__()
        self.looks, self.looked = looks, 0
        self.hook = self._fail
        self._fault = fault

    def _fail(self, _: object) -> None:
        if self.looked < self.looks:
            raise self._fault("no daemon")

    def missing(self) -> str:
        self.looked += 1
        return "no daemon" if self.looked < self.looks else ""


class Steps(Silent):
    def __init__(self) -> None:
        self.told: list[str] = []

    def step(self, job: object, step: str) -> None:
        self.told.append(step)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(working, "LOOK", 0.001)
    return Store(tmp_path / "store")


@pytest.mark.slow
def test_an_outage_however_long_is_one_try_and_is_told(store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    track, steps = Outage(looks=50), Steps()
    assert driven(store, run, track, 1, watch=steps).why is Why.DONE
    (done,) = store.attempts(run)
    assert (done.label, done.tries, track.looked) == ("C&S", 2, 50)
    assert steps.told.count(WAITS) == 49


def test_a_fault_that_would_come_back_waits_for_nothing(store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    track = Outage(50, ImageMissing)
    driven(store, run, track, 1)
    (done,) = store.attempts(run)
    assert (done.health, done.tries, track.looked) == ("infra", 1, 0)


@pytest.mark.slow
def test_an_engine_that_never_comes_back_is_given_up_once_for_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "PATIENCE", 0.2)
    run = store.open_run("pack", keys(30), {})
    track = Outage(looks=1_000_000)
    ending = driven(store, run, track)
    assert ending.why is Why.FAULTS and "EngineUnavailable: no daemon" in ending.message
    assert {a.label for a in store.attempts(run)} == {None}
    waited = 0.2 / working.LOOK * 2
    assert track.looked < waited + 200, "the patience is over for all attempts, not for each"


@pytest.mark.slow
def test_a_fault_of_looking_is_waited_for_too(store: Store) -> None:
    class Raising(Outage):
        def missing(self) -> str:
            said = super().missing()
            if said:
                raise EngineUnavailable(said)
            return said

    run = store.open_run("pack", keys(1), {})
    track = Raising(looks=5)
    assert driven(store, run, track, 1).why is Why.DONE
    assert (store.attempts(run)[0].label, track.looked) == ("C&S", 5)
