"""Scores over counts: their values, seeded intervals and paired differences, by hand and by properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.scores import (
    Score,
    divide,
    ratio,
    ratio_differences,
    ratio_intervals,
    score_differences,
    score_intervals,
    score_values,
)
from arena.report.statistics import Interval

NONE = Interval(None, None, None, 0)
SCORES = {
    "kills": ratio("killed", "mutants", 100.0),
    "per suite": ratio("killed", "suites", rests_on="suites"),
    "lost": Score(lambda sums: 1 - divide(sums["killed"], sums["mutants"])),
}
COLUMNS = {"killed": [1.0, 0.0, 2.0, 3.0], "mutants": [2.0, 1.0, 2.0, 4.0], "suites": [1, 0, 1, 0]}


def test_a_score_is_of_sums() -> None:
    sums = {"killed": 6.0, "mutants": 9.0, "suites": 0}
    assert score_values(SCORES, sums) == {
        "kills": pytest.approx(200 / 3),
        "per suite": None,
        "lost": pytest.approx(1 / 3),
    }


def test_numbers_and_arrays_are_divided_alike() -> None:
    assert float(divide(1, 2)) == 0.5 and math.isnan(float(divide(1, 0)))
    assert divide(np.array([1.0, 2.0]), np.array([2.0, 0.0])).tolist() == [
        0.5,
        pytest.approx(math.nan, nan_ok=True),
    ]


def test_all_scores_share_the_draws() -> None:
    intervals = score_intervals(SCORES, COLUMNS, 40, 7)
    low, high = pytest.approx(42.2857142857), pytest.approx(87.5625)
    assert intervals["kills"] == Interval(pytest.approx(200 / 3), low, high, 4)
    assert intervals["lost"].low == pytest.approx(1 - 0.875625)
    assert intervals["per suite"].n == 2 and intervals["per suite"].value == 3.0


def test_one_unit_has_no_interval_and_none_no_score() -> None:
    one = {name: column[:1] for name, column in COLUMNS.items()}
    assert score_intervals(SCORES, one)["kills"] == Interval(50.0, None, None, 1)
    none = dict.fromkeys(COLUMNS, ())
    assert score_intervals(SCORES, none) == dict.fromkeys(SCORES, NONE)
    assert score_differences(SCORES, none, none) == dict.fromkeys(SCORES, NONE)


def test_a_difference_is_of_the_same_draws_of_units() -> None:
    more = {**COLUMNS, "killed": [2.0, 1.0, 2.0, 4.0]}
    found = score_differences(SCORES, COLUMNS, more, 40, 7)
    sides = [score_intervals(SCORES, side, 40, 7)["kills"] for side in (COLUMNS, more)]
    kills = found["kills"]
    assert kills.value == pytest.approx(100 / 3) and kills.n == 4
    assert (kills.low, kills.high) == (
        pytest.approx(100 - 87.5625),
        pytest.approx(100 - 42.2857142857),
    )
    assert sides[1].low == sides[1].high == 100.0
    assert score_differences(SCORES, COLUMNS, COLUMNS)["kills"] == Interval(0.0, 0.0, 0.0, 4)


def test_a_difference_rests_on_the_units_of_both_sides() -> None:
    side = {**COLUMNS, "suites": [1, 1, 0, 0]}
    assert score_differences(SCORES, COLUMNS, side)["per suite"] == Interval(0.0, None, None, 1)


def test_ratios_that_one_side_lacks_have_no_difference() -> None:
    assert list(ratio_differences(RATIOS, {"two units": RATIOS["two units"]})) == ["two units"]


def test_a_score_rests_on_all_units_unless_it_says_which() -> None:
    assert ratio("killed", "mutants").rests_on == ""


def test_a_score_that_one_side_lacks_has_no_difference() -> None:
    no_suite = {**COLUMNS, "suites": [0, 0, 0, 0]}
    for sides in ((COLUMNS, no_suite), (no_suite, COLUMNS)):
        assert score_differences(SCORES, *sides)["per suite"] == NONE


@pytest.mark.parametrize(("draws", "seed"), [(40, 7), (40, 8), (41, 7), (2_000, 7)])
def test_differences_of_ratios_are_those_of_their_scores(draws: int, seed: int) -> None:
    whole = [float(1 + unit % 3) for unit in range(12)]
    parts = [[float(unit % most) for unit in range(12)] for most in (5, 7)]
    before, after = ({"share": (part, whole)} for part in parts)
    columns = [{"part": part, "whole": whole} for part in parts]
    scores = {"share": ratio("part", "whole")}
    differences = score_differences(scores, *columns, draws, seed)
    assert ratio_differences(before, after, draws, seed) == differences
    assert differences != score_differences(scores, *columns)


RATIOS = {
    "four units": ([1.0, 0.0, 2.0, 3.0], [2.0, 1.0, 2.0, 4.0]),
    "two units": ([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 3.0]),
    "one unit": ([1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
    "no unit": ([0.0] * 4, [0.0] * 4),
}


def test_ratios_share_the_draws_of_a_seed() -> None:
    intervals = ratio_intervals(RATIOS, 40, 7)
    assert intervals == {
        "four units": Interval(2 / 3, pytest.approx(0.422857142857), pytest.approx(0.875625), 4),
        "two units": Interval(0.5, pytest.approx(1 / 3), 1.0, 2),
        "one unit": Interval(1.0, None, None, 1),
        "no unit": NONE,
    }
    assert list(intervals) == list(RATIOS)


def test_ratios_have_a_default_seed_and_number_of_draws() -> None:
    assert ratio_intervals(RATIOS) == ratio_intervals(RATIOS, 2_000, 20_260)
    assert ratio_intervals(RATIOS)["four units"] == Interval(2 / 3, pytest.approx(1 / 3), 0.875, 4)
    assert ratio_intervals({}) == {}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=12))
def test_a_ratio_lies_among_the_ratios_of_its_units(units: list[tuple[int, int]]) -> None:
    over, under = [float(a) for a, _ in units], [float(b) for _, b in units]
    interval = ratio_intervals({"x": (over, under)}, draws=50)["x"]
    least, largest = (f(a / b for a, b in units) for f in (min, max))
    assert interval.low is not None and interval.high is not None and interval.value is not None
    assert least - 1e-9 <= interval.low <= interval.high <= largest + 1e-9
    assert least - 1e-9 <= interval.value <= largest + 1e-9
