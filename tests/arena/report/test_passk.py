"""pass@k over tasks: the mean of the unbiased estimates, with an interval that rests on tasks."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.clusters import clustered_share
from arena.report.passk import pass_at

COUNTS = st.lists(
    st.integers(0, 5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=8
)


@given(counts=COUNTS)
def test_pass_at_k_is_the_mean_over_tasks_of_what_k_attempts_hold(
    counts: list[tuple[int, int]],
) -> None:
    found = pass_at(counts)
    assert list(found) == [k for k in (1, 2, 3, 5) if k <= max((n for _, n in counts), default=0)]
    for k, interval in found.items():
        shares = []
        for c, n in counts:
            choices = list(combinations(range(n), k))
            if choices:
                held = sum(any(one < c for one in choice) for choice in choices)
                shares.append(Fraction(held, len(choices)))
        assert interval.n == len(shares)
        assert interval.value == pytest.approx(float(sum(shares) / len(shares)))
        assert interval.low is not None and interval.high is not None
        assert 0 <= interval.low <= interval.value <= interval.high <= 1


@given(had=st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_pass_at_1_is_the_good_rate_where_all_tasks_have_as_many_attempts(had: list[int]) -> None:
    rate = clustered_share([(c, 4) for c in had])
    found = pass_at([(c, 4) for c in had])[1]
    assert (found.value, found.low, found.high) == pytest.approx((rate.value, rate.low, rate.high))
    assert (found.n, rate.n) == (len(had), 4 * len(had))


def test_pass_at_k_by_hand() -> None:
    """1 of 3 good: 1/3 and 2/3 with two; 2 of 3: 2/3 and 1."""
    found = pass_at([(1, 3), (2, 3), (0, 0), (1, 1)])
    assert found[1].value == pytest.approx((1 / 3 + 2 / 3 + 1) / 3)
    assert found[2].value == pytest.approx((2 / 3 + 1) / 2)
    assert found[3].value == 1.0
    assert [found[k].n for k in (1, 2, 3)] == [3, 2, 2]
    assert pass_at([]) == {}
