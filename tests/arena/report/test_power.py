"""Power: what an experiment can detect, held against exact enumeration and drawn experiments."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.permutation import sign_flip
from arena.report.power import DIFFER, least_difference, mcnemar_power
from arena.report.statistics import mcnemar


def test_more_tasks_or_replicates_see_smaller_differences() -> None:
    assert least_difference(0, 1) is None
    few, many, again = (least_difference(*of) or 0 for of in ((30, 1), (100, 1), (100, 4)))
    assert few > many > again > 0
    assert few == pytest.approx(0.2745, abs=1e-4)
    assert many == pytest.approx(0.1585, abs=1e-4)


@pytest.mark.parametrize(("tasks", "sees"), [(1, False), (2, False), (13, False), (30, True)])
def test_few_tasks_see_no_difference_at_all(tasks: int, sees: bool) -> None:
    """Of two pairs McNemar's p is 0.5 at least, whatever they are."""
    assert (least_difference(tasks, 1) is not None) == sees


def test_power_is_that_of_all_outcomes_together() -> None:
    differ, difference, tasks = 0.8, 0.7, 7
    chances = {1: (differ + difference) / 2, -1: (differ - difference) / 2, 0: 1 - differ}
    power = 0.0
    for signs in product(chances, repeat=tasks):
        chance = 1.0
        for sign in signs:
            chance *= chances[sign]
        power += chance * (mcnemar(signs.count(1), signs.count(-1)) <= 0.05)
    assert mcnemar_power(tasks, differ, difference) == pytest.approx(power)


@given(st.integers(1, 1_200), st.integers(1, 50))
def test_what_is_seen_is_a_difference_that_can_be(tasks: int, replicates: int) -> None:
    difference = least_difference(tasks, replicates)
    assert difference is None if tasks < 20 else difference is None or 0 < difference <= DIFFER


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
    assert 0.75 < seen / 300 < 0.88
