"""The queue of waiting jobs: read from the store by pages, or back after a fault or for the next stage."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

from arena.jobs import Needs, Stage, StageJob
from arena.store.model import AttemptKey, OpenAttempt

PAGE = 200
NeedsOf = Callable[[AttemptKey, Stage], Needs]
# (position, limit) -> open attempts after that position: `Store.open_attempts` of a run.
Page = Callable[[str, int], list[OpenAttempt]]


class JobQueue:
    """Holds a page or two of attempts at a time, whatever the size of the sweep.

    Grading jobs come before solving jobs, so that paid work is finished first; solving jobs
    are queued by model, so that a model at its limit does not hold up others.
    """

    def __init__(self, page: Page, needs: NeedsOf, max_queued: int) -> None:
        self._page, self._needs, self._room = page, needs, max(PAGE, max_queued)
        self._after = ""
        self._read_all = False
        self._ready: deque[StageJob] = deque()
        self._solving: dict[str, deque[StageJob]] = {}
        self._later: list[tuple[float, int, StageJob]] = []
        # Breaks ties in the heap: jobs themselves have no order.
        self._numbers = itertools.count()

    def read(self, skip: Callable[[OpenAttempt], bool]) -> None:
        """Read more attempts while the queue has capacity, except those for which `skip` is true."""
        while not self._read_all and len(self) < self._room:
            jobs = self._page(self._after, PAGE)
            self._read_all = len(jobs) < PAGE
            if jobs:
                self._after = jobs[-1].order
            for attempt in jobs:
                if not skip(attempt):
                    self._add(self._job(attempt))

    def _job(self, attempt: OpenAttempt) -> StageJob:
        stage = Stage.SOLVE if attempt.solution is None else Stage.GRADE
        return StageJob(
            attempt.id, attempt.key, stage, self._needs(attempt.key, stage), attempt.solution
        )

    def _add(self, job: StageJob) -> None:
        if job.stage is Stage.GRADE:
            self._ready.append(job)
        else:
            self._solving.setdefault(job.key.model, deque()).append(job)

    def grade(self, job: StageJob) -> None:
        """The attempt of a job that solved is to be graded; `solution` is set."""
        needs = self._needs(job.key, Stage.GRADE)
        self._ready.append(
            # The faults of solving say nothing about grading, which starts with all its tries.
            replace(job, stage=Stage.GRADE, needs=needs, number=1, avoid=frozenset())
        )

    def retry_later(self, job: StageJob, when: float) -> None:
        """Retry a job that met a fault, at that time or later."""
        # The number breaks ties, since jobs cannot be compared.
        heapq.heappush(self._later, (when, next(self._numbers), job))

    def due(self, now: float) -> None:
        """Queue the jobs whose retry time has come."""
        while self._later and self._later[0][0] <= now:
            job = heapq.heappop(self._later)[2]
            if job.stage is Stage.GRADE:
                # In front: what was begun is finished before more is begun.
                self._ready.appendleft(job)
            else:
                self._solving.setdefault(job.key.model, deque()).appendleft(job)

    def queues(self) -> Iterator[deque[StageJob]]:
        """The waiting jobs, in queues that are started from the head; empty queues are left out."""
        if self._ready:
            yield self._ready
        # A list: the caller may drop a model's queue while it goes through them.
        yield from [waiting for waiting in self._solving.values() if waiting]

    def drop(self, model: str) -> int:
        """Drop all jobs that would use a model; returns how many."""
        return len(self._solving.pop(model, ()))

    def next_due(self) -> float | None:
        return self._later[0][0] if self._later else None

    def __len__(self) -> int:
        return len(self._ready) + len(self._later) + sum(map(len, self._solving.values()))

    @property
    def empty(self) -> bool:
        return self._read_all and not len(self)
