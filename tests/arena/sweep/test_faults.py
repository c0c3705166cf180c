"""A poisoned task, a dead model and a broken machine are told from bad luck."""

from __future__ import annotations

from arena.jobs import Fault
from arena.store.model import AttemptKey
from arena.sweep.faults import BROKEN, DEAD, POISON, Faults
from arena.tracks.passing import TRIES, pause

DIED = Fault("SandboxDied: it ended")
UNANSWERED = Fault("ModelUnavailable: m: no call was answered", again=False)
UNASKED = Fault("NeverAsked: agent crashed", again=False)


def key(task: str, model: str = "m") -> AttemptKey:
    return AttemptKey(task, "agent", model)


def test_a_task_is_poisoned_after_faults_in_a_row_only() -> None:
    faults = Faults()
    for _ in range(POISON - 1):
        faults.bad(key("t"), DIED)
    assert not faults.reason_not_tried(key("t"))
    faults.good(key("t"))
    for _ in range(POISON):
        assert not faults.reason_not_tried(key("t"))
        faults.bad(key("t"), DIED)
    assert faults.reason_not_tried(key("t")).endswith("SandboxDied: it ended")
    assert not faults.reason_not_tried(key("other")) and not faults.fault_reason


def test_a_model_that_does_not_answer_poisons_no_task() -> None:
    faults = Faults()
    for _ in range(DEAD):
        assert not faults.dead("m")
        faults.bad(key("t"), UNANSWERED)
    assert "no call was answered" in faults.dead("m")
    assert not faults.reason_not_tried(key("t")) and not faults.dead("other")


def test_a_model_that_nobody_pays_for_is_asked_once() -> None:
    faults = Faults()
    faults.bad(key("t"), Fault("ModelEnded: m: HTTP 429: no money", again=False))
    assert faults.dead("m") == "ModelEnded: m: HTTP 429: no money"
    assert not faults.reason_not_tried(key("t")) and not faults.dead("other")


def test_an_agent_that_never_asks_is_given_up_and_its_model_and_tasks_are_not() -> None:
    faults = Faults()
    for _ in range(DEAD):
        assert not faults.reason_not_tried(key("t"))
        faults.bad(key("t"), UNASKED)
    assert faults.reason_not_tried(key("other")).endswith(
        "of this agent in a row: NeverAsked: agent crashed"
    )
    assert not faults.dead("m") and not faults.reason_not_tried(AttemptKey("t", "another", "m"))


def test_faults_of_several_tasks_in_a_row_are_the_machines() -> None:
    faults = Faults()
    for number in range(BROKEN):
        assert not faults.fault_reason
        faults.bad(key(f"t{number % 5}"), DIED)
    assert "SandboxDied" in faults.fault_reason
    faults.good(key("t0"))
    assert not faults.fault_reason


def test_faults_of_one_task_are_not_the_machines() -> None:
    faults = Faults()
    for _ in range(10 * BROKEN):
        faults.bad(key("t"), DIED)
    assert not faults.fault_reason


def test_faults_of_tasks_are_not_the_machines() -> None:
    faults = Faults()
    for number in range(10 * BROKEN):
        kind = ("TaskError", "TaskBroken")[number % 2]
        faults.bad(key(f"t{number}"), Fault(f"{kind}: a step that cannot be made", again=False))
    assert not faults.fault_reason


def test_pauses_grow_and_are_bounded() -> None:
    pauses = [pause(tries) for tries in range(1, 12)]
    assert pauses == sorted(pauses) and 0 < pauses[0] < 2 and pauses[-1] <= 10 and TRIES > 1
