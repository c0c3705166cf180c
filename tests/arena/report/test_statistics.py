"""Intervals, seeded draws, exact tests and agreement: values from the literature, by hand and by counting."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report import statistics
from arena.report.statistics import (
    Interval,
    bounds,
    cohen_kappa,
    discordant,
    drawn_sums,
    fisher,
    mcnemar,
    points,
    quotients,
    ratio_of,
    wilson,
    wilson_bounds,
)

NONE = Interval(None, None, None, 0)
PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30)
CELLS = st.integers(0, 40)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.25, -0.125, 0.5, 9), "+25.0 points [-12.5, +50.0]"),
        (Interval(-0.0312, -0.1, -0.01, 2), "-3.1 points [-10.0, -1.0]"),
        (Interval(0.25, None, None, 1), "+25.0 points [no interval]"),
        (Interval(0.25, 0.1, None, 1), "+25.0 points [no interval]"),
        (Interval(0.25, None, 0.5, 1), "+25.0 points [no interval]"),
        (Interval(None, 0.1, 0.5, 2), "-"),
        (NONE, "-"),
    ],
)
def test_a_difference_is_printed_in_points(interval: Interval, text: str) -> None:
    assert points(interval) == text


def test_an_interval_as_json() -> None:
    assert Interval(0.5, 0.25, 0.75, 8).to_json() == {
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "n": 8,
    }


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        (range(41), (1.0, 39.0)),
        ([math.nan, *range(41), math.nan], (1.0, 39.0)),
        ([0.0, 1.0], (0.025, 0.975)),
        ([False, True], (0.025, 0.975)),
        ([7.0], (7.0, 7.0)),
        ([math.nan], (None, None)),
        ([], (None, None)),
    ],
)
def test_bounds_lie_between_ranks_of_the_defined_values(
    values: Sequence[float], ends: tuple[float | None, float | None]
) -> None:
    assert bounds(values) == pytest.approx(ends)


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1), data=st.data())
def test_the_order_of_the_values_does_not_change_their_bounds(
    values: list[float], data: st.DataObject
) -> None:
    low, high = bounds(values)
    assert low is not None and high is not None
    assert min(values) <= low <= high <= max(values)
    assert bounds(data.draw(st.permutations(values))) == (low, high)


def test_draws_of_a_seed_are_the_same_for_all_columns() -> None:
    assert drawn_sums([[1, 2, 4, 8], [1, 1, 1, 0]], 6, 1).tolist() == [
        [22.0, 18.0, 13.0, 14.0, 10.0, 28.0],
        [2.0, 2.0, 3.0, 3.0, 4.0, 1.0],
    ]


def test_draws_have_a_default_seed_and_number() -> None:
    assert drawn_sums([[1, 2, 4, 8]], 6).tolist() == [[14.0, 22.0, 21.0, 13.0, 10.0, 4.0]]
    assert drawn_sums([[1, 2, 4, 8]]).shape == (1, 2_000)


@pytest.mark.parametrize("at_once", [1, 4, 8, 9, 23, 24, 25])
def test_draws_do_not_depend_on_how_many_units_are_drawn_at_once(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "AT_ONCE", at_once)
    assert drawn_sums([[1, 2, 4, 8]], 6, 1).tolist() == [[22.0, 18.0, 13.0, 14.0, 10.0, 28.0]]


def test_one_draw_at_a_time_where_a_draw_is_larger_than_a_block() -> None:
    """2**20 units are drawn at once: a draw is 8 MB of picks and 8 MB of what they pick."""
    column = np.ones(2**20 + 1)
    tracemalloc.start()
    try:
        sums = drawn_sums([column], 2)  # type: ignore[list-item]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sums.tolist() == [[2**20 + 1] * 2]
    assert peak < 24 << 20


@pytest.mark.parametrize(("columns", "sums"), [([], []), ([[]], [[0.0] * 3]), ([[], []], [[0.0] * 3] * 2)])  # fmt: skip
def test_without_units_all_sums_are_0(columns: list[list[float]], sums: list[list[float]]) -> None:
    drawn = drawn_sums(columns, 3)
    assert (drawn.shape, drawn.tolist()) == ((len(columns), 3), sums)


def test_sums_may_exceed_64_bits() -> None:
    assert drawn_sums([[2**62] * 4], 2).tolist() == [[2.0**64, 2.0**64]]


def test_quotients_without_a_denominator_are_not_a_number() -> None:
    over, under = np.array([1.0, 0.0, 3.0, -4.0] * 50), np.array([2.0, 0.0, 0.0, 1.0] * 50)
    ratios = quotients(over, under)
    assert ratios.dtype == float
    assert ratios.tolist() == pytest.approx([0.5, math.nan, math.nan, -4.0] * 50, nan_ok=True)


@pytest.mark.parametrize(
    ("over", "under", "value"),
    [
        ([1, 0, 2], [2, 1, 3], 0.5),
        ([0.1] * 10, [1.0] * 2, 0.5),
        ([0], [0.5], 0.0),
        ([0, 0], [0, 0], None),
        ([], [], None),
    ],
)
def test_a_ratio_of_sums(over: list[float], under: list[float], value: float | None) -> None:
    assert ratio_of((over, under)) == value


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_as_in_table_1_of_newcombe(count: int, n: int, low: float, high: float) -> None:
    """R. G. Newcombe (1998), Statistics in Medicine 17, 857-872; the last is the third turned around."""
    interval = wilson(count, n)
    assert (interval.value, interval.n) == (count / n, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)


def test_no_trials_have_no_interval() -> None:
    assert wilson(0, 0) == NONE


@pytest.mark.parametrize(
    ("share", "n", "low", "high"),
    [
        (2 / 3, 32 / 7, 0.2630554796, 0.9180725271),
        (0.5, 4.0, 0.1500389891, 0.8499610108),
        (0.0, 10.0, 0.0, 0.2775327998),
        (1.0, 10.0, 0.7224672002, 1.0),
    ],
)
def test_an_effective_size_need_not_be_whole(
    share: float, n: float, low: float, high: float
) -> None:
    assert wilson_bounds(share, n) == pytest.approx((low, high), abs=1e-9)


def test_rounding_takes_no_bound_beyond_0_or_1() -> None:
    """The upper bound of almost all of 242 trials comes to 1 + 2e-16."""
    low, high = wilson_bounds(1 - 116 * 2.0**-53, 242)
    assert high == 1.0 > low
    assert wilson_bounds(1e-17, 242)[0] >= 0.0


@given(share=st.floats(0, 1), n=st.floats(1, 10_000))
def test_a_share_lies_within_its_bounds(share: float, n: float) -> None:
    low, high = wilson_bounds(share, n)
    assert 0 <= low <= share <= high <= 1
    assert high - low > 0
    assert wilson_bounds(1 - share, n) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(
    ("both", "only_first", "only_second", "neither", "kappa"),
    [(20, 5, 10, 15, 0.4), (45, 15, 25, 15, 0.1304), (25, 35, 5, 35, 0.2593)],
)
def test_kappa_of_two_by_two_tables(
    both: int, only_first: int, only_second: int, neither: int, kappa: float
) -> None:
    """Usual examples: 50 proposals for grants, and two tables of 100 that agree as often."""
    pairs = [("y", "y")] * both + [("y", "n")] * only_first
    pairs += [("n", "y")] * only_second + [("n", "n")] * neither
    assert cohen_kappa(pairs) == pytest.approx(kappa, abs=5e-5)


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([], None),
        ([("a", "a")], None),
        ([("a", "a")] * 3, None),
        ([("a", "b")] * 3, 0.0),
        ([("a", "b"), ("b", "a")], -1.0),
        ([("a", "b"), ("c", "a")], -1 / 3),
        ([("a", "a"), ("b", "b"), ("c", "c")], 1.0),
    ],
)
def test_kappa_at_its_edges(pairs: list[tuple[str, str]], kappa: float | None) -> None:
    assert cohen_kappa(pairs) == (kappa if kappa is None else pytest.approx(kappa))


@given(pairs=PAIRS, data=st.data())
def test_kappa_is_symmetric_at_most_1_and_blind_to_order(
    pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    kappa = cohen_kappa(pairs)
    for same in ([(b, a) for a, b in pairs], data.draw(st.permutations(pairs))):
        assert cohen_kappa(same) == (kappa if kappa is None else pytest.approx(kappa))
    if kappa is not None:
        assert -1 <= kappa <= 1
        assert (kappa == pytest.approx(1)) == all(a == b for a, b in pairs)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (3, 3, 1.0),
        (0, 5, 1 / 16),
        (6, 0, 1 / 32),
        (1, 9, 22 / 1024),
        (9, 3, 598 / 4096),
    ],
)
def test_mcnemar_by_hand(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p, rel=1e-12)


@given(a=CELLS, b=CELLS)
def test_mcnemar_counts_the_tosses_of_a_coin(a: int, b: int) -> None:
    tosses = Fraction(2 * sum(comb(a + b, k) for k in range(min(a, b) + 1)), 2 ** (a + b))
    assert mcnemar(a, b) == mcnemar(b, a) == pytest.approx(float(min(1, tosses)), rel=1e-9)


@pytest.mark.parametrize(
    ("table", "p"),
    [
        ((3, 1, 1, 3), 17 / 70),
        ((4, 0, 0, 4), 1 / 70),
        ((1, 3, 3, 1), 69 / 70),
        ((10, 2, 3, 15), 0.000465180943),
        ((0, 5, 3, 9), 1.0),
        ((0, 0, 0, 0), 1.0),
    ],
)
def test_fisher_by_hand(table: tuple[int, int, int, int], p: float) -> None:
    """The first is the lady tasting tea; the fourth are Fisher's twins of criminals (1935)."""
    assert fisher(*table) == pytest.approx(p, rel=1e-8)


@given(a=CELLS, b=CELLS, c=CELLS, d=CELLS)
def test_fisher_counts_the_tables_of_the_same_margins(a: int, b: int, c: int, d: int) -> None:
    ways = [comb(a + b, k) * comb(c + d, a + c - k) for k in range(a, min(a + b, a + c) + 1)]
    p = Fraction(sum(ways), comb(a + b + c + d, a + c))
    assert fisher(a, b, c, d) == pytest.approx(float(p), rel=1e-9)


def test_discordant_pairs_by_hand() -> None:
    """9 only of the first, 3 only of the second, 5 of both, 2 of neither."""
    pairs = [(True, False)] * 9 + [(False, True)] * 3 + [(True, True)] * 5 + [(False, False)] * 2
    result = discordant(pairs)
    assert result == {
        "pairs": 19,
        "only_first": 9,
        "only_second": 3,
        "p": pytest.approx(598 / 4096),
    }
    assert discordant([]) == {"pairs": 0, "only_first": 0, "only_second": 0, "p": 1.0}
