"""Intervals of rates, the summary of the contract, and paired comparisons."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.scores import ratio_intervals
from arena.report.statistics import Interval, bounds, wilson
from arena.tracks.dual.intervals import binomial, compare, intervals, scores_json, summary_json
from arena.tracks.dual.metrics import measure
from arena.tracks.dual.results import SampleResult
from tests.arena.dual.scored import results, row

MIXED = [*(row(f"t{n:02}", "0", "p" if n % 3 else "f", "pf"[n % 2] + "p") for n in range(30))]


def test_intervals_hold_the_rate_and_are_repeated() -> None:
    metrics = measure(MIXED)
    found = intervals(metrics)
    assert found == intervals(metrics)
    assert found["pass@1"].value == pytest.approx(2 / 3) and found["pass@1"].n == 30
    for name, one in found.items():
        assert one.value is not None and one.low is not None and one.high is not None
        assert one.low <= one.value <= one.high, name
    # The standard error of 20 of 30 tasks is 0.086: the interval is about 4 of these wide.
    assert found["pass@1"].high - found["pass@1"].low == pytest.approx(0.34, abs=0.05)  # type: ignore[operator]


def test_other_seeds_move_bounds_a_little() -> None:
    one, other = (intervals(measure(MIXED), draws=200, seed=seed) for seed in (1, 2))
    assert one != other
    for name, found in one.items():
        assert found.value == other[name].value
        assert found.low == pytest.approx(other[name].low, abs=0.05)


@given(st.integers(0, 300), st.integers(0, 300))
def test_wilson_is_scipy_s_where_trials_are_whole(count: int, more: int) -> None:
    import scipy.stats  # type: ignore[import-untyped]  # seconds: not where the tests are collected

    n = count + more
    if n:
        found, theirs = (
            wilson(count, n),
            scipy.stats.binomtest(count, n).proportion_ci(method="wilson"),
        )
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_bounds_lie_between_ranks_and_leave_out_what_is_undefined() -> None:
    assert bounds([math.nan, *range(41)]) == pytest.approx((1.0, 39.0))
    assert bounds([0.0, 1.0]) == pytest.approx((0.025, 0.975))
    assert bounds([]) == bounds([math.nan]) == (None, None)


def test_a_bootstrap_comes_to_scipy_s() -> None:
    import scipy.stats  # type: ignore[import-untyped]

    over, under = [3.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0], [3.0, 3.0, 2.0, 3.0, 2.0, 1.0, 3.0]
    found = ratio_intervals({"r": (over, under)}, draws=20_000)["r"]
    theirs = scipy.stats.bootstrap(
        (over, under),
        lambda a, b, axis: a.sum(axis) / b.sum(axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=1,
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_ratios_of_any_columns_are_defined_or_none(parts: list[tuple[int, int]]) -> None:
    ratio = ([float(a) for a, _ in parts], [float(a + b) for a, b in parts])
    found = ratio_intervals({"r": ratio}, draws=20)["r"]
    whole = sum(ratio[1])
    assert found.value == (sum(ratio[0]) / whole if whole else None)
    assert found.n == sum(part > 0 for part in ratio[1])
    assert (found.low is None) == (found.n < 2)


def test_wilson_only_where_each_task_is_one_trial() -> None:
    assert binomial(measure(MIXED))["pass@1"] == wilson(20, 30)
    assert binomial(measure([row("a", n, "p", "p") for n in "01"])) == {}


def test_the_summary_has_the_contract_s_fields() -> None:
    found = scores_json(MIXED)
    summary = found["summary"]
    assert {"pass@1", "secure@1", "secure-pass@1", "pr", "spr", "n"} <= summary.keys()
    assert summary["n"] == 30 == summary["tasks"] and summary["states"] == {"usable": 30}
    assert summary["pass@1"] == pytest.approx(2 / 3)
    assert "pass@5" not in summary and summary["k"] == 1
    assert set(found["by"]) == {"language", "domain", "level", "state", "cwe"}
    assert found["by"]["language"]["python"]["intervals"]["spr"]["n"] == 30
    json.dumps(found, allow_nan=False)


def test_rates_at_k_are_told_where_the_samples_allow() -> None:
    rows = [row("a", str(n), "p" if n == 0 else "f", "p") for n in range(5)]
    summary = summary_json(measure(rows))
    assert summary["pass@5"] == 1.0 and "pass@10" not in summary
    assert summary_json(measure(rows), (2,))["pass@2"] == 0.4


@pytest.mark.slow
@given(results(kinds="pfe-"), results(kinds="pfe-"))
def test_comparison_is_antisymmetric(one: list[SampleResult], other: list[SampleResult]) -> None:
    try:
        there = compare(one, other, draws=40)
    except ValueError:
        with pytest.raises(ValueError, match="no task in common"):
            compare(other, one, draws=40)
        return
    back = compare(other, one, draws=40)
    assert (there.only_first, there.unequal) == (back.only_second, back.unequal)
    for name, found in there.differences.items():
        turned = back.differences[name]
        assert found.n == turned.n
        for a, b in (
            (found.value, turned.value),
            (found.low, turned.high),
            (found.high, turned.low),
        ):
            assert (a is None) == (b is None)
            assert a is None or b is None or math.isclose(a, -b, abs_tol=1e-9)
    for kind, test in there.mcnemar.items():
        assert test["only_first"] == back.mcnemar[kind]["only_second"]
        assert test["p"] == back.mcnemar[kind]["p"]


def test_comparison_by_hand() -> None:
    first = [*(row(str(n), "x", "f", "p") for n in range(8)), row("only", "x", "p", "p")]
    second = [*(row(str(n), "y", "p", "p") for n in range(8)), row("else", "y", "p", "p")]
    found = compare(first, second)
    assert (len(found.tasks), found.only_first, found.only_second) == (8, ("only",), ("else",))
    assert found.differences["pass@1"] == Interval(1.0, 1.0, 1.0, 8)
    assert found.rates["pass@1"] == (0.0, 1.0)
    assert found.differences["secure@1"].value == 0.0
    assert found.mcnemar["pass"] == {"pairs": 8, "only_first": 0, "only_second": 8, "p": 2 / 2**8}
    assert found.mcnemar["secure"]["p"] == 1.0


def test_tasks_whose_tests_differ_and_faults_take_no_part() -> None:
    first = [row("a", "0", "p", "p"), row("b", "0", "p", "p"), row("c", "0", "p", "p")]
    second = [
        row("a", "0", "p", "p"),
        row("b", "0", "pp", "p"),
        row("c", "0", "e", "e", health="infra"),
    ]
    found = compare(first, second, draws=20)
    assert (found.tasks, found.unequal, found.undecided) == (("a",), ("b",), ("c",))


def test_a_test_judged_in_one_counts_for_both() -> None:
    first, second = [row("a", "0", "p", "p-")], [row("a", "0", "p", "pp")]
    found = compare(first, second, draws=20)
    assert found.judged_on_single_side == ("a/s1",)
    assert found.rates["secure@1"] == (0.0, 1.0) and found.rates["spr"] == (0.5, 1.0)


def test_samples_of_the_same_name_are_paired() -> None:
    first = [row("a", "0", "p", "p"), row("a", "1", "f", "p")]
    second = [row("a", "1", "p", "p"), row("a", "2", "f", "p")]
    assert compare(first, second, draws=20).mcnemar["pass"]["pairs"] == 1
