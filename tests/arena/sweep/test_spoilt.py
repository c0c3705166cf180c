"""Infra is not to be had on demand: what an attempt does to its sandbox each time is its own doing."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import Store
from arena.sweep import drive as driving
from harness.grade.decide import Spoilt
from harness.protocols import Ended, Solution
from harness.sandbox.base import ImageMissing, SandboxDied, SandboxEnded
from tests.arena.sweep.scripted import ScriptedTrack, driven, keys

pytestmark = pytest.mark.slow
# What is left by an agent that ended its own sandbox.
CUT = Solution(b"patch", Ended.KILLED, {"calls": 1}, note={"stopped": "sandbox"})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.0)


def spoilt(step: str = "tests") -> Spoilt:
    return Spoilt(step, SandboxEnded("the container ended"), {"apply": {"bytes": 9}})


def test_a_patch_that_ends_its_sandbox_in_each_try_gets_a_label_and_is_flagged(
    store: Store,
) -> None:
    run = store.open_run("pack", keys(1), {})
    track = ScriptedTrack(grading=[spoilt(), spoilt(), spoilt()])
    driven(store, run, track)
    (done,) = store.attempts(run)
    assert (done.label, done.health, track.calls.total(), len(track.graded)) == ("IC", "ok", 1, 3)
    assert done.evidence["spoilt"]["step"] == "tests" and done.evidence["apply"] == {"bytes": 9}
    assert list(done.flags) == ["process:ended-sandbox"]
    driven(store, run, track)
    assert len(track.graded) == 3, "it has its label"


@pytest.mark.parametrize("other", [SandboxDied("the disk is full"), spoilt("poc")])
def test_one_try_that_ends_otherwise_leaves_it_open(store: Store, other: Exception) -> None:
    run = store.open_run("pack", keys(1), {})
    driven(store, run, ScriptedTrack(grading=[spoilt(), other, spoilt()]))
    (done,) = store.attempts(run)
    assert (done.label, done.health) == (None, "infra")
    assert [flag["name"] for flag in done.evidence["audit"]] == list(done.flags)
    assert list(done.flags) == ["process:ended-sandbox"], "what has no label is audited as well"


def test_an_agent_that_ended_its_sandbox_is_not_asked_again(store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    driven(store, run, ScriptedTrack(solution=CUT, grading=[ImageMissing("x")]))
    again = ScriptedTrack(solution=CUT)
    driven(store, run, again)
    (done,) = store.attempts(run)
    assert (done.label, done.ended, again.calls.total(), len(again.graded)) == (
        "C&S",
        "killed",
        0,
        1,
    )
    assert "process:ended-sandbox" in done.flags
