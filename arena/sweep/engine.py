"""What runs many attempts, and the engine that does it with threads.

Threads are enough on one machine: an attempt waits for containers and for the scanner's process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

Job = TypeVar("Job")


class Engine(Protocol):
    def each(self, work: Callable[[Job], None], jobs: Iterable[Job]) -> None:
        """Run `work` on every job; the first exception stops what has not started and is raised."""
        ...


def default_workers() -> int:
    """As many attempts at a time as this process may use processors."""
    return max(1, len(os.sched_getaffinity(0)))


class LocalEngine:
    """A pool of threads in this process."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or default_workers()

    def each(self, work: Callable[[Job], None], jobs: Iterable[Job]) -> None:
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="attempt")
        futures: set[Future[None]] = {pool.submit(work, job) for job in jobs}
        try:
            while futures:
                done, futures = wait(futures, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
