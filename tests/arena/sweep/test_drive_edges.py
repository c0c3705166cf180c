"""What a drive must not do: wait for ever, lose money that was spent, or end for one attempt's sake."""

from __future__ import annotations

import errno
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from arena.jobs import (
    Capacity,
    Charged,
    EngineFault,
    Event,
    JobEnded,
    JobOutcome,
    Needs,
    Node,
    StageJob,
)
from arena.protocols import Setup
from arena.store.faults import DiskFull
from arena.store.model import AttemptKey, AttemptUpdate, Spent, StoredSolution
from arena.store.store import Store
from arena.sweep import drive as driving
from arena.sweep.budget import Bounds, Cap
from arena.sweep.control import DriveOptions, RunControl, Why
from arena.sweep.drive import drive
from arena.sweep.watch import Silent
from arena.sweep.write_buffer import LATER, WriteBuffer
from harness.agents import ModelUnavailable
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Budget, Solution
from harness.protocols import Ended as HowEnded
from harness.sandbox.base import SandboxDied
from tests.arena.sweep.scripted import SETUP, WORK, ScriptedTrack, driven, keys
from tests.postgres import Postgres

PAID = replace(WORK, usage={"calls": 1, "usd": 1.0, "input_tokens": 10, "output_tokens": 5})
LONG = 60.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.05)


@pytest.mark.slow
def test_a_try_that_fell_due_after_the_money_was_gone_is_not_waited_for(store: Store) -> None:
    fault = SandboxDied("gone")
    fault.usage = {"usd": 0.75}
    run = store.open_run("pack", keys(2, model="m"), {})
    options, setup = DriveOptions(Bounds(Cap(usd=1.0))), replace(SETUP, caps=Budget(usd=1.0))
    track, stop = ScriptedTrack({"t000": [fault], "t001": [fault]}), threading.Event()
    guard = threading.Timer(LONG, stop.set)
    guard.start()
    try:
        ending = driven(store, run, track, 1, options, setup=setup, stop=stop)
    finally:
        guard.cancel()
    assert ending.why is Why.BUDGET
    assert (track.calls.total(), store.counts(run).spent.usd) == (1, 0.75)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(Label.SECURE, Health.OK, "r", score=float("nan")),
        Verdict(Label.SECURE, Health.OK, "r", {"tests": {b"bytes"}}),
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


@pytest.mark.slow
@pytest.mark.parametrize("usage", [{"usd": None, "input_tokens": None}, {"usd": float("inf")}])
def test_a_usage_that_is_no_number_ends_no_sweep(usage: dict[str, Any], store: Store) -> None:
    run = store.open_run("pack", keys(2, model="m"), {})
    driven(store, run, ScriptedTrack(solution=replace(WORK, usage=usage)))
    assert len(store.attempts(run)) == 2


class Breaking:
    """An engine that is lost when one job of two has come back, and the other has been charged."""

    def __init__(self, left: StoredSolution) -> None:
        self._left = left
        self._jobs: list[StageJob] = []
        self._told = False

    def expect(self) -> None: ...

    def open(self, setup: Setup, store: str, capacity: Capacity) -> Sequence[Node]:
        return [Node("here", capacity)]

    def submit(self, job: StageJob, node: str) -> None:
        self._jobs.append(job)

    def events(self, timeout: float) -> Sequence[Event]:
        if self._told:
            raise EngineFault("lost")
        self._told, (one, other) = True, self._jobs
        return [Charged(other, Spent(0.25)), JobEnded(one, "here", JobOutcome(self._left))]

    def close(self, hurry: bool = False) -> None: ...


def test_what_came_back_before_the_engine_was_lost_is_stored(store: Store) -> None:
    run = store.open_run("pack", keys(2, model="m"), {})
    left = StoredSolution(store.keep(b"patch"), "finished", {"calls": 1, "usd": 0.5})
    with pytest.raises(EngineFault, match="lost"):
        drive(store, run, SETUP, Breaking(left), Capacity(2, 2), lambda key, stage: Needs())
    assert sorted(a.usd for a in store.attempts(run)) == [0.25, 0.5]
    assert [a.patch for a in store.attempts(run) if a.patch] == [left.patch]


def test_what_was_written_when_the_server_was_lost_counts_once(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took effect, and the answer to that never came."""
    store, now = Store(postgres.new_database()), 0.0
    run = store.open_run("pack", keys(2, model="m"), {})
    one, other = store.open_attempts(run)
    buffer = WriteBuffer(store, run, lambda: now)

    def lose(self: object, connection: Any) -> None:
        connection.commit()
        connection.driver_connection.close()
        raise psycopg.OperationalError("the connection is lost")

    buffer.add(AttemptUpdate(one.id, Spent(1.0, 10, 1.0, 1)))
    with monkeypatch.context() as patch:
        patch.setattr(PGDialect_psycopg, "do_commit", lose)
        assert buffer.flush(now=True) == []
    assert "lost" in buffer.stuck
    buffer.add(AttemptUpdate(other.id, Spent(2.0, 20, 1.0, 1)))
    now += LATER
    assert len(buffer.flush(now=True)) == 2
    assert store.counts(run).spent == Spent(3.0, 30, 2.0, 2)


@pytest.mark.rotating(3)
@pytest.mark.parametrize("fault", [SandboxDied("gone"), ValueError("a defect")])
@pytest.mark.parametrize(
    "ended", sorted(set(HowEnded) - {HowEnded.MODEL_UNAVAILABLE, HowEnded.DIVERGED})
)
def test_an_agent_that_had_ended_is_never_asked_again_however_it_did(
    ended: HowEnded, fault: Exception, store: Store
) -> None:
    """Of two drivers that cannot grade it, and one that can, only the first has it made."""
    run = store.open_run("pack", keys(1, model="m"), {})
    made = replace(WORK, ended=ended)
    tracks = [ScriptedTrack(solution=made, grading=[fault] * 3) for _ in range(2)]
    for track in (*tracks, last := ScriptedTrack()):
        driven(store, run, track)
    assert [track.calls.total() for track in (*tracks, last)] == [1, 0, 0]
    assert last.graded == [made] and store.attempts(run)[0].label == "C&S"


def test_a_full_disk_is_named_at_once_and_ends_the_drive(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.open_run("pack", keys(1, model="m"), {})
    clock = [0.0]
    buffer = WriteBuffer(store, run, lambda: clock[0])
    buffer.add(AttemptUpdate(store.open_attempts(run)[0].id, Spent(1.0)))

    def write_nothing(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Store, "write", write_nothing)
    assert buffer.flush(now=True) == []
    assert buffer.stuck == (
        "the disk of the store is full (No space left on device): waiting up to 900 s for space, "
        "then this ends; free some, or Ctrl-C"
    )
    clock[0] = 901.0
    with pytest.raises(DiskFull):
        buffer.flush(now=True)


def test_a_disk_that_stays_full_ends_a_run_that_has_nothing_to_store(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.open_run("pack", keys(1), {})
    clock = [0.0]
    options = DriveOptions(clock=lambda: clock[0])
    with store.lease(run) as lease:
        control = RunControl(store, run, lease, options, Silent(), threading.Event())

        def add_nothing(*_: object) -> None:
            raise DiskFull("database or disk is full")

        monkeypatch.setattr(Store, "add_seconds", add_nothing)
        control.account()
        assert control.trouble.startswith(
            "the disk of the store is full (database or disk is full)"
        )
        clock[0] = 901.0
        with pytest.raises(DiskFull):
            control.account()
