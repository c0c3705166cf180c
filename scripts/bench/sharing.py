"""Even sharing: n jobs at a resource with room for c go at min(1, c / n) of their pace each.

That is processor sharing (Kleinrock, Queueing Systems II, 1976, section 4.4).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
NEVER = float("inf")


class SharedRun(Generic[T]):
    """A shared resource.

    room: jobs at full pace. pace: work a second. others: jobs that are always there. max_pace: of a job.
    """

    def __init__(
        self, room: float, pace: float = 1.0, others: float = 0.0, max_pace: float = NEVER
    ) -> None:
        self._room, self._pace, self._others, self.max_pace = room, pace, others, max_pace
        self._served_work = self._since = 0.0
        self._waiting: list[tuple[float, int, T]] = []
        self.version = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def _rate(self) -> float:
        there = max(1.0, len(self._waiting) + self._others)
        return min(self._pace * min(1.0, self._room / there), self.max_pace)

    def catch_up(self, now: float) -> None:
        """Give every job its part of the time since the last change."""
        self._served_work += (now - self._since) * self._rate()
        self._since = now
        self.version += 1

    def add(self, now: float, amount: float, number: int, what: T) -> None:
        self.catch_up(now)
        heapq.heappush(self._waiting, (self._served_work + amount, number, what))

    def next(self) -> float:
        """When the next job is served."""
        if not self._waiting:
            return NEVER
        return self._since + max(0.0, self._waiting[0][0] - self._served_work) / self._rate()

    def take(self, now: float) -> T:
        """The job that is served now."""
        self.catch_up(now)
        return heapq.heappop(self._waiting)[2]

    def forget(self, now: float, gone: Callable[[T], bool]) -> None:
        """Jobs that are not served any more."""
        self.catch_up(now)
        self._waiting = [each for each in self._waiting if not gone(each[2])]
        heapq.heapify(self._waiting)


class Link(SharedRun[T]):
    """From the registry to a node: bytes a second, even among its pulls."""
