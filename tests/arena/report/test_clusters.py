"""Intervals over clusters: Wilson's where there are none, and wide enough where tasks decide."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.clusters import clustered_share, effective_size, mean_over_tasks, mean_score
from arena.report.statistics import Interval, wilson, wilson_bounds

PART = st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
PARTS = st.lists(PART, max_size=25)


def ends(found: Interval) -> tuple[float, float, float]:
    assert found.value is not None and found.low is not None and found.high is not None
    return found.low, found.value, found.high


@given(parts=PARTS)
def test_an_interval_holds_its_share_and_stays_within_0_and_1(parts: list[tuple[int, int]]) -> None:
    found = clustered_share(parts)
    attempts = sum(n for _, n in parts)
    assert found.n == attempts
    if not attempts:
        assert found == Interval(None, None, None, 0)
        return
    low, value, high = ends(found)
    assert value == pytest.approx(sum(x for x, _ in parts) / attempts)
    assert 0 <= low <= value <= high <= 1
    assert high - low > 0


@given(parts=PARTS.filter(lambda parts: any(n for _, n in parts)))
def test_clusters_never_tell_more_than_their_attempts(parts: list[tuple[int, int]]) -> None:
    known = [part for part in parts if part[1]]
    attempts = sum(n for _, n in known)
    size = effective_size(known, attempts)
    assert 1 - 1e-9 <= size <= attempts
    plain = wilson(sum(x for x, _ in known), attempts)
    low, _, high = ends(clustered_share(parts))
    assert low <= plain.low + 1e-9 and high >= plain.high - 1e-9  # type: ignore[operator]


@given(had=st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_attempt_a_task_is_wilson(had: list[bool]) -> None:
    assert clustered_share([(int(one), 1) for one in had]) == wilson(sum(had), len(had))
    assert mean_over_tasks([float(one) for one in had], len(had)) == wilson(sum(had), len(had))


@given(
    n=st.floats(1, 1000), more=st.floats(0.01, 1000), share=st.floats(0, 1), step=st.floats(0, 1)
)
def test_wilson_is_monotone(n: float, more: float, share: float, step: float) -> None:
    low, high = wilson_bounds(share, n)
    closer = wilson_bounds(share, n + more)
    assert closer[0] >= low - 1e-9 and closer[1] <= high + 1e-9
    above = wilson_bounds(min(1.0, share + step), n)
    assert above[0] >= low - 1e-9 and above[1] >= high - 1e-9


def test_an_effective_size_worked_out_by_hand() -> None:
    """x = 3, 1, 4 of 4: p = 2/3, sum of squares (1/3)^2 + (5/3)^2 + (4/3)^2 = 42/9, so v = 3/2 * 42/9 / 144."""
    variance = 1.5 * (42 / 9) / 144
    size = (2 / 9) / variance
    parts = [(3, 4), (1, 4), (4, 4)]
    assert effective_size(parts, 12) == pytest.approx(size) == pytest.approx(32 / 7)
    low, high = wilson_bounds(2 / 3, 32 / 7)
    assert ends(clustered_share(parts)) == pytest.approx((low, 2 / 3, high))


def test_edges_of_the_effective_size() -> None:
    assert effective_size([(5, 5), (3, 3)], 8) == 2  # all have it: each task is one trial
    assert effective_size([(0, 5), (0, 3)], 8) == 2
    assert effective_size([(3, 7)], 7) == 1  # one task
    assert effective_size([(1, 2), (2, 4)], 6) == 6  # no variance between tasks
    assert effective_size([(4, 4), (0, 4)], 8) == pytest.approx(1)  # a task decides all
    assert clustered_share([(3, 7), (0, 0)]) == clustered_share([(3, 7)])


def simulated(random: Random, tasks: int, replicates: int, truth: float, apart: float) -> list[tuple[int, int]]:  # fmt: skip
    """Counts of good attempts, the chance of each task drawn from a beta distribution of mean `truth`."""
    found = []
    for _ in range(tasks):
        chance = random.betavariate(truth * apart, (1 - truth) * apart)
        found.append((sum(random.random() < chance for _ in range(replicates)), replicates))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "truth"), [(30, 0.4), (60, 0.15)])
def test_the_interval_covers_the_truth_where_tasks_decide(tasks: int, truth: float) -> None:
    """Correlation within a task 1 / (1 + 0.25) = 0.8; the plain interval takes 8 replicates for 8 trials."""
    random = Random(5)
    held = plain = 0
    for _ in range(500):
        parts = simulated(random, tasks, 8, truth, 0.25)
        low, _, high = ends(clustered_share(parts))
        held += low <= truth <= high
        low, _, high = ends(wilson(sum(x for x, _ in parts), sum(n for _, n in parts)))
        plain += low <= truth <= high
    assert held >= 0.92 * 500
    assert plain <= 0.7 * 500


def test_scores_by_hand() -> None:
    """Scores .5 .7, .9 .9: mean .75, task sums 1.2 and 1.8, v = 2 * (.3^2 + .3^2) / 16 = .0225."""
    size = 0.75 * 0.25 / 0.0225
    found = mean_score([(1.2, 2), (1.8, 2)])
    low, high = wilson_bounds(0.75, size)
    assert ends(found) == pytest.approx((low, 0.75, high))
    assert found.n == 4
    assert mean_score([]).value is None


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=5), min_size=1, max_size=20))
def test_scores_stay_within_their_interval(scores: list[list[float]]) -> None:
    low, value, high = ends(mean_score([(math.fsum(of), len(of)) for of in scores]))
    assert 0 <= low <= value <= high <= 1
    every = [one for of in scores for one in of]
    assert value == pytest.approx(math.fsum(every) / len(every))
