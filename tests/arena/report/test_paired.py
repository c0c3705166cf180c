"""Pairs on the same tasks: who counts, exact tests, and a difference with its interval."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.paired import Comparison, Pairs, compare, compare_sides, label_test
from arena.report.permutation import _sampled_p, sign_flip
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
    drawn = _sampled_p(sizes, abs(sum(differences)), 10_000, 3)
    assert drawn == pytest.approx(sign_flip(differences), abs=0.015)


@pytest.mark.slow
def test_many_tasks_are_drawn_seeded() -> None:
    differences = [3, -2, 1, -1] * 500
    p = sign_flip(differences)
    assert p == sign_flip(differences) == sign_flip([-d for d in differences])
    assert 0 < p < 0.001 < sign_flip([2, -2, 1, -1] * 500)


def test_a_comparison_as_json() -> None:
    """Ten tasks with a pair each, and attempts of which the partner is missing or has no label."""
    cells = {(G, G): 2, (G, B): 1, (B, G): 3, (B, B): 4, (G, None): 1, (None, B): 2}
    labels = [pair for pair, number in cells.items() for _ in range(number)]
    attempts = rows("one", [[a] for a, _ in labels], model="x", prompt="p")
    attempts += rows("two", [[b] for _, b in labels], model="y", prompt="p")
    attempts.append(row(G, agent="two", model="y", prompt="p", task="only of two"))
    assert compare(iter(attempts), "agent", "one", "two").to_json() == {
        "by": "agent",
        "a": "one",
        "b": "two",
        "label": "",
        "pairs": 10,
        "both": 2,
        "only_a": 1,
        "only_b": 3,
        "neither": 4,
        "p": pytest.approx(10 / 16),
        "permutation_p": pytest.approx(10 / 16),
        "difference": {
            "value": pytest.approx(0.2),
            "low": pytest.approx(-0.2),
            "high": pytest.approx(0.6),
            "n": 10,
            "of": "b - a",
        },
        "unpaired": {"a": 3, "b": 4},
        "tasks": 10,
        "rates": {"a": wilson(3, 10).to_json(), "b": wilson(5, 10).to_json()},
        "differs": {"model": ["x", "y"]},
    }


def test_the_pairs_of_a_task_are_counted_together() -> None:
    first = rows("one", [[G] * 3 + [B] * 7, [B]])
    second = rows("two", [[G] + [B] * 2 + [G] * 3 + [B] * 4, [B, G]])
    assert compare_sides(
        first, second, lambda row: row.label == G, "agent", ("one", "two")
    ) == Comparison(
        "agent",
        "one",
        "two",
        "",
        {("p", "t0"): Pairs(1, 2, 3, 4), ("p", "t1"): Pairs(neither=1)},
        (0, 1),
        {},
    )


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
    attempts = [
        row(G, agent="one", model="x"), row(B, agent="one", model="y"),
        row(B, agent="two", model="x"), row(B, agent="two", model="y"),
        row(G, agent="two", model="z"),
    ]  # fmt: skip
    result = compare(attempts, "agent", "one", "two")
    assert (result.count("only_a"), result.count("neither"), result.unpaired) == (1, 1, (0, 1))
    assert result.differs == {}


@pytest.mark.parametrize(
    ("by", "a", "b", "differs"),
    [
        ("agent", {"agent": "a"}, {"agent": "b"}, {}),
        ("agent", {"agent": "a"}, {"agent": "b", "model": ""}, {"model": ("m", "")}),
        (
            "model",
            {"model": "a", "agent": "x"},
            {"model": "b", "agent": "y"},
            {"agent": ("x", "y")},
        ),
        ("prompt", {"prompt": "a"}, {"prompt": "b", "model": "n"}, {"model": ("m", "n")}),
        (
            "run",
            {"run": "a", "agent": "x", "prompt": "p"},
            {"run": "b", "agent": "y", "prompt": "q"},
            {"agent": ("x", "y"), "prompt": ("p", "q")},
        ),
    ],
)
def test_a_field_with_one_value_on_each_side_need_not_agree(
    by: str, a: dict[str, str], b: dict[str, str], differs: dict[str, tuple[str, str]]
) -> None:
    result = compare([row(G, **a), row(B, **b)], by, "a", "b")
    assert (result.count("only_a"), result.differs) == (1, differs)


def test_tasks_of_two_packs_stay_apart() -> None:
    attempts = [row(G, agent=agent, pack=pack) for agent in ("one", "two") for pack in ("p", "q")]
    assert len(compare(attempts, "agent", "one", "two").tasks) == 2
    lone = [
        row(G, agent="one", pack="p"),
        row(B, agent="one", pack="q"),
        row(B, agent="two", pack="q"),
    ]
    assert compare(lone, "agent", "one", "two").count("neither") == 1


def test_attempts_of_several_runs_are_paired_in_the_order_of_the_runs() -> None:
    """Also where the first has no label: its partner then has none."""
    labels = {"one": {"t": G, "s": B, "r": None, "q": G}, "two": {"s": B, "q": G, "t": B, "r": B}}
    attempts = [
        row(label, agent=who, run=run) for who, of in labels.items() for run, label in of.items()
    ]
    result = compare(attempts, "agent", "one", "two")
    assert result.tasks == {("p", "t"): Pairs(both=1, only_a=1, neither=1)}
    assert result.unpaired == (1, 1)


def test_attempts_of_a_run_are_paired_in_the_order_of_their_ids() -> None:
    first = [row(G, agent="one", id="b"), row(B, agent="one", id="a")]
    second = [row(B, agent="two", id="c"), row(G, agent="two", id="d")]
    result = compare(first + second, "agent", "one", "two")
    assert result.tasks == {("p", "t"): Pairs(both=1, neither=1)}


def test_another_label_is_counted_on_demand() -> None:
    attempts = two([[B], [G]], [["CS"], [G]])
    vulnerable = compare(attempts, "agent", "one", "two", "CV")
    assert (vulnerable.label, vulnerable.tasks["p", "t0"]) == ("CV", Pairs(only_a=1))
    assert vulnerable.tasks["p", "t1"] == Pairs(neither=1)
    assert compare(attempts, "agent", "one", "two", "CS").count("only_b") == 1


@pytest.mark.parametrize(
    ("track", "label", "good"),
    [
        ("repo", "C&S", True),
        ("repo", "reproduced", True),
        ("repo", "CS", False),
        ("mutation", "detects", True),
        ("mutation", "blind", False),
        ("of a newer version", "C&S", False),
    ],
)
def test_good_labels_are_those_of_the_track(track: str, label: str, good: bool) -> None:
    is_good = label_test(["repo", "mutation", "of a newer version"], "")
    assert is_good(row(label, track=track)) is good


def test_a_label_may_be_of_any_of_the_tracks() -> None:
    is_blind = label_test(["repo", "mutation"], "blind")
    assert [is_blind(row(label)) for label in ("blind", "C&S", "NO")] == [True, False, False]
    with pytest.raises(ValueError) as error:
        label_test(["dual", "mutation"], "XX")
    assert str(error.value) == "no label 'XX'; known: NO, CE, IC, CV, C&S, blind, detects"


@pytest.mark.parametrize(
    ("by", "a", "b", "label", "message"),
    [
        ("agent", "one", "nope", "", "no attempt has the agent 'nope'; known: 'one', 'two'"),
        ("agent", "nope", "one", "", "no attempt has the agent 'nope'; known: 'one', 'two'"),
        ("cwe", "one", "two", "", "no comparison by 'cwe'; known: agent, model, prompt, run"),
        ("agent", "one", "one", "", "agent 'one' is compared with itself"),
        (
            "agent",
            "one",
            "two",
            "XX",
            "no label 'XX'; known: NO, CE, IC, CV, CS, C&S, no output, no crash, also after, "
            "other crash, reproduced",
        ),
    ],
)
def test_a_mistake_is_reported_with_the_possible_values(
    by: str, a: str, b: str, label: str, message: str
) -> None:
    with pytest.raises(ValueError) as error:
        compare(two([[G]], [[G]]), by, a, b, label)
    assert str(error.value) == message


def test_without_attempts_no_value_is_possible() -> None:
    with pytest.raises(ValueError) as error:
        compare([], "agent", "one", "two")
    assert str(error.value) == "no attempt has the agent 'one'; known: none"


NO_PAIR: dict[str, tuple[list[dict[str, str]], list[dict[str, str]], str]] = {
    "no common task": (
        [{"task": "t1"}],
        [{"task": "t2"}],
        "share no task and replicate that are labelled on both sides",
    ),
    "two other fields": (
        [{"model": "y z", "prompt": "q"}, {"model": "x", "prompt": "p"}],
        [{"model": "w", "prompt": "r"}],
        "differ in model: a has 'x', 'y z', b 'w'; in prompt: a has 'p', 'q', b 'r'; one of each is "
        "compared with --where model=x --where model=w --where prompt=p --where prompt=r",
    ),
    "one of two other fields": (
        [{"model": "x", "prompt": "p"}],
        [
            {"model": "x", "prompt": "r r"},
            {"model": "v", "prompt": "q"},
            {"model": "w", "prompt": "q"},
        ],
        "differ in prompt: a has 'p', b 'q', 'r r'; one of each is compared with "
        "--where prompt=p --where prompt=q",
    ),
    "words to quote": (
        [{"model": "y z"}, {"model": "x y"}],
        [{"model": ""}],
        "differ in model: a has 'x y', 'y z', b ''; one of each is compared with "
        "--where 'model=x y' --where model=",
    ),
    "the same values at other tasks": (
        [{"task": "t1", "model": "x"}, {"task": "t2", "model": "y"}],
        [{"task": "t1", "model": "y"}, {"task": "t2", "model": "x"}],
        "agree in model and prompt at no task and replicate; see --where",
    ),
}


@pytest.mark.parametrize("name", NO_PAIR)
def test_two_sides_without_a_pair_are_an_error_that_says_why(name: str) -> None:
    first, second, why = NO_PAIR[name]
    attempts = [row(G, agent="one", **fields) for fields in first]
    attempts += [row(B, agent="two", **fields) for fields in second]
    with pytest.raises(ValueError) as error:
        compare(attempts, "agent", "one", "two")
    assert str(error.value) == f"no pair: agent 'one' and 'two' {why}"


def test_tracks_stay_apart() -> None:
    rows = [
        row("C&S", agent="one", track="repo"),
        row("detects", agent="two", track="mutation"),
    ]
    with pytest.raises(ValueError, match="no pair"):
        compare(rows, "agent", "one", "two")


def test_replicates_stay_apart() -> None:
    rows = [
        row("C&S", agent="one", replicate=1),
        row("CV", agent="two", replicate=0),
        row("C&S", agent="two", replicate=1),
    ]
    compared = compare(rows, "agent", "one", "two")
    assert (compared.tasks, compared.unpaired) == ({("p", "t"): Pairs(both=1)}, (0, 1))
