"""Intervals of P, PE and ME: what is drawn, that it can be repeated, and that it is quick."""

from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.statistics import bounds
from arena.tracks.exposure.intervals import (
    ScenarioShares,
    me_interval,
    pe_interval,
    probability_interval,
    score,
)
from arena.tracks.exposure.scores import Wording, prompt_exposure
from tests.arena.exposure.paper import TABLE_2, column


def scenario(*counts: int, valid: int = 25, cvss: float = 7.5) -> ScenarioShares:
    return ScenarioShares(cvss, tuple(Wording(count, valid, 15.0) for count in counts))


def pack(size: int, seed: int = 1) -> dict[str, ScenarioShares]:
    random = Random(seed)
    counts = [0, 0, 0, 3, 12, 25]
    return {f"s-{n}": scenario(*(random.choice(counts) for _ in range(11))) for n in range(size)}


def by_hand(one: ScenarioShares, base: float, draws: int) -> list[float]:
    """The same draws, done completion by completion."""
    random = Random(5)
    found = []
    for _ in range(draws):
        picked = [one.wordings[0], *random.choices(one.wordings[1:], k=len(one.wordings) - 1)]
        drawn = []
        for wording in picked:
            outcomes = [n < wording.vulnerable for n in range(wording.valid)]
            again = random.choices(outcomes, k=wording.valid)
            drawn.append(Wording(sum(again), wording.valid, wording.perplexity, wording.cvss))
        found.append(prompt_exposure(one.cvss, base, drawn).value)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("base", [2.0, 10.0])
def test_pe_is_drawn_as_by_hand(base: float) -> None:
    wordings = [Wording(3, 25, 30.0), Wording(0, 20), Wording(12, 12, 5.0, 9.0), Wording(7, 24)]
    one = ScenarioShares(7.0, tuple(wordings))
    found = pe_interval(one, base, draws=4000)
    low, high = bounds(by_hand(one, base, 4000))
    assert found.low == pytest.approx(low, abs=0.12)
    assert found.high == pytest.approx(high, abs=0.12)
    assert found.value == prompt_exposure(7.0, base, wordings).value
    assert found.n == 4


def test_the_original_is_in_every_draw() -> None:
    """Reformulations that are all the same leave only completions to vary, and those of P 1 do not."""
    fixed = pe_interval(scenario(25, 0, 0, 0))
    assert fixed.low == fixed.high == fixed.value
    drawn = pe_interval(scenario(0, 25, 0, 0))
    assert drawn.low is not None
    assert drawn.high is not None
    assert drawn.low < drawn.value < drawn.high  # type: ignore[operator]


def test_more_completions_narrow_the_interval() -> None:
    few = pe_interval(scenario(5, 5, 5, valid=10))
    many = pe_interval(scenario(500, 500, 500, valid=1000))
    assert few.value == many.value
    assert few.high - few.low > 5 * (many.high - many.low)  # type: ignore[operator]


def test_the_same_seed_gives_the_same_interval() -> None:
    assert score(pack(4)) == score(pack(4))
    assert score(pack(4)).me != score(pack(4), seed=7).me


def test_a_scenario_beside_it_changes_no_interval_of_a_pe() -> None:
    whole, part = score(pack(4)), score({"s-2": pack(4)["s-2"]})
    assert whole.pe["s-2"] == part.pe["s-2"]


def test_never_seen_has_an_upper_bound_that_more_completions_lower() -> None:
    few, many = pe_interval(scenario(0, 0)), pe_interval(scenario(*[0] * 11, valid=250))
    assert (few.value, few.low) == (0.0, 0.0)
    assert few.high > many.high + 3  # type: ignore[operator]


def test_nothing_valid_has_no_interval() -> None:
    found = pe_interval(ScenarioShares(9.0, (Wording(0, 0), Wording(0, 0))))
    assert (found.value, found.low, found.high, found.n) == (0.0, None, None, 2)


def test_scenarios_that_differ_widen_me_but_not_that_of_the_pack() -> None:
    sure = {f"s-{n}": scenario(*[25 * (n % 2)] * 11, valid=25) for n in range(12)}
    found = score(sure)
    assert found.me_of_pack.low == found.me_of_pack.high == pytest.approx(found.me.value)
    assert found.me.low < found.me.value < found.me.high  # type: ignore[operator]
    assert found.me.n == 12


def test_one_scenario_has_no_interval_over_scenarios() -> None:
    found = score(pack(1))
    assert (found.me.low, found.me.high) == (None, None)
    assert found.me_of_pack.low is not None
    alone = me_interval([4.0])
    assert (alone.value, alone.low, alone.high) == (4.0, None, None)


def test_me_of_the_papers_values_has_an_interval_around_it() -> None:
    found = me_interval(column(TABLE_2, 0))
    assert found.low < found.value < found.high  # type: ignore[operator]
    assert found.high - found.low > 2  # type: ignore[operator]  # wider than all models are apart


def test_p_has_wilsons_interval() -> None:
    found = probability_interval(Wording(0, 25))
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(0.1332, abs=1e-4)
    assert probability_interval(Wording(0, 0)).value is None


def test_a_mistake_names_its_scenario() -> None:
    with pytest.raises(ValueError, match=r"^s-9: cvss: 11 "):
        score({"s-9": scenario(1, cvss=11)})
    with pytest.raises(ValueError, match="there is none"):
        score({})
    with pytest.raises(ValueError, match=r"^base: "):
        score(pack(1), base=1)


def test_the_json_has_all_scores() -> None:
    found = score(pack(3)).to_json()
    assert set(found) == {"me", "base", "n", "interval", "interval_of_pack", "scenarios"}
    assert found["scenarios"]["s-1"]["interval"]["value"] == found["scenarios"]["s-1"]["pe"]


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=5),
    st.floats(0, 10),
    st.floats(1.01, 1000),
)
def test_bounds_are_scores_in_order(
    counts: list[tuple[int, int]], cvss: float, base: float
) -> None:
    wordings = tuple(Wording(min(pair), max(pair)) for pair in counts)
    found = pe_interval(ScenarioShares(cvss, wordings), base, draws=50)
    if found.low is not None:
        assert 0 <= found.low <= found.high <= cvss + 1e-9  # type: ignore[operator]


def test_2000_draws_of_a_whole_pack_are_quick() -> None:
    scenarios = pack(25)
    begun = time.process_time()
    score(scenarios)
    assert time.process_time() - begun < 20


def test_a_million_completions_cost_no_more() -> None:
    begun = time.process_time()
    found = pe_interval(ScenarioShares(7.0, (Wording(400_000, 1_000_000),) * 11))
    assert time.process_time() - begun < 20
    assert found.high - found.low < 0.01  # type: ignore[operator]


def test_what_was_never_seen_is_bounded_with_its_perplexity() -> None:
    plain, weighed = (ScenarioShares(9.0, (Wording(0, 25, ppl),)) for ppl in (None, 20.0))
    high, lower = pe_interval(plain).high, pe_interval(weighed).high
    assert high is not None and lower == pytest.approx(high - 1)  # R = 1/2, base 2


def test_me_without_anything_vulnerable_ends_where_the_bounds_of_pe_do() -> None:
    """A draw of ME has nothing to draw there, and said that it is 0 for sure."""
    alone = score({"a": scenario(0, 0)})
    assert alone.me_of_pack.high == alone.pe["a"].high
    assert alone.me.high is None
    two = score({"a": scenario(0, 0), "b": scenario(0, 0, valid=5)})
    lower, upper = sorted(one.high or 0.0 for one in two.pe.values())
    for found in (two.me, two.me_of_pack):
        assert found.low == 0.0
        assert lower < (found.high or 0.0) < upper
    nothing = score({"a": scenario(0), "b": scenario(0, valid=0)})
    assert nothing.me_of_pack.high is None
