"""Running many attempts: order, faults that are tried again, results that never are, and interruption."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from tenacity import wait_none

from arena.store.store import Attempt, AttemptKey, Store
from arena.sweep import run as sweep
from arena.sweep.engine import LocalEngine, default_workers
from harness.agents import Ended, ModelUnavailable, Solution
from harness.grade.sast import ScanFailed
from harness.grade.verdict import Health, Label, TaskBroken, Verdict
from harness.sandbox.base import EngineUnavailable, ImageMissing, SandboxDied
from tasks.loader import TaskError
from tests.arena.conftest import KEYS

SECURE = Verdict(Label.CANDS, Health.OK, "fine", {"tests": {"wanted": 1}})
WORK = Solution(b"patch", Ended.FINISHED, {"calls": 1}, b"told", {"status": 0}, {"record": b"r"})


class ScriptedTrack:
    """A track whose attempts do what a script says: raise the exceptions in turn, then give the result.

    `grading` holds those that are raised when what was made is graded.
    """

    def __init__(
        self,
        script: dict[str, list[BaseException]],
        verdict: Verdict = SECURE,
        solution: Solution = WORK,
        grading: list[BaseException] | None = None,
    ) -> None:
        self.script, self.verdict, self.solution = script, verdict, solution
        self.grading = grading or []
        self.calls: Counter[tuple[str, str]] = Counter()
        self.graded: list[Solution] = []
        self._lock = threading.Lock()

    def attempts(self, agents: Sequence[str], replicates: int) -> list[AttemptKey]:
        return KEYS

    def solve(self, key: AttemptKey, say: Callable[[str], None]) -> Solution:
        say("agent")
        with self._lock:
            self.calls[key.task, key.agent] += 1
            waiting = self.script.get(key.task, [])
            fault = waiting.pop(0) if waiting else None
        if fault is not None:
            raise fault
        return self.solution

    def grade(self, key: AttemptKey, solution: Solution, say: Callable[[str], None]) -> Verdict:
        self.graded.append(solution)
        if self.grading:
            raise self.grading.pop(0)
        return self.verdict

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]:
        return {}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "RETRIED", sweep.RETRIED.copy(wait=wait_none()))


def execute(store: Store, run: str, track: ScriptedTrack, workers: int = 1) -> list[Attempt]:
    return sweep.execute(store, run, track, LocalEngine(workers))


# engine


def test_one_worker_takes_jobs_in_order() -> None:
    seen: list[int] = []
    LocalEngine(1).each(seen.append, range(50))
    assert seen == list(range(50))


def test_every_job_is_run_once_by_as_many_workers_as_asked_for() -> None:
    seen: list[int] = []
    together = threading.Barrier(3, timeout=20)

    def work(job: int) -> None:
        together.wait()
        seen.append(job)

    LocalEngine(3).each(work, range(9))
    assert sorted(seen) == list(range(9))
    assert LocalEngine(None).workers == default_workers() >= 1
    LocalEngine(2).each(work, [])


def test_an_exception_stops_what_has_not_started_and_is_raised() -> None:
    seen: list[int] = []

    def work(job: int) -> None:
        seen.append(job)
        if job == 3:
            raise LookupError("job 3")
        time.sleep(0.01)

    with pytest.raises(LookupError, match="job 3"):
        LocalEngine(1).each(work, range(1000))
    assert seen[:4] == [0, 1, 2, 3]
    assert len(seen) < 100


def test_those_that_run_are_waited_for_when_another_fails() -> None:
    ended = threading.Event()
    begun = threading.Event()

    def work(job: str) -> None:
        if job == "fails":
            begun.wait(20)
            raise LookupError
        begun.set()
        time.sleep(0.2)
        ended.set()

    with pytest.raises(LookupError):
        LocalEngine(2).each(work, ["slow", "fails"])
    assert ended.is_set()


# faults and results


@pytest.mark.parametrize("fault", [EngineUnavailable, SandboxDied])
@pytest.mark.parametrize("times", [1, 2])
def test_a_passing_fault_is_tried_again(fault: type[Exception], times: int, store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    track = ScriptedTrack({"alpha": [fault("gone")] * times})
    (done,) = execute(store, run, track)
    assert track.calls.total() == times + 1
    assert (done.health, done.label, done.ended, done.usage) == (
        "ok",
        "C&S",
        "finished",
        {"calls": 1},
    )


def test_a_lasting_fault_is_health_infra_without_a_label_after_three_tries(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    track = ScriptedTrack({"alpha": [EngineUnavailable("no daemon")] * 99})
    found = execute(store, run, track)
    assert track.calls == {(k.task, k.agent): 3 if k.task == "alpha" else 1 for k in KEYS}
    for attempt in found:
        infra = attempt.key.task == "alpha"
        assert (attempt.health, attempt.label) == (("infra", None) if infra else ("ok", "C&S"))
        assert (attempt.reason == "EngineUnavailable: no daemon") is infra
        assert attempt.patch is None or not infra


@pytest.mark.parametrize("fault", [ImageMissing, TaskBroken, TaskError, ScanFailed])
def test_a_fault_that_will_not_pass_is_not_tried_again(
    fault: type[Exception], store: Store
) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    track = ScriptedTrack({"alpha": [fault("broken")] * 99})
    (done,) = execute(store, run, track)
    assert track.calls.total() == 1
    assert (done.health, done.label) == ("infra", None)
    assert done.reason == f"{fault.__name__}: broken"


@pytest.mark.parametrize("label", [label for label in Label if label is not Label.CANDS])
def test_a_result_of_an_agent_is_never_tried_again(label: Label, store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    track = ScriptedTrack({}, Verdict(label, Health.OK, "r"), Solution(b"", Ended.CRASHED))
    (done,) = execute(store, run, track)
    assert track.calls.total() == 1
    assert (done.label, done.health, done.ended) == (label, "ok", "crashed")
    execute(store, run, track)
    assert track.calls.total() == 1, "nor by a later run of the same"


def test_a_fault_while_grading_makes_nothing_again(store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    track = ScriptedTrack({}, grading=[SandboxDied("gone"), SandboxDied("gone")])
    (done,) = execute(store, run, track)
    assert (done.label, track.calls.total(), len(track.graded)) == ("C&S", 1, 3)


def test_what_was_made_is_kept_when_it_cannot_be_graded_and_resume_only_grades(
    store: Store,
) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    (spoilt,) = execute(store, run, ScriptedTrack({}, grading=[ImageMissing("x")]))
    assert (spoilt.health, spoilt.usage, spoilt.ended) == ("infra", {"calls": 1}, "finished")
    again = ScriptedTrack({})
    (done,) = execute(store, run, again)
    assert (done.label, again.calls.total(), again.graded) == ("C&S", 0, [WORK])
    assert store.blob(done.artefacts()["record"]) == b"r" and done.evidence["agent"] == {
        "status": 0
    }


def test_an_attempt_whose_model_was_never_there_is_made_again(store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    nobody = Solution(b"", Ended.MODEL_UNAVAILABLE)
    fault = ModelUnavailable("m: no call was answered")
    (spoilt,) = execute(store, run, ScriptedTrack({}, solution=nobody, grading=[fault]))
    assert (spoilt.health, spoilt.label, spoilt.ended) == ("infra", None, "model-unavailable")
    again = ScriptedTrack({})
    (done,) = execute(store, run, again)
    assert (done.label, again.calls.total()) == ("C&S", 1)


def test_a_bug_is_raised_and_leaves_the_attempt_open(store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    with pytest.raises(ZeroDivisionError):
        execute(store, run, ScriptedTrack({"alpha": [ZeroDivisionError()]}))
    assert len(store.attempts(run, only_open=True)) == 1


# interruption and resume


def test_an_interrupt_leaves_open_attempts_and_resume_finishes_only_those(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    track = ScriptedTrack({"beta": [KeyboardInterrupt()]})
    with pytest.raises(KeyboardInterrupt):
        execute(store, run, track)
    left = store.attempts(run, only_open=True)
    assert left[0].key == KEYS[2]
    before = {a.id: a for a in store.attempts(run) if a.health}
    assert {a.key for a in before.values()} >= set(KEYS[:2])
    again = ScriptedTrack({})
    found = execute(store, run, again)
    assert again.calls == {(a.key.task, a.key.agent): 1 for a in left}
    assert all(a.label for a in found)
    assert {a.id: a for a in found if a.id in before} == before


def test_resume_takes_up_what_the_machine_spoilt(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    execute(store, run, ScriptedTrack({"alpha": [ImageMissing("x")] * 2}))
    assert [a.key.task for a in store.attempts(run, only_open=True)] == ["alpha", "alpha"]
    track = ScriptedTrack({})
    assert all(a.health == "ok" for a in execute(store, run, track))
    assert track.calls == {("alpha", "gold"): 1, ("alpha", "noop"): 1}


def test_progress_tells_each_step_and_the_end_after_it_is_stored(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    told: list[tuple[str, str]] = []

    def progress(attempt: Attempt, what: str) -> None:
        if what == "done":
            assert store.attempt(attempt.id).health == "ok"
        told.append((attempt.id, what))

    sweep.execute(store, run, ScriptedTrack({}), LocalEngine(2), progress)
    for attempt in store.attempts(run):
        assert [what for id_, what in told if id_ == attempt.id] == ["agent", "done"]
