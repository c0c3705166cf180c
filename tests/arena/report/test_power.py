"""Power: what an experiment can see, held against drawn experiments."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.permutation import sign_flip
from arena.report.power import DIFFER, least_difference


def test_more_tasks_or_replicates_see_smaller_differences() -> None:
    assert least_difference(0, 1) is None
    few, many, again = (least_difference(*of) or 0 for of in ((10, 1), (100, 1), (100, 4)))
    assert few > many > again > 0
    assert many == pytest.approx(0.1478, abs=1e-4)


@given(st.integers(1, 10_000), st.integers(1, 50))
def test_what_is_seen_is_a_difference_that_can_be(tasks: int, replicates: int) -> None:
    found = least_difference(tasks, replicates)
    assert found is not None and 0 < found < 1


@pytest.mark.slow
def test_drawn_experiments_see_it_four_times_in_five() -> None:
    """100 tasks, one pair each, of which 30 % differ: the sign-flip test at 5 %."""
    tasks, random = 100, Random(7)
    difference = least_difference(tasks, 1) or 0
    better, worse = (DIFFER + difference) / 2, (DIFFER - difference) / 2
    seen = 0
    for _ in range(300):
        drawn = [random.random() for _ in range(tasks)]
        seen += (
            sign_flip([1 if x < better else -1 if x < better + worse else 0 for x in drawn]) < 0.05
        )
    assert 0.7 < seen / 300 < 0.88
