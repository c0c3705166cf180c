"""Many at a time, in threads: they wait for containers, for models, for workers of test runner or stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def default_workers() -> int:
    """As many at a time as this process may use processors."""
    return max(1, len(os.sched_getaffinity(0)))


def each(
    items: Sequence[Item],
    work: Callable[[Item], Made],
    jobs: int = 0,
    done: Callable[[Item, Made], None] = lambda item, result: None,
) -> list[Made]:
    """`work` of each item, in the order of the items, `jobs` (0: one a CPU) at a time.

    `done` runs in the caller's thread. The first exception stops what has not begun, and is raised.
    """
    results: dict[int, Made] = {}
    pool = ThreadPoolExecutor(jobs or default_workers())
    try:
        waiting: dict[Future[Made], int] = {
            pool.submit(work, item): number for number, item in enumerate(items)
        }
        while waiting:
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=waiting.__getitem__):
                number = waiting.pop(future)
                results[number] = future.result()
                done(items[number], results[number])
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return [results[number] for number in range(len(items))]


def each_in_order(
    items: Sequence[Item], work: Callable[[Item], Made], jobs: int = 0
) -> Iterator[Made]:
    """`work` of each item, `jobs` (0: one a CPU) at a time: each result as soon as those before it are there.

    The first exception stops what has not begun, and is raised; so does a caller that takes no more.
    """
    pool = ThreadPoolExecutor(jobs or default_workers())
    try:
        for future in [pool.submit(work, item) for item in items]:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
