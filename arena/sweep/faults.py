"""Tells a poisoned task, a model that is not there and a broken machine from bad luck."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from arena.store.model import AttemptKey
from arena.sweep.job import Fault
from harness.grade.decide import Spoilt, doing
from harness.grade.verdict import Verdict
from harness.sandbox.base import EngineUnavailable, SandboxDied

TRIES = 3
"""An infrastructure fault that may pass is tried again; what an agent or its patch does never is."""
PASSING = (EngineUnavailable, SandboxDied, ConnectionError)
"""Faults of the machine, which another try may not meet; all others would come back."""
WAIT = wait_exponential(multiplier=0.5, max=10)
RETRIED = Retrying(
    retry=retry_if_exception_type(PASSING),
    stop=stop_after_attempt(TRIES),
    wait=WAIT,
    reraise=True,
)
"""For what is graded here and now; the driver tries again on another node."""
POISON = 3
"""Attempts of one task that ended in faults one after the other: the rest of them is not tried."""
DEAD = 5
"""Attempts in a row that a model did not answer: it is not asked again."""
BROKEN = 12
"""Attempts in a row, of several tasks and models, that ended in faults: the machine is at fault."""
BROKEN_TASKS = 3
UNANSWERED = frozenset({"ModelUnavailable", "NeverAsked", "GatewayFault"})


def graded(grade: Callable[[], Verdict]) -> Verdict:
    """What `grade` returns, tried again after faults that may pass. Raises the last one."""
    tries: list[Verdict | None] = []

    def once() -> Verdict:
        try:
            return grade()
        except PASSING as fault:
            tries.append(spoilt_by(fault))
            raise

    try:
        return RETRIED.copy()(once)
    except Spoilt:
        verdict = doing(tries)
        if verdict is None:
            raise
        return verdict


def spoilt_by(fault: BaseException) -> Verdict | None:
    """What a patch gets if it meets this fault in each try; None where the machine is at fault."""
    return fault.verdict if isinstance(fault, Spoilt) else None


def pause(tries: int) -> float:
    """Seconds until a job that met a fault in so many tries is tried again."""
    state = RetryCallState(RETRIED, None, (), {})
    state.attempt_number = tries
    return WAIT(state)


class Faults:
    """Counts final faults, attempt by attempt, in the order in which they ended."""

    def __init__(self) -> None:
        self._tasks: Counter[str] = Counter()
        self._models: Counter[str] = Counter()
        self._row: deque[str] = deque(maxlen=BROKEN)
        self._why: dict[str, str] = {}

    def good(self, key: AttemptKey) -> None:
        """An attempt ended as it should."""
        self._tasks.pop(key.task, None)
        self._models.pop(key.model, None)
        self._row.clear()

    def bad(self, key: AttemptKey, fault: Fault) -> None:
        """An attempt ended in a fault that is not tried again."""
        self._row.append(key.task)
        if fault.kind in UNANSWERED and key.model:
            self._models[key.model] += 1
            self._why[f"model {key.model}"] = fault.reason
        else:
            self._tasks[key.task] += 1
            self._why[f"task {key.task}"] = fault.reason
        self._why["all"] = fault.reason

    def poisoned(self, task: str) -> str:
        """Why attempts of a task are not tried any more; "" for no."""
        if self._tasks[task] < POISON:
            return ""
        return f"not tried: {POISON} attempts of this task in a row: {self._why[f'task {task}']}"

    def dead(self, model: str) -> str:
        """Why a model is not asked any more; "" for no."""
        if self._models[model] < DEAD:
            return ""
        return f"model {model}: {DEAD} attempts in a row: {self._why[f'model {model}']}"

    @property
    def broken(self) -> str:
        """Why nothing is tried any more; "" for no."""
        if len(self._row) < BROKEN or len(set(self._row)) < BROKEN_TASKS:
            return ""
        return f"the last {BROKEN} attempts all ended in faults: {self._why['all']}"
