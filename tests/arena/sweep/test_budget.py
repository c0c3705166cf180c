"""Budgets hold at their worst: what is promised to attempts in flight counts as spent."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.store.model import Spent
from arena.sweep.budget import Bounds, BudgetTracker, Cap
from harness.protocols import Budget

CAPS = Budget(usd=2.0, tokens=1000)


def test_no_attempt_begins_that_could_overdraw_the_sweep() -> None:
    tracker = BudgetTracker(Bounds(Cap(usd=5.0)), CAPS, {})
    for _ in range(2):
        assert not tracker.short("m")
        tracker.take("m")
    assert tracker.short("m") == "sweep: 0.0000 of 5 USD are spent, and an attempt may use 2"
    tracker.give("m", Spent(usd=0.5))
    assert not tracker.short("m")
    tracker.take("m")
    assert tracker.short("m")


def test_a_model_has_a_budget_of_its_own_beside_the_sweeps() -> None:
    tracker = BudgetTracker(
        Bounds(Cap(usd=100.0), {"dear": Cap(usd=3.0)}), CAPS, {"dear": Spent(usd=1.5)}
    )
    assert tracker.short("dear").startswith("dear: 1.5000 of 3")
    assert not tracker.short("cheap")


def test_what_earlier_drivers_spent_counts() -> None:
    assert BudgetTracker(Bounds(Cap(usd=5.0)), CAPS, {"gone": Spent(usd=3.5)}).short("m")


def test_tokens_are_promised_by_the_cap_of_an_attempt() -> None:
    tracker = BudgetTracker(Bounds(Cap(tokens=2500)), CAPS, {})
    tracker.take("m")
    assert not tracker.short("m")
    tracker.take("m")
    assert tracker.short("m") == "sweep: 0 of 2500 tokens are spent, and an attempt may use 1000"


def test_agents_that_ask_no_model_need_no_money() -> None:
    tracker = BudgetTracker(Bounds(Cap(usd=0.0, tokens=0), connections={"*": 0}), CAPS, {})
    assert not tracker.short("") and tracker.may_connect("")


def test_connections_are_counted_by_model() -> None:
    tracker = BudgetTracker(Bounds(connections={"*": 1, "fast": 2}), CAPS, {})
    for model in ("slow", "fast", "fast", "other"):
        assert tracker.may_connect(model)
        tracker.take(model)
    assert not tracker.may_connect("slow") and not tracker.may_connect("fast")
    tracker.give("slow", Spent())
    assert tracker.may_connect("slow") and not tracker.may_connect("other")


@given(
    st.floats(0, 30),
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 2.0)), max_size=60),
    st.integers(1, 6),
)
def test_a_budget_is_never_overdrawn(
    budget: float, costs: list[tuple[str, float]], together: int
) -> None:
    tracker = BudgetTracker(Bounds(Cap(usd=budget), {"a": Cap(usd=budget / 3)}), CAPS, {})
    flying: list[tuple[str, float]] = []
    for model, cost in costs:
        if len(flying) >= together:
            tracker.give(flying[0][0], Spent(usd=flying[0][1]))
            flying.pop(0)
        if not tracker.short(model):
            tracker.take(model)
            flying.append((model, cost))
    for model, cost in flying:
        tracker.give(model, Spent(usd=cost))
    assert tracker.spent.usd <= budget + 1e-6
    assert dict(tracker.costs_by_model()).get("a", Spent()).usd <= budget / 3 + 1e-6
