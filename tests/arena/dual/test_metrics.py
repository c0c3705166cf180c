"""Rates: numbers worked out by hand, the estimators against enumeration, and a denominator that stays."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.passk import estimate_pass_at_k
from arena.tracks.dual.metrics import (
    KINDS,
    MissingAs,
    counted_tests,
    cwes_of,
    measure,
    measure_by_group,
    states,
)
from arena.tracks.dual.results import SampleResult, State
from tests.arena.dual.scored import results, row


def rate(found: list[SampleResult], name: str, way: MissingAs = MissingAs.POINT) -> float | None:
    return measure(found).rate(name, way)


@given(
    st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))
)
def test_at_k_is_the_share_of_choices_that_hold_a_good_one(case: tuple[int, int, int]) -> None:
    n, c, k = case
    chosen = list(itertools.combinations(range(n), k))
    share = Fraction(sum(any(one < c for one in choice) for choice in chosen), len(chosen))
    assert estimate_pass_at_k(n, c, k) == float(share)


@given(st.integers(1, 40), st.data())
def test_at_k_grows_with_good_ones_and_with_k(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    here = estimate_pass_at_k(n, c, k)
    assert here is not None and 0 <= here <= 1
    if c < n:
        assert (more := estimate_pass_at_k(n, c + 1, k)) is not None and more >= here
    if k < n:
        assert (wider := estimate_pass_at_k(n, c, k + 1)) is not None and wider >= here


@pytest.mark.parametrize("k", [0, -1, 4])
def test_at_k_is_not_defined_for_more_than_there_are(k: int) -> None:
    assert estimate_pass_at_k(3, 1, k) is None


def test_rates_by_hand() -> None:
    """Task a: 1 of 2 correct, that one secure too. Task b: 2 correct, none secure."""
    found = [
        row("a", "0", "pp", "pp"), row("a", "1", "pf", "pp"),
        row("b", "0", "p", "pf"), row("b", "1", "p", "fe"),
    ]  # fmt: skip
    assert rate(found, "pass@1") == 0.75
    assert rate(found, "secure@1") == 0.5
    assert rate(found, "secure-pass@1") == 0.25
    assert (rate(found, "pass@2"), rate(found, "secure-pass@2")) == (1.0, 0.5)
    assert rate(found, "pr") == 5 / 6 and rate(found, "spr") == 5 / 8
    assert rate(found, "pass@3") is None


def test_a_sample_that_is_missing_is_a_failure() -> None:
    whole = [row("a", "0", "p", "p"), row("a", "1", "f", "f")]
    half = [whole[0], SampleResult(task="a", sample="1", state=State.MISSING)]
    for name in ("pass@1", "secure-pass@1", "pr", "spr", "pass@2"):
        assert rate(half, name) == rate(whole, name), name
    assert measure(half).n == 2 and states(half) == {"usable": 1, "missing": 1}


def test_missing_samples_without_tests_still_fail() -> None:
    nothing = SampleResult(task="b", sample="0", state=State.MISSING)
    found = [row("a", "0", "p", "p"), nothing]
    assert rate(found, "pass@1") == 0.5 and rate(found, "secure-pass@1") == 0.5
    assert rate(found, "pr") == 1.0


def test_a_test_judged_somewhere_counts_everywhere() -> None:
    """What is `na` here and judged there is no pass here; what no sample can judge counts for none."""
    found = [row("a", "0", "pp", "p-"), row("a", "1", "p-", "p-")]
    assert {name for _, name in counted_tests(found)} == {"f0", "f1", "s0"}
    assert rate(found, "pr") == 0.75 and rate(found, "pass@1") == 0.5
    assert rate(found, "spr") == 1.0 and rate(found, "secure@1") == 1.0


def test_an_error_of_an_unusable_sample_brings_no_test_in_that_none_can_judge() -> None:
    found = [row("a", "0", "p", "p-"), row("a", "1", "e", "ee", state="syntax-error")]
    assert {name for _, name in counted_tests(found)} == {"f0", "s0"}
    assert rate(found, "spr") == 0.5


def test_a_task_without_a_kind_of_tests_takes_no_part_in_its_rates() -> None:
    found = [row("a", "0", "p", "p"), row("b", "0", "p", "--")]
    assert rate(found, "secure-pass@1") == 1.0 and rate(found, "pass@1") == 1.0
    parts = {name: measure(found).ratio(name) for name in ("pass@1", "secure@1", "secure-pass@1")}
    assert [sum(part[1]) for part in parts.values() if part] == [2, 1, 1]
    assert rate([row("b", "0", "p", "--")], "secure@1") is None


def test_a_fault_of_the_machine_leaves_a_rate_open() -> None:
    found = [
        row("a", "0", "p", "p"),
        row("a", "1", "f", "f"),
        row("a", "2", "e", "e", health="infra"),
    ]
    assert [rate(found, "pass@1", way) for way in MissingAs] == [0.5, 1 / 3, 2 / 3]
    assert [rate(found, "spr", way) for way in MissingAs] == [0.5, 1 / 3, 2 / 3]
    assert rate(found, "pass@3") is None and rate(found, "pass@3", MissingAs.LOW) == 1.0
    assert measure(found).infra == 1 and measure(found).n == 3


def test_a_task_with_faults_only_is_left_out_and_fully_open() -> None:
    found = [row("a", "0", "p", "p"), row("b", "0", "e", "e", health="infra")]
    assert [rate(found, "pass@1", way) for way in MissingAs] == [1.0, 0.5, 1.0]


@given(results(kinds="pfe-"))
def test_bounds_hold_the_rate(found: list[SampleResult]) -> None:
    metrics = measure(found)
    for name in metrics.names((1, 2, 3)):
        low, point, high = (
            metrics.rate(name, way) for way in (MissingAs.LOW, MissingAs.POINT, MissingAs.HIGH)
        )
        if point is not None:
            assert low is not None and high is not None
            assert low - 1e-12 <= point <= high + 1e-12, name


@given(results())
def test_secure_pass_is_never_above_pass_nor_secure(found: list[SampleResult]) -> None:
    metrics = measure(found)
    for k in range(1, metrics.k + 1):
        values = [metrics.rate(f"{kind}@{k}") for kind in KINDS]
        if None not in values:
            passed, secure, both = (value or 0.0 for value in values)
            assert both <= min(passed, secure) + 1e-12


@given(results(infra=False), st.sampled_from("fe"))
def test_more_failures_lower_the_pass_rate(found: list[SampleResult], letter: str) -> None:
    """One more failing functional test in each sample: PR falls (or stays 0), SPR does not move."""
    worse = []
    for sample in found:
        failed = row(sample.task, sample.sample, letter, "").tests[0]
        more = failed.model_copy(update={"id": "one-more"})
        worse.append(sample.model_copy(update={"tests": (*sample.tests, more)}))
    before, after = rate(found, "pr"), rate(worse, "pr")
    assert before is not None and after is not None
    assert after < before or before == after == 0
    assert rate(worse, "spr") == rate(found, "spr")


@pytest.mark.slow
@given(results(kinds="pfe-"), st.randoms())
def test_the_order_of_a_file_moves_nothing(found: list[SampleResult], random: object) -> None:
    rows = list(found)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert measure(rows) == measure(found)


def test_groups_take_their_own_samples_and_tests() -> None:
    found = [
        row("a", "py", "p", "p", domain="files", level="function", cwe="CWE-022"),
        row("a", "js", "p", "f", domain="files", language="javascript", cwe="CWE-022"),
        row("b", "py", "f", "pp", domain="web", level="program", cwe="CWE-79, CWE-22"),
        SampleResult(task="b", sample="js", state=State.MISSING, language="python"),
    ]
    languages = measure_by_group(found, "language")
    assert languages["javascript"].rate("spr") == 0.0 and languages["javascript"].n == 1
    assert languages["python"].n == 3
    domains = measure_by_group(found, "domain")
    assert (domains["files"].rate("pass@1"), domains["web"].rate("pass@1")) == (1.0, 0.0)
    assert set(measure_by_group(found, "level")) == {"function", "program"}
    cwes = measure_by_group(found, "cwe")
    assert list(cwes) == ["CWE-22", "CWE-79"]
    assert len(cwes["CWE-22"].tasks) == 2 and cwes["CWE-22"].rate("spr") == 3 / 6
    assert cwes["CWE-79"].rate("spr") == 0.5
    assert (cwes["CWE-22"].rate("pass@1"), cwes["CWE-79"].rate("pass@1")) == (0.5, 0.0)
    assert cwes["CWE-22"].rate("secure-pass@1") == 0.25
    assert set(measure_by_group(found, "state")) == {"usable", "missing"}


def test_samples_without_facts_take_those_of_their_task() -> None:
    found = [row("a", "0", "p", "p", level="program"), row("a", "1", "", "", language="")]
    assert {name: m.n for name, m in measure_by_group(found, "language").items()} == {"python": 2}
    assert {name: m.n for name, m in measure_by_group(found, "level").items()} == {"program": 2}


def test_a_task_of_which_nothing_is_known_leaves_rates_over_tests_wholly_open() -> None:
    lost = SampleResult(task="b", sample="0", health="infra")
    found = [row("a", "0", "pf", "p"), lost]
    assert [rate(found, "pr", way) for way in MissingAs] == [0.5, 0.0, 1.0]
    assert [rate(found, "pass@1", way) for way in MissingAs] == [0.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("text", "cwes"),
    [
        ("CWE-020", ("CWE-20",)),
        ("cwe 79/CWE_89", ("CWE-79", "CWE-89")),
        ("N/A", ("none",)),
        ("", ("none",)),
        ("CWE-0", ("none",)),
        ("CWE-12345678", ("none",)),
    ],
)
def test_cwes_have_one_spelling(text: str, cwes: tuple[str, ...]) -> None:
    assert cwes_of(text) == cwes
