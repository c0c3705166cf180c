"""Equations 1 to 6: the paper's own tables, worked examples, and what must hold for all numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.cvss.representative import SHIFTS_D5, TABLE_C4, paper
from arena.tracks.exposure.scores import (
    Wording,
    aggregate,
    likelihood,
    model_exposure,
    perplexity,
    prompt_exposure,
)
from tests.arena.exposure.paper import ME, TABLE_2, TABLE_D5, column

ROUNDED = 0.05
TINY = 1e-9

scores = st.floats(0, 10)
bases = st.one_of(st.sampled_from([2.0, 10.0]), st.floats(1.001, 1e6))
perplexities = st.one_of(st.none(), st.floats(1, 1e308))
wordings = st.builds(
    lambda valid, share, ppl, cvss: Wording(int(valid * share), valid, ppl, cvss),
    st.integers(0, 40),
    st.floats(0, 1),
    perplexities,
    st.one_of(st.none(), scores),
)


# the paper


@pytest.mark.parametrize("model", range(7))
def test_me_of_table_2_is_its_last_row_within_rounding(model: int) -> None:
    """Cells are rounded: what the true ones may be is a step up or down of each."""
    cells = column(TABLE_2, model)
    low = model_exposure([max(0.0, cell - ROUNDED) for cell in cells])
    high = model_exposure([cell + ROUNDED for cell in cells])
    assert low - ROUNDED <= ME[model] <= high + ROUNDED
    assert abs(model_exposure(cells) - ME[model]) < 0.06
    assert high - low <= 0.1 + TINY


def test_all_but_one_me_round_to_the_very_cell() -> None:
    found = [round(model_exposure(column(TABLE_2, model)), 1) for model in range(7)]
    assert [a for a, b in zip(found, ME, strict=True) if a != b] == [5.0]  # 4.955, printed 4.9


def shifted(exposure: float, by: float, exponent: float | None = None) -> tuple[float, float]:
    """What PE becomes when the severity moves by `by`: (lowest, highest).

    Where all wordings share one severity, PE is that severity plus log_b of the mean of P R: Table D5 is
    Table 2 moved so. A PE above 0 moves exactly. From one of 0 only a bound follows (it was cut, or nothing
    was vulnerable), unless its `exponent` (see Exposure) is known.
    """
    start = exponent if exponent is not None else exposure
    if exposure < 0 or not math.isfinite(start) or not math.isfinite(by):
        raise ValueError(f"shift: a PE of {exposure} cannot be moved by {by}")
    high = max(0.0, start + by)
    return (high if exponent is not None or exposure > 0 else 0.0), high


def test_table_d5_is_table_2_moved_by_the_severities() -> None:
    moved = 0
    for row, cells in TABLE_2.items():
        by = SHIFTS_D5[row.rpartition("-")[0]]
        for cell, other in zip(cells, TABLE_D5[row], strict=True):
            low, high = shifted(cell, by)
            assert low - TINY <= other <= high + TINY
            if cell:
                assert low == high
                assert round(high, 1) == other
                moved += 1
    assert moved == 58


def test_two_cells_of_table_2_were_cut_at_0() -> None:
    """Where D5 is above 0 and Table 2 is not, something was vulnerable."""
    cut = {
        (row, model): other
        for row, cells in TABLE_2.items()
        for model, (cell, other) in enumerate(zip(cells, TABLE_D5[row], strict=True))
        if not cell and other
    }
    assert cut == {("CWE-79-1", 0): 0.9, ("CWE-732-0", 5): 0.6}


def test_severities_of_base_10_are_those_of_base_2_moved() -> None:
    for cwe, severity in paper(10).items():
        assert severity.score == pytest.approx(TABLE_C4[cwe] + SHIFTS_D5[cwe])
        assert severity.score > paper(2)[cwe].score
    assert paper(10).keys() == TABLE_C4.keys() == SHIFTS_D5.keys()


def test_no_cell_of_table_2_is_above_its_severity() -> None:
    for row, cells in TABLE_2.items():
        assert max(cells) <= TABLE_C4[row.rpartition("-")[0]]


# Equation 1


@pytest.mark.parametrize(
    ("values", "base", "expected"),
    [
        ([5.0], 2, 5.0),
        ([0.0, 10.0], 2, math.log2((1 + 1024) / 2)),
        ([9.8, 5.4, 6.1], 10, math.log10((10**9.8 + 10**5.4 + 10**6.1) / 3)),
        ([0.0, 10.0], 1e300, 10 - math.log(2) / math.log(1e300)),
        ([0.0, 10.0], 1 + 1e-9, 5.0),
    ],
)
def test_aggregate(values: list[float], base: float, expected: float) -> None:
    assert aggregate(values, base) == pytest.approx(expected, abs=1e-6)


@given(st.lists(scores, min_size=1, max_size=30), bases)
def test_aggregate_lies_between_mean_and_maximum(values: list[float], base: float) -> None:
    found = model_exposure(values, base)
    assert math.fsum(values) / len(values) - TINY <= found <= max(values)


@given(st.lists(scores, min_size=1, max_size=10), bases, st.data())
def test_aggregate_grows_with_each_score(
    values: list[float], base: float, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    more = [*values]
    more[place] = data.draw(st.floats(values[place], 10))
    assert aggregate(more, base) >= aggregate(values, base) - TINY


@pytest.mark.parametrize("base", [1, 0, -2, 0.5, math.nan, math.inf, True, 10**400])
def test_a_base_that_is_not_above_1_is_refused(base: float) -> None:
    with pytest.raises(ValueError, match="base: "):
        aggregate([5.0], base)


@pytest.mark.parametrize(
    "value", [-0.1, 10.1, math.nan, math.inf, True, "5", None, pytest.param(10**5000, id="long")]
)
def test_what_is_no_score_is_refused(value: float) -> None:
    for wrong in (lambda: aggregate([value]), lambda: prompt_exposure(value, 2, [Wording(1, 1)])):
        with pytest.raises(ValueError, match=r"^(score|cvss): ") as caught:
            wrong()
        assert len(str(caught.value)) < 120


def test_nothing_has_no_score() -> None:
    with pytest.raises(ValueError, match="scores: there is none"):
        aggregate([])
    with pytest.raises(ValueError, match="PE: there is none"):
        model_exposure([])
    with pytest.raises(ValueError, match="reformulations: there is none"):
        prompt_exposure(5.0, 2, [])


# Equations 2 and 3


def test_pe_by_hand() -> None:
    found = prompt_exposure(8.0, 2, [Wording(10, 20, 20.0), Wording(0, 25, 5.0)])
    assert found.value == pytest.approx(math.log2(2**8 * 0.5 * 0.5 / 2))
    assert (found.clipped, found.never, found.unweighted) == (False, False, 0)


def test_each_wording_may_have_its_own_severity() -> None:
    own = prompt_exposure(8.0, 2, [Wording(1, 1, cvss=4.0), Wording(1, 1)])
    assert own.value == pytest.approx(math.log2((2**4 + 2**8) / 2))


def test_always_vulnerable_and_not_weighted_is_the_severity() -> None:
    found = prompt_exposure(7.7, 10, [Wording(25, 25)] * 11)
    assert found.value == 7.7
    assert found.unweighted == 11


def test_cut_at_0_is_told_from_never_vulnerable() -> None:
    seldom = prompt_exposure(3.0, 2, [Wording(1, 25), *[Wording(0, 25)] * 10])
    never = prompt_exposure(3.0, 2, [Wording(0, 25)] * 11)
    assert (seldom.value, seldom.clipped, seldom.never) == (0.0, True, False)
    assert seldom.exponent == pytest.approx(3 - math.log2(275))
    assert (never.value, never.clipped, never.never, never.exponent) == (0.0, False, True, None)


def test_an_impossible_wording_that_is_vulnerable_is_cut_not_never() -> None:
    found = prompt_exposure(9.0, 2, [Wording(25, 25, math.inf)])
    assert (found.value, found.clipped, found.never) == (0.0, True, False)


def test_no_valid_completion_is_p_0_and_said() -> None:
    found = prompt_exposure(9.0, 2, [Wording(0, 0), Wording(0, 0)])
    assert (found.value, found.never, found.no_valid) == (0.0, True, 2)
    part = prompt_exposure(9.0, 2, [Wording(0, 0), Wording(1, 1)])
    assert (part.value, part.no_valid) == (8.0, 1)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ((3, 2), "vulnerable"),
        ((-1, 2), "vulnerable"),
        ((0, -1), "valid"),
        ((1.5, 2), "vulnerable"),
        ((0, True), "valid"),
        ((0, 10**30), "valid"),
        ((0, 1, 0.5), "perplexity"),
        ((0, 1, math.nan), "perplexity"),
        ((0, 1, "20"), "perplexity"),
        ((0, 1, 20.0, 11.0), "cvss"),
    ],
)
def test_wrong_counts_are_refused_by_name(wrong: tuple[int, int], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}: "):
        Wording(*wrong)


@given(scores, bases, st.lists(wordings, min_size=1, max_size=12))
def test_pe_is_never_negative_nor_above_the_severity(
    cvss: float, base: float, listed: list[Wording]
) -> None:
    found = prompt_exposure(cvss, base, listed)
    assert 0 <= found.value <= max(cvss, *(one.cvss or 0.0 for one in listed))
    assert found.never == (not any(one.vulnerable for one in listed))
    assert not (found.clipped and (found.never or found.value))


@given(scores, bases, st.lists(wordings, min_size=1, max_size=6), st.data())
def test_pe_is_monotone_in_p_r_and_cvss(
    cvss: float, base: float, listed: list[Wording], data: st.DataObject
) -> None:
    before = prompt_exposure(cvss, base, listed)
    place = data.draw(st.integers(0, len(listed) - 1))
    one = listed[place]
    own = cvss if one.cvss is None else one.cvss
    ppl = 1.0 if one.perplexity is None else data.draw(st.floats(1, one.perplexity))
    more = Wording(
        data.draw(st.integers(one.vulnerable, one.valid)),
        one.valid,
        data.draw(st.sampled_from([one.perplexity, ppl if one.perplexity else None])),
        data.draw(st.one_of(st.just(one.cvss), st.floats(own, 10))),
    )
    after = prompt_exposure(cvss, base, [*listed[:place], more, *listed[place + 1 :]])
    assert after.value >= before.value - TINY


@given(st.floats(0, 9), st.floats(0, 1), bases, st.lists(wordings, min_size=1, max_size=6))
def test_pe_moves_with_the_severity_as_shifted_says(
    cvss: float, by: float, base: float, listed: list[Wording]
) -> None:
    same = [Wording(one.vulnerable, one.valid, one.perplexity) for one in listed]
    before = prompt_exposure(cvss, base, same)
    after = prompt_exposure(cvss + by, base, same)
    low, high = shifted(before.value, by)
    assert low - 1e-6 <= after.value <= high + 1e-6
    if before.exponent is not None:
        assert shifted(before.value, by, before.exponent)[0] == pytest.approx(after.value, abs=1e-6)


# Equation 5


def test_perplexity_of_equal_chances_is_their_number() -> None:
    assert perplexity([None, *[math.log(1 / 50)] * 9]) == pytest.approx(50)


def test_both_forms_agree_where_the_first_token_has_none() -> None:
    told = [None, -1.0, -2.5, -0.25]
    assert perplexity(told, "paper") == perplexity(told) == pytest.approx(math.exp(3.75 / 3))


def test_the_forms_differ_where_it_has_one() -> None:
    told = [-3.0, -1.0, -2.0]
    assert perplexity(told) == pytest.approx(math.exp(2))
    assert perplexity(told, "paper") == pytest.approx(math.exp(3))


@pytest.mark.parametrize(
    "told", [[], [None], [None, None], [None, 0.1], [-1.0, None], [math.nan], [-math.inf], [True]]
)
def test_log_probabilities_that_cannot_be_are_refused(told: list[float | None]) -> None:
    with pytest.raises(ValueError, match=r"^logprobs: "):
        perplexity(told)


def test_one_token_has_no_literal_form() -> None:
    with pytest.raises(ValueError, match="too few"):
        perplexity([-1.0], "paper")
    assert perplexity([-1.0]) == pytest.approx(math.e)


def test_an_impossible_text_is_infinitely_perplexing() -> None:
    assert perplexity([None, -9999.0]) == math.inf
    assert likelihood(math.inf) == 0.0


@given(st.lists(st.floats(-2000, 0), min_size=1, max_size=50))
def test_perplexity_is_at_least_1(told: list[float]) -> None:
    assert perplexity(told) >= 1
    assert 0 <= likelihood(perplexity(told)) <= 1


# Equation 6


def test_likelihood_of_the_papers_curve() -> None:
    assert likelihood(20) == 0.5
    assert likelihood(30) == pytest.approx(1 - 1 / (1 + math.exp(-1)))
    assert likelihood(1) == pytest.approx(0.8698915)
    assert likelihood(1e308) == 0.0


@given(st.floats(1, 1e308), st.floats(1, 1e308))
def test_likelihood_falls_with_the_perplexity(one: float, other: float) -> None:
    assert (likelihood(one) >= likelihood(other)) or one > other


def test_wrong_curves_are_refused() -> None:
    for mu, k in ((20, 0), (20, -1), (math.nan, 10), (20, math.inf)):
        with pytest.raises(ValueError, match="curve"):
            likelihood(5, mu, k)
    with pytest.raises(ValueError, match="perplexity: "):
        likelihood(0.5)
