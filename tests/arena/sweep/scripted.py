"""A track whose attempts do what a script says, and what tests ask of a sweep over it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from arena.jobs import Capacity, Needs, Stage
from arena.protocols import Matrix, Setup
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.store import Store
from arena.sweep.control import DriveOptions, Ending
from arena.sweep.drive import drive
from arena.sweep.engines.local import LocalEngine
from arena.sweep.watch import Watch
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Charge, Ended, Solution

SECURE = Verdict(Label.SECURE, Health.OK, "fine", {"tests": {"wanted": 1}})
WORK = Solution(b"patch", Ended.FINISHED, {"calls": 1}, b"told", {"status": 0}, {"record": b"r"})
SETUP = Setup("repo", "pack")


class ScriptedTrack:
    """Raises the exceptions of a task in turn, then gives the result.

    `grading` holds those that are raised when what was made is graded; `hook` is called as an attempt is made, when it
    has been charged what it `costs` (USD, tokens).
    """

    pack_name = "pack"

    def __init__(
        self,
        script: dict[str, list[BaseException]] | None = None,
        verdict: Verdict = SECURE,
        solution: Solution = WORK,
        grading: list[BaseException] | None = None,
        hook: Callable[[AttemptKey], None] = lambda key: None,
        costs: tuple[float, int] | None = None,
    ) -> None:
        self.script, self.verdict, self.solution = script or {}, verdict, solution
        self.grading, self.hook, self.costs = grading or [], hook, costs
        self.calls: Counter[tuple[str, str]] = Counter()
        self.graded: list[Solution] = []
        self._lock = threading.Lock()

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        return []

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        return []

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        return Needs()

    def solve(
        self, key: AttemptKey, say: Callable[[str], None], charge: Charge | None = None
    ) -> Solution:
        say("agent")
        with self._lock:
            self.calls[key.task, key.agent] += 1
            waiting = self.script.get(key.task, [])
            fault = waiting.pop(0) if waiting else None
        if self.costs and charge:
            charge(*self.costs)
        self.hook(key)
        if fault is not None:
            raise fault
        return self.solution

    def grade(self, key: AttemptKey, solution: Solution, say: Callable[[str], None]) -> Verdict:
        with self._lock:
            self.graded.append(solution)
            fault = self.grading.pop(0) if self.grading else None
        if fault is not None:
            raise fault
        return self.verdict

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]:
        return {}

    def missing(self) -> str:
        return ""

    def close(self) -> None: ...


def driven(
    store: Store,
    run: str,
    track: ScriptedTrack,
    workers: int = 2,
    options: DriveOptions | None = None,
    watch: Watch | None = None,
    setup: Setup = SETUP,
    stop: threading.Event | None = None,
) -> Ending:
    """A sweep over the run with the local engine."""
    engine = LocalEngine(track, store)
    capacity = Capacity(workers, workers)
    return drive(store, run, setup, engine, capacity, track.needs, options, watch, stop)


def keys(tasks: int, agents: Sequence[str] = ("gold",), model: str = "") -> list[AttemptKey]:
    return [AttemptKey(f"t{n:03}", agent, model) for n in range(tasks) for agent in agents]
