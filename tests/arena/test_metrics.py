"""Rates add up, and the unlabelled attempts can move a rate no further than its bounds say."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arena.report.metrics import rates, rates_by_column
from arena.store.store import Attempt, AttemptKey
from harness.grade.verdict import Label

LABELS = st.lists(st.none() | st.sampled_from(Label), max_size=40)
AGENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.none() | st.sampled_from(Label)), max_size=40
)


def attempts(labels: list[Label | None], agent: str = "a") -> list[Attempt]:
    made = enumerate(labels)
    return [
        Attempt(
            str(n), "run", AttemptKey("task", agent, replicate=n), "ok" if label else "infra", label
        )
        for n, label in made
    ]


@given(labels=LABELS)
def test_counts_add_up_and_bounds_hold(labels: list[Label | None]) -> None:
    found = rates(attempts(labels), "repo")
    assert found["attempts"] == len(labels)
    assert found["unlabelled"] == labels.count(None)
    parts = found["labels"]
    assert list(parts) == [str(label) for label in Label]
    assert sum(part["count"] for part in parts.values()) + found["unlabelled"] == len(labels)
    if found["unlabelled"] == len(labels):
        assert all(part["rate"] is None for part in parts.values())
    else:
        assert abs(sum(part["rate"] for part in parts.values()) - 1) < 1e-9
        assert all(0 <= p["low"] <= p["rate"] <= p["high"] <= 1 for p in parts.values())
    if labels and None not in labels:
        assert all(p["low"] == p["rate"] == p["high"] for p in parts.values())


@given(labels=LABELS.filter(bool), later=st.data())
def test_whatever_the_unlabelled_become_stays_within_the_bounds(
    labels: list[Label | None], later: st.DataObject
) -> None:
    before = rates(attempts(labels), "repo")["labels"]
    became = [label or later.draw(st.sampled_from(Label)) for label in labels]
    after = rates(attempts(list(became)), "repo")["labels"]
    for name, part in after.items():
        assert before[name]["low"] <= part["rate"] <= before[name]["high"]


def test_bounds_are_reached() -> None:
    part = rates(attempts([Label.CV, Label.NO, None, None]), "repo")["labels"]["CV"]
    assert (part["count"], part["low"], part["rate"], part["high"]) == (1, 0.25, 0.5, 0.75)


def test_nothing_to_divide_by() -> None:
    part = rates([], "repo")["labels"]["CV"]
    assert part.pop("count") == part.pop("n") == 0
    assert part == {"rate": None, "interval": None, "low": None, "high": None}


@given(pairs=AGENTS)
def test_agents_are_counted_apart(pairs: list[tuple[str, Label | None]]) -> None:
    made = [attempt for agent, label in pairs for attempt in attempts([label], agent)]
    found = rates_by_column(made, "repo")
    assert list(found) == sorted({agent for agent, _ in pairs})
    assert {a: part["attempts"] for a, part in found.items()} == Counter(
        agent for agent, _ in pairs
    )
    assert sum(part["unlabelled"] for part in found.values()) == sum(
        not label for _, label in pairs
    )
