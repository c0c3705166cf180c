"""Many at a time: results in order, each as early as that allows."""

from __future__ import annotations

import threading
import time

import pytest

from arena.tracks.pool import each_in_order


def test_a_result_comes_as_soon_as_those_before_it_are_there() -> None:
    last_may_end = threading.Event()

    def work(item: int) -> int:
        if item == 2:
            assert last_may_end.wait(30)
        return 10 * item

    results = each_in_order([0, 1, 2], work, jobs=3)
    assert (next(results), next(results)) == (0, 10)
    last_may_end.set()
    assert list(results) == [20]


def test_a_failure_and_a_caller_who_leaves_stop_what_has_not_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        if item == 1:
            raise ValueError("one")
        return item

    results = each_in_order(range(100), work, jobs=1)
    assert next(results) == 0
    with pytest.raises(ValueError, match="one"):
        list(results)
    begun.clear()
    left = each_in_order(
        range(2, 1000), lambda item: begun.append(item) or time.sleep(0.005), jobs=1
    )
    next(left)
    left.close()
    assert len(begun) < 998
