"""An attempt's provenance is what its track told at each stage, and what its solution says was really so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.jobs import Stage
from arena.store.model import AttemptKey
from arena.store.provenance import NOTHING_RECORDED, Provenance
from arena.store.store import Store
from arena.sweep import drive as driving
from harness.grade.decide import SPOILT_STEP_CAUSES, Spoilt
from harness.sandbox.base import ImageMissing, SandboxSpoilt
from tests.arena.sweep.scripted import WORK, ScriptedTrack, driven, keys

SOLVED = Provenance(agent_version="arena 1", effort="high", prices="LiteLLM 1 of 2026-05-01")
GRADED = Provenance(grader_version="grader 5", task_digest="d" * 64, image_digest="sha256:1")
STEP = next(iter(SPOILT_STEP_CAUSES))


class TellingTrack(ScriptedTrack):
    """Tells on what each stage rests; `faults` are raised in its place, the first ones first."""

    faults: tuple[BaseException, ...] = ()

    def provenance(self, key: AttemptKey, stage: Stage) -> Provenance:
        if stage is Stage.GRADE and self.faults:
            fault, *rest = self.faults
            self.faults = tuple(rest)
            raise fault
        return GRADED if stage is Stage.GRADE else SOLVED


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.01)


def provenance(store: Store, track: ScriptedTrack) -> Provenance:
    """Of the one attempt of a run over the track."""
    run = store.open_run("pack", keys(1), {})
    driven(store, run, track)
    (done,) = store.attempts(run)
    assert done.label
    return done.provenance


def test_both_stages_are_told(store: Store) -> None:
    assert provenance(store, TellingTrack()) == SOLVED.with_facts(GRADED)


@pytest.mark.parametrize(
    ("program", "due"),
    [
        ({"version": "0.169.0", "pinned": {"reasoning_effort": "low"}}, ("0.169.0", "low")),
        ({"version": "0.169.0", "pinned": {}}, ("0.169.0", "")),
        ({"version": "0.169.0"}, ("0.169.0", "high")),
        ({}, ("arena 1", "high")),
        ("hostile", ("arena 1", "high")),
    ],
)
def test_the_solution_knows_better(program: object, due: tuple[str, str], store: Store) -> None:
    solution = replace(WORK, note={"program": program})
    found = provenance(store, TellingTrack(solution=solution))
    assert (found.agent_version, found.effort) == due
    assert (found.prices, found.grader_version) == (SOLVED.prices, "grader 5")


def test_a_track_of_one_s_own_need_not_tell(store: Store) -> None:
    assert provenance(store, ScriptedTrack()) == NOTHING_RECORDED


def test_a_patch_that_spoils_each_sandbox_is_graded_like_any_other(store: Store) -> None:
    faults: list[BaseException] = [Spoilt(STEP, SandboxSpoilt("odd"), {}) for _ in range(3)]
    assert provenance(store, TellingTrack(grading=faults)) == SOLVED.with_facts(GRADED)


def test_without_an_image_nothing_is_graded_and_nothing_is_made_again(store: Store) -> None:
    track = TellingTrack()
    track.faults = (ImageMissing("gone"),)
    run = store.open_run("pack", keys(1), {})
    driven(store, run, track)
    (lost,) = store.attempts(run)
    assert (lost.health, lost.reason, lost.provenance) == ("infra", "ImageMissing: gone", SOLVED)
    driven(store, run, track)
    (done,) = store.attempts(run)
    assert (done.label, done.provenance) == ("C&S", SOLVED.with_facts(GRADED))
    assert track.calls.total() == 1
