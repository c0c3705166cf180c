"""Pairs on the same tasks: who counts, exact tests, and a difference with its interval."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.paired import compare
from arena.report.permutation import _drawn, sign_flip
from arena.report.statistics import mcnemar, wilson
from arena.store.model import Row
from tests.arena.report.made import row, rows

G, B = "C&S", "CV"
DIFFERENCES = st.lists(st.integers(-4, 4), max_size=9)


def two(first: list[list[str | None]], second: list[list[str | None]]) -> list[Row]:
    return rows("one", first) + rows("two", second)


@given(differences=DIFFERENCES)
def test_sign_flips_count_every_assignment(differences: list[int]) -> None:
    seen = abs(sum(differences))
    signs = list(product((1, -1), repeat=len(differences)))
    far = sum(
        abs(sum(s * d for s, d in zip(sign, differences, strict=True))) >= seen for sign in signs
    )
    assert sign_flip(differences) == far / len(signs)
    assert sign_flip([-d for d in differences]) == sign_flip(differences)


@given(a=st.integers(0, 60), b=st.integers(0, 60), same=st.integers(0, 5))
def test_without_replicates_it_is_mcnemar(a: int, b: int, same: int) -> None:
    assert sign_flip([1] * a + [-1] * b + [0] * same) == pytest.approx(mcnemar(a, b), rel=1e-12)


@pytest.mark.parametrize("differences", [[3, 2, 2, 1, -1, 4, 1, 2], [1, -2, 3, -1, 2], [4] * 12 + [-4] * 4])  # fmt: skip
def test_draws_agree_with_the_exact_count(differences: list[int]) -> None:
    sizes = Counter(abs(d) for d in differences)
    drawn = _drawn(sizes, abs(sum(differences)), 10_000, 3)
    assert drawn == pytest.approx(sign_flip(differences), abs=0.015)


def test_many_tasks_are_drawn_seeded() -> None:
    differences = [3, -2, 1, -1] * 500
    p = sign_flip(differences)
    assert p == sign_flip(differences) == sign_flip([-d for d in differences])
    assert 0 < p < 0.001 < sign_flip([2, -2, 1, -1] * 500)


def test_pairs_by_hand() -> None:
    """Four tasks, one attempt each: both good, only one, twice only two."""
    found = compare(two([[G], [G], [B], [B]], [[G], [B], [G], [G]]), "agent", "one", "two")
    told = found.to_json()
    assert (told["both"], told["only_a"], told["only_b"], told["neither"]) == (1, 1, 2, 0)
    assert told["p"] == told["permutation_p"] == 1.0
    assert (told["pairs"], told["tasks"], told["unpaired"]) == (4, 4, {"a": 0, "b": 0})
    assert told["rates"] == {"a": wilson(2, 4).to_json(), "b": wilson(3, 4).to_json()}
    difference = told["difference"]
    assert (difference["value"], difference["n"], difference["of"]) == (0.25, 4, "b - a")
    assert difference["low"] <= 0.25 <= difference["high"]


def test_replicates_of_a_task_are_no_independent_pairs() -> None:
    """Three tasks that all turn, eight times each: McNemar sees 24 pairs, the flips three tasks."""
    found = compare(two([[B] * 8] * 3, [[G] * 8] * 3), "agent", "one", "two")
    assert found.p == 2 / 2**24
    assert found.permutation_p == 2 / 2**3


LABELS = st.lists(
    st.lists(st.sampled_from([G, B, "IC", None]), min_size=1, max_size=3), min_size=1, max_size=7
)


@given(first=LABELS, second=LABELS)
def test_swapping_the_sides_turns_the_difference(
    first: list[list[str | None]], second: list[list[str | None]]
) -> None:
    made = two(first, second)
    if not any(
        a and b for x, y in zip(first, second, strict=False) for a, b in zip(x, y, strict=False)
    ):
        with pytest.raises(ValueError, match="no pair"):
            compare(made, "agent", "one", "two")
        return
    one, other = compare(made, "agent", "one", "two"), compare(made, "agent", "two", "one")
    here, there = one.difference(), other.difference()
    assert here.value == pytest.approx(-there.value)  # type: ignore[operator]
    if here.low is not None:
        ends = (-there.high, -there.low)  # type: ignore[operator]
        assert (here.low, here.high) == pytest.approx(ends)
        assert here.low - 1e-9 <= here.value <= here.high + 1e-9  # type: ignore[operator]
    assert (one.p, one.permutation_p) == (other.p, other.permutation_p)
    labelled = [sum(label is not None for of in side for label in of) for side in (first, second)]
    assert one.count("n") <= min(labelled)
    assert [one.count("n") + left for left in one.unpaired] == [sum(map(len, side)) for side in (first, second)]  # fmt: skip


def test_a_column_against_its_copy() -> None:
    labels: list[list[str | None]] = [[G, B, None], [B, B, G], [G, G, G]]
    found = compare(two(labels, labels), "agent", "one", "two")
    assert (found.p, found.permutation_p, found.difference().value) == (1.0, 1.0, 0.0)
    assert found.unpaired == (1, 1)
    assert found.count("n") == 8


def test_no_difference_in_few_tasks_is_no_certainty() -> None:
    """Where no pair differs a bootstrap would say [0, 0]; five tasks leave room for others."""
    labels: list[list[str | None]] = [[G]] * 5
    found = compare(two(labels, labels), "agent", "one", "two").difference()
    rest = 1 - wilson(5, 5).low  # type: ignore[operator]
    assert (found.low, found.high) == pytest.approx((-rest, rest))
    turned = compare(two([[B]] * 5, labels), "agent", "one", "two").difference()
    assert (turned.value, turned.low, turned.high) == pytest.approx((1.0, 1 - 2 * rest, 1.0))
    single = compare(two([[B, G]], [[G, G]]), "agent", "one", "two").difference()
    assert (single.value, single.low, single.high, single.n) == (0.5, None, None, 1)


def test_pairs_agree_in_the_other_fields() -> None:
    made = [
        row(G, agent="one", model="x"), row(B, agent="one", model="y"),
        row(B, agent="two", model="x"), row(B, agent="two", model="y"),
        row(G, agent="two", model="z"),
    ]  # fmt: skip
    found = compare(made, "agent", "one", "two")
    assert (found.count("only_a"), found.count("neither"), found.unpaired) == (1, 1, (0, 1))
    assert found.differs == {}
    gold = compare([*made[:1], row(B, agent="gold", model="")], "agent", "one", "gold")
    assert gold.differs == {"model": ("x", "")}
    assert gold.count("only_a") == 1


def test_tasks_of_two_packs_and_attempts_of_two_runs_stay_apart() -> None:
    made = [row(G, agent=agent, pack=pack) for agent in ("one", "two") for pack in ("p", "q")]
    assert len(compare(made, "agent", "one", "two").tasks) == 2
    lone = [
        row(G, agent="one", pack="p"),
        row(B, agent="one", pack="q"),
        row(B, agent="two", pack="q"),
    ]
    assert compare(lone, "agent", "one", "two").count("neither") == 1
    again = [row(B, agent=agent, run="s") for agent in ("one", "two")]
    assert compare(made + again, "agent", "one", "two").count("n") == 3


def test_another_label_is_counted_on_demand() -> None:
    made = two([[B], [G]], [["CS"], [G]])
    assert compare(made, "agent", "one", "two", "CV").count("only_a") == 1
    assert compare(made, "agent", "one", "two", "CS").count("only_b") == 1


@pytest.mark.parametrize(
    ("by", "a", "b", "label", "said"),
    [
        ("agent", "one", "nope", "", "no attempt has the agent 'nope'; known: 'one', 'two'"),
        ("cwe", "one", "two", "", "no comparison by 'cwe'; known: agent, model, prompt"),
        ("agent", "one", "one", "", "compared with itself"),
        ("agent", "one", "two", "XX", "no label 'XX'; known: NO, CE, IC, CV, CS, C&S"),
    ],
)
def test_mistakes_are_told(by: str, a: str, b: str, label: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        compare(two([[G]], [[G]]), by, a, b, label)
    assert said in str(error.value)
