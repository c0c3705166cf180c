"""Distinguishes a broken task, an unavailable model and a broken machine from bad luck."""

from __future__ import annotations

from collections import Counter, deque

from arena.jobs import Fault
from arena.store.model import AttemptKey

# Consecutive attempts of one task that ended in faults: the task's others are skipped.
POISON = 3
# Consecutive attempts without an answer from a model, or of an agent with a model that never asked it: what
# could not be used is not tried again.
DEAD = 5
# Consecutive attempts, of several tasks and models, that ended in faults: the machine is at fault.
BROKEN = 12
BROKEN_TASKS = 3
# Faults of a task alone, which say nothing of the machine.
TASK_FAULTS = frozenset({"TaskError", "TaskBroken"})
# A model for which this is reported once is not asked again.
ENDED = "ModelEnded"
UNANSWERED = frozenset({"ModelUnavailable", "GatewayFault", ENDED})
# The agent's fault: its model may well answer others.
UNASKED = "NeverAsked"


class Faults:
    """Counts final faults, attempt by attempt, in the order in which they ended."""

    def __init__(self) -> None:
        self._tasks: Counter[str] = Counter()
        self._models: Counter[str] = Counter()
        self._agents: Counter[str] = Counter()
        self._row: deque[str] = deque(maxlen=BROKEN)
        self._why: dict[str, str] = {}

    def good(self, key: AttemptKey) -> None:
        """An attempt ended as it should."""
        self._tasks.pop(key.task, None)
        self._models.pop(key.model, None)
        self._agents.pop(key.agent, None)
        self._row.clear()

    def bad(self, key: AttemptKey, fault: Fault) -> None:
        """An attempt ended in a fault that is not retried."""
        if fault.kind not in TASK_FAULTS:
            self._row.append(key.task)
        if fault.kind in UNANSWERED and key.model:
            # An empty account or a refused key ends the model after one call instead of five.
            self._models[key.model] += DEAD if fault.kind == ENDED else 1
            self._why[f"model {key.model}"] = fault.reason
        elif fault.kind == UNASKED:
            self._agents[key.agent] += 1
            self._why[f"agent {key.agent}"] = fault.reason
        else:
            self._tasks[key.task] += 1
            self._why[f"task {key.task}"] = fault.reason
        self._why["all"] = fault.reason

    def reason_not_tried(self, key: AttemptKey) -> str:
        """Why attempts of a task, or of an agent, are no longer tried; "" if they are."""
        if self._tasks[key.task] >= POISON:
            why = self._why[f"task {key.task}"]
            return f"not tried: {POISON} attempts of this task in a row: {why}"
        if self._agents[key.agent] >= DEAD:
            why = self._why[f"agent {key.agent}"]
            return f"not tried: {DEAD} attempts of this agent in a row: {why}"
        return ""

    def dead(self, model: str) -> str:
        """Why a model is no longer used; "" if it is."""
        if self._models[model] < DEAD:
            return ""
        why = self._why[f"model {model}"]
        return why if why.startswith(ENDED) else f"model {model}: {DEAD} attempts in a row: {why}"

    @property
    def fault_reason(self) -> str:
        """Why nothing is tried any more; "" if the machine is fine."""
        # Faults of one or two tasks alone may be these tasks' and not the machine's.
        if len(self._row) < BROKEN or len(set(self._row)) < BROKEN_TASKS:
            return ""
        return f"the last {BROKEN} attempts all ended in faults: {self._why['all']}"
