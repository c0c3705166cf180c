"""Scores: numbers worked out by hand, bounds that hold for any result, and comparisons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.text import natural
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.intervals import compare, intervals
from arena.tracks.mutation.metrics import (
    MutationMetrics,
    measure,
    measure_by_group,
    measure_by_operator,
    summary_json,
)
from arena.tracks.mutation.results import SampleResult
from tests.arena.mutation.stand_in import invalid, mutants, sample

# 10 mutants met by 3 valid of 5 suites: 7 killed, of which 3 semantic; 1 suite detects.
RESULT = (
    sample("a", "ssf-"),
    sample("b", "sico-", detects=False),
    invalid("c"),
    sample("d", "-", detects=False),
    invalid("e", insecure_fails=False),
)

LETTERS = st.text("sfico-", max_size=8)
SAMPLES = st.lists(
    st.one_of(
        st.builds(sample, st.sampled_from("abcdefgh"), LETTERS, detects=st.booleans()),
        st.builds(invalid, st.sampled_from("abcdefgh"), insecure_fails=st.booleans()),
    ),
    max_size=12,
)


def test_scores_by_hand() -> None:
    m = measure(RESULT)
    assert (m.ms, m.sms, m.spr, m.vd) == (70.0, 30.0, 60.0, 20.0)
    assert m.inflation == pytest.approx(7 / 3)
    assert m.eff_sms == pytest.approx(18.0)
    assert [m.kills[c] for c in Category] == [3, 1, 1, 1, 1]


def test_published_reference_row() -> None:
    """889 semantic, 60 incidental, 73 crash and 56 other kills of 1,869 give 57.7 and 47.6 (Tables 4, 5)."""
    kills = dict(zip(Category, (889, 0, 60, 73, 56), strict=True))
    m = MutationMetrics(suites=339, valid=339, detecting=339, mutants=1869, kills=kills)
    assert m.ms is not None and m.sms is not None and m.inflation is not None
    assert (round(m.ms, 1), round(m.sms, 1), round(m.inflation, 2)) == (57.7, 47.6, 1.21)
    assert m.eff_sms == m.sms and m.spr == m.vd == 100.0


def test_pooled_not_averaged_over_programs() -> None:
    m = measure([sample("a", "s"), sample("b", "---------")])
    assert m.sms == 10.0  # the mean of the programs' scores would be 50


def test_nothing_valid_is_no_score_but_an_effective_score_of_zero() -> None:
    m = measure([invalid("a"), invalid("b")])
    assert (m.ms, m.sms, m.inflation) == (None, None, None)
    assert (m.spr, m.eff_sms, m.vd) == (0.0, 0.0, 0.0)


def test_nothing_at_all_is_no_score() -> None:
    assert set(measure([]).scores.values()) == {None}


def test_faults_of_the_machine_take_no_part() -> None:
    fault = invalid("x", health="infra")
    assert summary_json(measure([*RESULT, fault])) == {**summary_json(measure(RESULT)), "infra": 1}


def test_groups() -> None:
    rows = [sample("a", "s", cwe="CWE-117", prompt="full"), sample("b", "i", cwe="CWE-20")]
    assert list(measure_by_group(rows, "cwe")) == ["CWE-20", "CWE-117"]
    assert measure_by_group(rows, "cwe")["CWE-117"].sms == 100.0
    assert measure_by_group(rows, "prompt")["full"].suites == 1
    operators = measure_by_operator([sample("a", "s-si")])
    assert (operators["RVALID"].sms, operators["PSQLI"].sms) == (100.0, 0.0)
    assert operators["PSQLI"].ms == 50.0


def test_natural_order_survives_odd_names() -> None:
    names = ["CWE-117", "", "easy", "CWE-20", "CWE-x", "CWE-²"]
    assert sorted(names, key=natural)[-1] == "easy"


@given(SAMPLES)
def test_bounds(samples: list[SampleResult]) -> None:
    m = measure(samples)
    for name in ("ms", "sms", "spr", "eff_sms", "vd"):
        value = m.scores[name]
        assert value is None or 0.0 <= value <= 100.0
    if m.sms is not None and m.ms is not None:
        assert m.sms <= m.ms
        assert m.eff_sms is not None and m.eff_sms <= m.sms + 1e-9
    assert m.inflation is None or m.inflation >= 1.0
    assert m.vd is None or (m.spr is not None and m.vd <= m.spr)


@given(SAMPLES, st.randoms(use_true_random=False))
def test_order_does_not_matter(samples: list[SampleResult], random: object) -> None:
    shuffled = list(samples)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert summary_json(measure(shuffled)) == summary_json(measure(samples))


@given(LETTERS, st.sampled_from("sfico"))
def test_another_killed_mutant_never_lowers_ms(letters: str, more: str) -> None:
    before = measure([sample("a", letters)]).ms or 0.0
    after = measure([sample("a", letters + more)]).ms
    assert after is not None and after >= before - 1e-9


@given(SAMPLES)
def test_intervals_hold_the_score_and_do_not_depend_on_order(samples: list[SampleResult]) -> None:
    found = intervals(samples, draws=60)
    assert found == intervals(list(reversed(samples)), draws=60)
    for bound in found.values():
        if bound.low is not None and bound.high is not None:
            assert bound.low <= bound.high


def test_interval_of_what_never_varies_is_a_point() -> None:
    bound = intervals([sample(f"p{n}", "s-") for n in range(20)], draws=100)["sms"]
    assert (bound.value, bound.low, bound.high, bound.n) == (50.0, 50.0, 50.0, 20)


def test_interval_draws_programs_and_not_mutants() -> None:
    """Two programs of 50 mutants each: a draw has one twice or both, so SMS is 0, 50 or 100."""
    bound = intervals([sample("a", "s" * 50), sample("b", "-" * 50)], draws=400)["sms"]
    assert (bound.low, bound.high) == (0.0, 100.0)


def test_compare_of_a_result_with_itself_is_nothing() -> None:
    found = compare(RESULT, RESULT, draws=50)
    assert all(d.value in (0.0, None) for d in found.differences.values())
    assert all(d.low == d.high == 0.0 for d in found.differences.values() if d.low is not None)
    assert found.mcnemar["vd"] == {"pairs": 5, "only_first": 0, "only_second": 0, "p": 1.0}


def test_compare_by_hand() -> None:
    """Six programs that only the second detects: exact p = 2 * (1/2)^6 = 1/32."""
    first = [sample(f"p{n}", "--", detects=False) for n in range(6)] + [sample("only", "s")]
    second = [sample(f"p{n}", "s-") for n in range(6)]
    found = compare(first, second, draws=100)
    assert (found.n, found.only_first, found.only_second) == (6, 1, 0)
    sms = found.differences["sms"]
    assert (sms.value, sms.low, sms.high) == (50.0, 50.0, 50.0)
    assert found.mcnemar["vd"]["p"] == pytest.approx(1 / 32)


def test_compare_without_a_common_program_tells_nothing() -> None:
    found = compare([sample("a")], [sample("b")])
    assert (found.n, found.only_first, found.only_second) == (0, 1, 1)
    assert all(one.value is None for one in found.differences.values())


def test_pairs_are_of_the_same_prompt_where_there_are_several() -> None:
    reference = [sample("a"), sample("b")]
    full = [sample("a", prompt="full", detects=False), sample("b", prompt="full")]
    assert compare(reference, full, draws=20).mcnemar["vd"]["pairs"] == 2
    assert compare(reference, full, draws=20).mcnemar["vd"]["only_first"] == 1
    both = [*full, sample("a", prompt="no-hint")]
    assert compare(reference, both, draws=20).mcnemar["vd"]["pairs"] == 0
    assert compare(full, both, draws=20).mcnemar["vd"]["pairs"] == 2


def test_several_models_of_a_side_are_paired_one_by_one() -> None:
    one = [sample("a", model="x"), sample("a", model="y", detects=False)]
    other = [sample("a", model="x"), sample("a", model="y")]
    assert compare(one, other, draws=20).mcnemar["vd"]["pairs"] == 2


def test_a_killed_mutant_needs_a_category() -> None:
    from arena.tracks.mutation.results import MutantResult

    with pytest.raises(ValueError, match="category"):
        MutantResult(id="m", operator="PSQLI", killed=True)
    assert mutants("-")[0].category is None
