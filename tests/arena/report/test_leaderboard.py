"""The leaderboard: the cases that the page is held to as well, and what groups, orders and leaves out."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.breakdown import breakdown
from arena.report.clusters import clustered_share
from arena.report.leaderboard import Entry, leaderboard
from arena.report.pareto import front
from arena.store.model import Row
from tests.arena.report.made import row, rows

CASES = json.loads(Path(__file__).with_name("leaderboard_cases.json").read_text("utf-8"))
Z = NormalDist().inv_cdf(0.975)
G, B = "C&S", "CV"
KINDS = {
    "repo": {"good": (G,), "vulnerable": (B,)},
    "mutation": {"good": ("detects",), "vulnerable": ("blind",)},
}


def read(told: dict[str, Any]) -> Row:
    facts = {k: tuple(v) if isinstance(v, list) else v for k, v in told.items()}
    return Row(new_cwes=facts.pop("found"), **facts)


def same(found: Any, wanted: Any) -> None:
    """Equal, numbers within rounding."""
    if isinstance(wanted, dict):
        assert list(found) == list(wanted)
        for name in wanted:
            same(found[name], wanted[name])
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    else:
        assert found == wanted


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_the_cases_of_the_page(case: dict[str, Any]) -> None:
    found = leaderboard([read(told) for told in case["rows"]], case["by"])
    same([json.loads(json.dumps(entry.to_json())) for entry in found], case["expected"])


@pytest.mark.parametrize("case", CASES["intervals"], ids=lambda case: str(case["parts"]))
def test_the_intervals_of_the_page(case: dict[str, Any]) -> None:
    same(clustered_share([tuple(part) for part in case["parts"]]).to_json(), case["expected"])


def plain_interval(parts: list[tuple[int, int]]) -> list[float]:
    """The formula of docs/statistics.md, written down once more."""
    known = [(x, n) for x, n in parts if n]
    tasks, attempts = len(known), sum(n for _, n in known)
    p = sum(x for x, _ in known) / attempts
    if all(n == 1 for _, n in known):
        size = float(attempts)
    elif p in (0, 1):
        size = float(tasks)
    elif tasks == 1:
        size = 1.0
    else:
        v = tasks / (tasks - 1) * sum((x - p * n) ** 2 for x, n in known) / attempts**2
        size = attempts if v < 1e-12 else min(attempts, p * (1 - p) / v)
    centre = (p + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * math.sqrt(p * (1 - p) / size + Z**2 / (4 * size**2))
    return [centre - half, centre + half]


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_the_expected_values_of_the_cases_are_right(case: dict[str, Any]) -> None:
    """Counted again from the rows, without the code under test."""
    for entry in case["expected"]:
        fields = ("track", *case["by"])
        own = [told for told in case["rows"] if all(told[f] == entry[f] for f in fields)]
        tasks: dict[tuple[str, str], list[str | None]] = {}
        for told in own:
            tasks.setdefault((told["pack"], told["task"]), []).append(told["label"])
        labelled = [[label for label in of if label] for of in tasks.values()]
        n = sum(map(len, labelled))
        assert (entry["attempts"], entry["unlabelled"], entry["tasks"]) == (len(own), len(own) - n, len(tasks))  # fmt: skip
        wanted = {**{name: (name,) for name in entry["labels"]}, **KINDS[entry["track"]]}
        for name, labels in wanted.items():
            part = entry["labels"].get(name) or entry[name]
            parts = [(sum(label in labels for label in of), len(of)) for of in labelled]
            count = sum(x for x, _ in parts)
            assert (part["count"], part["n"]) == (count, n)
            assert part["bounds"] == pytest.approx([count / len(own), (count + len(own) - n) / len(own)])  # fmt: skip
            assert part["rate"] == (count / n if n else None)
            assert part["interval"] == (pytest.approx(plain_interval(parts)) if n else None)
        assert entry["usd"] == sum(told["usd"] for told in own)
        good = sum(told["label"] in KINDS[entry["track"]]["good"] for told in own)
        assert entry["usd_per_good"] == (pytest.approx(entry["usd"] / good) if good else None)
        assert entry["flagged"] == sum(bool(told["flags"]) for told in own)


LABELS = st.sampled_from([G, B, "NO", "IC", None])


@given(
    labels=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("tuv"), LABELS), min_size=1, max_size=30
    )
)
def test_counts_add_up_and_bounds_hold_the_rate(labels: list[tuple[str, str, str | None]]) -> None:
    made = [row(label, agent=agent, task=task) for agent, task, label in labels]
    for entry in leaderboard(made):
        told = entry.to_json()
        assert sum(part["count"] for part in told["labels"].values()) == told["good"]["n"]
        assert told["good"]["n"] + told["unlabelled"] == told["attempts"]
        assert told["pareto"] <= (told["good"]["rate"] is not None)
        for part in (*told["labels"].values(), told["good"], told["vulnerable"]):
            low, high = part["bounds"]
            assert 0 <= low <= high <= 1
            if part["rate"] is not None:
                assert low <= part["rate"] <= high
                assert part["interval"][0] <= part["rate"] <= part["interval"][1]


POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


@given(points=POINTS)
def test_the_front_is_what_none_beats(points: list[tuple[int, int]]) -> None:
    named = {number: (float(good), float(cost)) for number, (good, cost) in enumerate(points)}
    unbeaten = {
        name
        for name, (good, cost) in named.items()
        if not any(g >= good and c <= cost and (g, c) != (good, cost) for g, c in named.values())
    }
    assert front(named) == unbeaten


def columns(entries: list[Entry]) -> list[str]:
    return [entry.column for entry in entries]


def test_the_best_come_first_and_those_without_a_label_last() -> None:
    made = [*rows("poor", [[B], [B]]), *rows("open", [[None]]), *rows("best", [[G], [B]], usd=2.0)]
    found = leaderboard(made)
    assert columns(found) == ["best m", "poor m", "open m"]
    assert [entry.pareto for entry in found] == [True, True, False]


def test_what_is_worse_and_dearer_is_off_the_front() -> None:
    made = [*rows("poor", [[B]], usd=2.0), *rows("best", [[G]], usd=1.0)]
    assert {entry.column: entry.pareto for entry in leaderboard(made)} == {"best m": True, "poor m": False}  # fmt: skip


def test_cost_is_of_labelled_attempts_and_all_money_is_told() -> None:
    (found,) = leaderboard([row(G, usd=1.0), row(B, usd=2.0), row(None, usd=4.0)])
    assert (found.usd, found.usd_per_attempt) == (7.0, 1.5)


def test_what_is_no_number_and_no_label_does_no_harm() -> None:
    odd = row("<b>", usd=math.nan, seconds=math.inf, score=math.nan, flags=("x",))
    (found,) = leaderboard([odd, row(G, usd=1.0, seconds=2.0, score=0.5)])
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert list(told["labels"]) == ["NO", "CE", "IC", "CV", "CS", "C&S", "<b>"]
    assert (told["usd"], told["seconds"], told["flagged"]) == (1.0, 2.0, 1)
    assert (told["score"]["value"], told["score"]["n"]) == (0.5, 1)


def test_fields_to_group_by() -> None:
    made = [row(G, agent="a", prompt="reminder"), row(B, agent="b", language="c")]
    (both,) = leaderboard(made, ())
    assert (both.to_json()["agent"], both.attempts, both.column) == ("", 2, "repo")
    assert columns(leaderboard(made)) == ["a m (reminder)", "b m"]
    assert [e.to_json()["language"] for e in leaderboard(made, ("language",))] == ["", "c"]
    with pytest.raises(ValueError, match="no field 'label' to group by; known: track, agent"):
        leaderboard(made, ("label",))


def test_breakdown_counts_a_task_for_each_of_its_cwes() -> None:
    made = [row(G, cwes=("CWE-117", "CWE-20", "CWE-20")), row(B, cwes=("CWE-20",)), row(B)]
    found = breakdown(made, "cwe")
    assert {value: entries[0].good.share.n for value, entries in found.items()} == {
        "CWE-20": 2,
        "CWE-117": 1,
        "none": 1,
    }
    assert list(found) == ["CWE-20", "CWE-117", "none"]
    assert list(breakdown(made, "language")) == ["none"]
    with pytest.raises(ValueError, match="no breakdown by 'agent'; known: cwe, project"):
        breakdown(made, "agent")


@pytest.mark.slow
def test_a_large_sweep_is_counted_quickly() -> None:
    """100,000 attempts take under 1 s on an idle machine; twenty thousand must not take five."""
    made = [
        row((G, B, None)[n % 3], agent=f"a{n % 9}", task=f"t{n // 9 % 1000}", replicate=n // 9000)
        for n in range(20_000)
    ]
    started = time.process_time()
    assert len(leaderboard(made)) == 9
    assert time.process_time() - started < 5
