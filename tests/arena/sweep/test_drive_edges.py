"""What a drive must not do: wait for ever, lose money that was spent, or end for one attempt's sake."""

from __future__ import annotations

import errno
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.sweep import drive as driving
from arena.sweep.bounds import Bounds, Cap
from arena.sweep.course import Terms, Why
from arena.tracks.protocol import Caps
from harness.agents import ModelUnavailable, Solution
from harness.grade.verdict import Health, Label, Verdict
from harness.sandbox.base import SandboxDied
from tests.arena.sweep.scripted import SETUP, WORK, ScriptedTrack, driven, keys

PAID = replace(WORK, usage={"calls": 1, "usd": 1.0, "input_tokens": 10, "output_tokens": 5})
LONG = 60.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.05)


def test_a_try_that_fell_due_after_the_money_was_gone_is_not_waited_for(store: Store) -> None:
    fault = SandboxDied("gone")
    fault.usage = {"usd": 0.75}
    run = store.open_run("pack", keys(2, model="m"), {})
    terms, setup = Terms(Bounds(Cap(usd=1.0))), replace(SETUP, caps=Caps(usd=1.0))
    track, stop = ScriptedTrack({"t000": [fault], "t001": [fault]}), threading.Event()
    guard = threading.Timer(LONG, stop.set)
    guard.start()
    try:
        ending = driven(store, run, track, 1, terms, setup=setup, stop=stop)
    finally:
        guard.cancel()
    assert ending.why is Why.BUDGET
    assert (track.calls.total(), store.counts(run).spent.usd) == (1, 0.75)


def test_a_model_that_is_closed_is_not_asked_by_a_try_that_fell_due_later(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five attempts find it dead while the first waits for its second try."""
    monkeypatch.setattr(driving, "pause", lambda tries: 2.0)
    run = store.open_run("pack", keys(6, model="m"), {})
    script: dict[str, list[BaseException]] = {
        f"t{n:03}": [ModelUnavailable("m: no call was answered")] for n in range(1, 6)
    }
    script["t000"] = [SandboxDied("gone")]
    track = ScriptedTrack(script)
    assert driven(store, run, track, 1).why is Why.FAULTS
    assert track.calls.total() == 6


class Unkept(Store):
    """Cannot keep what an agent left."""

    def keep(self, data: bytes) -> str:
        raise OSError(errno.EIO, "input/output error")


def test_what_a_model_cost_counts_when_what_was_made_could_not_be_kept(store: Store) -> None:
    run = store.open_run("pack", keys(1, model="m"), {})
    driven(Unkept(store.folder), run, ScriptedTrack(solution=PAID))
    (spoilt,) = store.attempts(run)
    assert (spoilt.health, spoilt.usd, spoilt.tokens) == ("infra", 1.0, 15)


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(Label.CANDS, Health.OK, "r", score=float("nan")),
        Verdict(Label.CANDS, Health.OK, "r", {"tests": {b"bytes"}}),
    ],
)
def test_a_verdict_that_no_store_takes_spoils_its_attempt_and_not_the_sweep(
    verdict: Verdict, store: Store
) -> None:
    run = store.open_run("pack", keys(3), {})

    class Odd(ScriptedTrack):
        def grade(self, key: AttemptKey, solution: Solution, say: Any) -> Verdict:
            return verdict if key.task == "t001" else super().grade(key, solution, say)

    assert driven(store, run, Odd()).why is Why.DONE
    found = {a.key.task: a for a in store.attempts(run)}
    assert found["t001"].health == "infra" and "defect" in found["t001"].reason
    assert found["t000"].label == found["t002"].label == "C&S"


@pytest.mark.parametrize("usage", [{"usd": None, "input_tokens": None}, {"usd": float("inf")}])
def test_a_usage_that_is_no_number_ends_no_sweep(usage: dict[str, Any], store: Store) -> None:
    run = store.open_run("pack", keys(2, model="m"), {})
    driven(store, run, ScriptedTrack(solution=replace(WORK, usage=usage)))
    assert len(store.attempts(run)) == 2
