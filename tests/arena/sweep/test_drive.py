"""A drive: faults are tried again and results never are, money is not overdrawn, what ends is stored."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from arena.jobs import Needs, Stage, StageJob
from arena.store.model import AttemptKey, AttemptUpdate
from arena.store.store import RunBusy, Store
from arena.sweep import drive as driving
from arena.sweep.budget import Bounds, Cap
from arena.sweep.control import DriveOptions, Why
from arena.sweep.faults import DEAD, POISON
from arena.sweep.watch import Silent, Totals
from harness.agents import ModelUnavailable
from harness.grade.sast import ScanFailed
from harness.grade.verdict import Health, Label, TaskBroken, Verdict
from harness.protocols import Budget, Ended, Solution
from harness.sandbox.base import EngineUnavailable, ImageMissing, SandboxDied
from tasks.loader import TaskError
from tests.arena.sweep.scripted import SETUP, WORK, ScriptedTrack, driven, keys

pytestmark = pytest.mark.slow

PAID = replace(WORK, usage={"calls": 1, "usd": 1.0, "input_tokens": 10, "output_tokens": 5})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "pause", lambda tries: 0.0)


class Recorded(Silent):
    """What a watch was told."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.written: list[AttemptUpdate] = []
        self.notes: list[str] = []
        self.last = Totals()

    def step(self, job: StageJob, step: str) -> None:
        self.steps.append(step)

    def report_end(self, job: StageJob, written: AttemptUpdate) -> None:
        self.written.append(written)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def tick(self, totals: Totals) -> None:
        self.last = totals


# faults and results


@pytest.mark.parametrize("fault", [EngineUnavailable, SandboxDied, ConnectionResetError])
@pytest.mark.parametrize("times", [1, 2])
def test_a_passing_fault_is_tried_again(fault: type[Exception], times: int, store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    track = ScriptedTrack({"t000": [fault("gone")] * times})
    assert driven(store, run, track).why is Why.DONE
    (done,) = store.attempts(run)
    assert track.calls.total() == times + 1 == done.tries
    assert (done.health, done.label, done.ended, done.usage) == (
        "ok",
        "C&S",
        "finished",
        {"calls": 1},
    )


def test_a_lasting_fault_is_health_infra_without_a_label_after_three_tries(store: Store) -> None:
    run = store.open_run("pack", keys(3), {})
    track = ScriptedTrack({"t001": [EngineUnavailable("no daemon")] * 99})
    driven(store, run, track)
    found = {a.key.task: a for a in store.attempts(run)}
    assert track.calls == {("t000", "gold"): 1, ("t001", "gold"): 3, ("t002", "gold"): 1}
    spoilt = found.pop("t001")
    assert (spoilt.health, spoilt.label, spoilt.patch) == ("infra", None, None)
    assert spoilt.reason == "EngineUnavailable: no daemon"
    assert {a.label for a in found.values()} == {"C&S"}


@pytest.mark.parametrize("fault", [ImageMissing, TaskBroken, TaskError, ScanFailed])
def test_a_fault_that_will_not_pass_is_not_tried_again(
    fault: type[Exception], store: Store
) -> None:
    run = store.open_run("pack", keys(1), {})
    track = ScriptedTrack({"t000": [fault("broken")] * 99})
    driven(store, run, track)
    (done,) = store.attempts(run)
    assert track.calls.total() == 1
    assert (done.health, done.label) == ("infra", None)
    assert done.reason == f"{fault.__name__}: broken"


@pytest.mark.parametrize("label", [label for label in Label if label is not Label.SECURE])
def test_a_result_of_an_agent_is_never_tried_again(label: Label, store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    track = ScriptedTrack({}, Verdict(label, Health.OK, "r"), Solution(b"", Ended.CRASHED))
    for _ in range(2):
        driven(store, run, track)
    (done,) = store.attempts(run)
    assert track.calls.total() == 1
    assert (done.label, done.health, done.ended) == (label, "ok", "crashed")


def test_a_fault_while_grading_makes_nothing_again(store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    track = ScriptedTrack(grading=[SandboxDied("gone"), SandboxDied("gone")])
    driven(store, run, track)
    (done,) = store.attempts(run)
    assert (done.label, track.calls.total(), len(track.graded)) == ("C&S", 1, 3)


def test_what_was_made_is_kept_when_it_cannot_be_graded_and_resume_only_grades(
    store: Store,
) -> None:
    run = store.open_run("pack", keys(1), {})
    driven(store, run, ScriptedTrack(grading=[ImageMissing("x")]))
    (spoilt,) = store.attempts(run)
    assert (spoilt.health, spoilt.usage, spoilt.ended) == ("infra", {"calls": 1}, "finished")
    again = ScriptedTrack()
    driven(store, run, again)
    (done,) = store.attempts(run)
    assert (done.label, again.calls.total(), again.graded) == ("C&S", 0, [WORK])
    assert store.blob(done.artefacts()["record"]) == b"r"
    assert done.evidence["agent"] == {"status": 0}


def test_an_attempt_whose_model_was_never_there_is_made_again(store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    nobody = Solution(b"", Ended.MODEL_UNAVAILABLE)
    fault = ModelUnavailable("m: no call was answered")
    driven(store, run, ScriptedTrack(solution=nobody, grading=[fault]))
    (spoilt,) = store.attempts(run)
    assert (spoilt.health, spoilt.label) == ("infra", None)
    again = ScriptedTrack()
    driven(store, run, again)
    assert (store.attempts(run)[0].label, again.calls.total()) == ("C&S", 1)


@pytest.mark.parametrize("defect", [ZeroDivisionError("/ 0"), SystemExit(3)])
def test_a_defect_of_ours_is_told_as_one_and_ends_no_sweep(
    defect: BaseException, store: Store
) -> None:
    run = store.open_run("pack", keys(3), {})
    driven(store, run, ScriptedTrack({"t001": [defect]}))
    found = {a.key.task: a for a in store.attempts(run)}
    assert found["t001"].health == "infra" and type(defect).__name__ in found["t001"].reason
    assert found["t000"].label == found["t002"].label == "C&S"


# tasks, models and machines at fault


def test_a_poisoned_task_takes_few_tries_and_no_other_task_down(store: Store) -> None:
    agents = [f"agent-{n:02}" for n in range(20)]
    run = store.open_run("pack", keys(4, agents), {})
    track = ScriptedTrack({"t002": [SandboxDied("exploded") for _ in range(999)]})
    assert driven(store, run, track, workers=1).why is Why.DONE
    found = store.attempts(run)
    assert all((a.label == "C&S") is (a.key.task != "t002") for a in found)
    tried = sum(n for (task, _), n in track.calls.items() if task == "t002")
    assert tried == 3 * POISON
    reasons = Counter(a.reason for a in found if a.key.task == "t002")
    assert reasons["SandboxDied: exploded"] == POISON
    assert all("exploded" in reason for reason in reasons)


def test_a_machine_that_fails_at_everything_ends_the_sweep_and_leaves_the_rest_open(
    store: Store,
) -> None:
    run = store.open_run("pack", keys(60), {})
    down = {f"t{n:03}": [EngineUnavailable("no daemon") for _ in range(9)] for n in range(60)}
    ending = driven(store, run, ScriptedTrack(down))
    assert ending.why is Why.FAULTS and "no daemon" in ending.message
    assert sum(a.health == "" for a in store.attempts(run)) > 30
    assert driven(store, run, ScriptedTrack()).why is Why.DONE
    assert {a.label for a in store.attempts(run)} == {"C&S"}


def test_a_model_that_is_not_there_is_not_asked_for_ever(store: Store) -> None:
    both = [*keys(30, model="dead"), *keys(30, model="alive")]
    run = store.open_run("pack", both, {})

    class Half(ScriptedTrack):
        def solve(self, key: AttemptKey, say: object, charge: object = None) -> Solution:
            self.calls[key.model, ""] += 1
            if key.model == "dead":
                raise ModelUnavailable("dead: no call was answered")
            return WORK

    track = Half()
    ending = driven(store, run, track, workers=1)
    assert ending.why is Why.FAULTS and "dead" in ending.message
    assert track.calls == {("dead", ""): DEAD, ("alive", ""): 30}
    found = store.attempts(run)
    assert all(a.label == "C&S" for a in found if a.key.model == "alive")
    assert sum(a.health == "" for a in found) == 30 - DEAD


def test_attempts_too_large_for_every_node_are_told_and_not_waited_for(store: Store) -> None:
    run = store.open_run("pack", keys(2), {})

    class Large(ScriptedTrack):
        def needs(self, key: AttemptKey, stage: Stage) -> Needs:
            return Needs(sandboxes=99 if key.task == "t001" else 1)

    assert driven(store, run, Large()).why is Why.DONE
    small, large = store.attempts(run)
    assert (small.label, large.health) == ("C&S", "infra")
    assert "no node has room for 99 sandboxes" in large.reason


# money, time, connections


def test_a_budget_ends_a_sweep_before_it_is_overdrawn_and_counts_all_drivers(store: Store) -> None:
    run = store.open_run("pack", [*keys(20, model="m"), *keys(3)], {})
    setup = replace(SETUP, caps=Budget(usd=1.5))
    options = DriveOptions(Bounds(Cap(usd=6.0)))
    track = ScriptedTrack(solution=PAID)
    ending = driven(store, run, track, options=options, setup=setup)
    assert ending.why is Why.BUDGET and "of 6 USD" in ending.message
    found = store.attempts(run)
    assert sum(a.label is not None for a in found if a.key.model) == 5
    assert all(a.label for a in found if not a.key.model), "what costs nothing goes on"
    assert store.counts(run).by_model["m"].usd == 5.0
    assert driven(store, run, track, options=options, setup=setup).why is Why.BUDGET
    assert track.calls.total() == 8


def test_money_of_failed_tries_counts(store: Store) -> None:
    fault = SandboxDied("gone")
    fault.usage = {"usd": 0.25, "input_tokens": 7, "output_tokens": 1}
    run = store.open_run("pack", keys(1, model="m"), {})
    driven(store, run, ScriptedTrack({"t000": [fault]}, solution=PAID))
    (done,) = store.attempts(run)
    assert (done.usd, done.tokens, done.tries) == (1.25, 23, 2)
    assert done.usage["usd"] == 1.0


def test_models_are_asked_by_as_many_attempts_as_allowed(store: Store) -> None:
    together, most, lock = Counter[str](), Counter[str](), threading.Lock()

    def hook(key: AttemptKey) -> None:
        with lock:
            together[key.model] += 1
            most[key.model] = max(most[key.model], together[key.model])
        time.sleep(0.02)
        with lock:
            together[key.model] -= 1

    run = store.open_run("pack", [k for m in ("slow", "fast") for k in keys(12, model=m)], {})
    options = DriveOptions(Bounds(connections={"slow": 1, "*": 3}))
    driven(store, run, ScriptedTrack(hook=hook), workers=8, options=options)
    assert most == {"slow": 1, "fast": 3}


def test_the_time_of_a_sweep_is_bounded_over_all_its_drivers(store: Store) -> None:
    run = store.open_run("pack", keys(400), {})
    options = DriveOptions(Bounds(Cap(seconds=0.6)))
    track = ScriptedTrack(hook=lambda key: time.sleep(0.02))
    ending = driven(store, run, track, workers=1, options=options)
    assert ending.why is Why.BUDGET and "0.6 s are over" in ending.message
    done = track.calls.total()
    assert 0 < done < 60
    assert driven(store, run, track, workers=1, options=options).why is Why.BUDGET
    assert track.calls.total() - done <= 2


# order, progress, ending


def test_neighbours_are_of_different_tasks(store: Store) -> None:
    run = store.open_run("pack", keys(5, ("a", "b")), {})
    order: list[str] = []
    driven(store, run, ScriptedTrack(hook=lambda key: order.append(key.task)), workers=1)
    assert len(order) == 10 and len(set(order[:5])) == 5


def test_progress_tells_steps_and_the_end_after_it_is_stored(store: Store) -> None:
    run = store.open_run("pack", keys(6), {})

    class Asking(Recorded):
        def report_end(self, job: StageJob, written: AttemptUpdate) -> None:
            assert store.attempt(job.attempt).health == "ok"
            super().report_end(job, written)

    watch = Asking()
    driven(store, run, ScriptedTrack(solution=PAID), watch=watch)
    assert Counter(watch.steps) == {"agent": 6, "": 12} and len(watch.written) == 6
    assert (watch.last.done, watch.last.labels, watch.last.in_flight) == (6, {"C&S": 6}, 0)
    assert watch.last.spent.usd == 6.0


def test_two_drivers_on_one_run_are_refused(store: Store) -> None:
    run = store.open_run("pack", keys(1), {})
    with store.lease(run), pytest.raises(RunBusy, match=run):
        driven(Store(store.folder), run, ScriptedTrack())
    assert store.attempts(run)[0].health == ""


@pytest.mark.parametrize("asked", ["event", "wish"])
def test_a_stop_gives_up_what_does_not_end_and_loses_nothing_that_ended(
    asked: str, store: Store
) -> None:
    run = store.open_run("pack", keys(30), {})
    stop, hang = threading.Event(), threading.Event()
    seen: list[str] = []

    def hook(key: AttemptKey) -> None:
        seen.append(key.task)
        if len(seen) == 11:
            if asked == "event":
                stop.set()
            else:
                Store(store.folder).request(run, "stop")
            assert hang.wait(600)

    began = time.monotonic()
    options = DriveOptions(grace=0.5)
    try:
        ending = driven(store, run, ScriptedTrack(hook=hook), 1, options, stop=stop)
        assert ending.why is Why.STOPPED and time.monotonic() - began < 300
    finally:
        hang.set()
    assert sum(a.label == "C&S" for a in store.attempts(run)) == 10
    assert driven(store, run, ScriptedTrack()).why is Why.DONE
    assert {a.label for a in store.attempts(run)} == {"C&S"}


def test_a_sweep_of_nothing_is_done_at_once(store: Store) -> None:
    run = store.open_run("pack", [], {})
    assert driven(store, run, ScriptedTrack()).why is Why.DONE


def test_clocks_that_jump_change_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.open_run("pack", keys(30), {})
    real, jumps = time.time, iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: real() + (-1) ** next(jumps) * 86_400.0 * 365)
    track = ScriptedTrack()
    options = DriveOptions(Bounds(Cap(seconds=3600.0)))
    assert driven(store, run, track, options=options).why is Why.DONE
    assert set(track.calls.values()) == {1}
    assert all(0 <= a.seconds < 60 for a in store.attempts(run))
    assert store.run(run).spent_seconds < 60


def test_questions_without_a_sandbox_wait_for_no_sandbox(store: Store) -> None:
    """Four are asked while the only sandbox is taken."""
    asking = threading.Barrier(4, timeout=60)

    class Direct(ScriptedTrack):
        def needs(self, key: AttemptKey, stage: Stage) -> Needs:
            return Needs(sandboxes=int(stage is Stage.GRADE))

    run = store.open_run("pack", keys(4, model="m"), {})

    def hook(key: AttemptKey) -> None:
        asking.wait()

    track = Direct(hook=hook)
    assert driven(store, run, track, workers=1).why is Why.DONE
    assert {a.label for a in store.attempts(run)} == {"C&S"}


def test_questions_without_a_sandbox_are_not_all_asked_at_once(store: Store) -> None:
    together, most, lock = 0, 0, threading.Lock()

    def hook(key: AttemptKey) -> None:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.02)
        with lock:
            together -= 1

    class Direct(ScriptedTrack):
        def needs(self, key: AttemptKey, stage: Stage) -> Needs:
            return Needs(sandboxes=int(stage is Stage.GRADE))

    run = store.open_run("pack", keys(60, model="m"), {})
    driven(store, run, Direct(hook=hook))
    assert 1 < most <= driving.ASKING
