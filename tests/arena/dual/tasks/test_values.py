"""Tagged values: what they are, and when two are equal."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.runner.drivers.call_values import CALLABLES
from arena.tracks.dual.tasks import values
from arena.tracks.dual.tasks.values import check, equal, expand_repeats, subset

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from([{"$bytes": "AA=="}, {"$float": "nan"}, {"$int": "9" * 30}, {"$date": "2026-01-02"}])
    | st.sampled_from([{"$undefined": True}, {"$decimal": "1.50"}, {"$object": "T", "text": "t"}])
)  # fmt: skip
NAMES = st.text(max_size=5).filter(lambda name: not name.startswith("$"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(NAMES, inner, max_size=4)
        | st.lists(inner, max_size=3).map(lambda items: {"$set": items})
        | st.lists(inner, max_size=3).map(lambda items: {"$iterator": items, "more": False})
        | st.dictionaries(st.text(max_size=4).map("${}".format), inner, max_size=2).map(
            lambda plain: {"$escape": plain}
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(VALUES, st.booleans())
def test_a_value_equals_itself(value: Any, order: bool) -> None:
    check(value)
    assert equal(value, value, order=order) == ""
    assert subset(value, value) == ""


@pytest.mark.slow
@given(st.lists(VALUES, max_size=4), st.randoms(use_true_random=False))
def test_without_order_a_shuffled_list_is_equal(items: list[Any], random: Any) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)
    assert equal(items, shuffled, order=False) == ""


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(PLAIN, PLAIN)
def test_equality_has_no_direction(one: Any, other: Any) -> None:
    assert bool(equal(one, other)) == bool(equal(other, one))


@given(PLAIN, st.data())
def test_a_changed_leaf_is_found(value: Any, data: Any) -> None:
    def changed(item: Any) -> Any:
        if isinstance(item, list) and item:
            at = data.draw(st.integers(0, len(item) - 1))
            return [*item[:at], changed(item[at]), *item[at + 1 :]]
        if isinstance(item, dict) and item:
            name = data.draw(st.sampled_from(sorted(item)))
            return {**item, name: changed(item[name])}
        return {"$bytes": "Y2hhbmdlZA=="}

    assert equal(value, changed(value)).startswith(("at ", "expected "))
    assert subset(value, changed(value))


@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        (1, 1.0),
        (0.1 + 0.2, 0.3),
        (1e300, 1e300 * (1 + 1e-12)),
        ([1, 2], {"$tuple": [1, 2]}),
        ([1, 2], {"$iterator": [1, 2]}),
        ({"$iterator": [1, 2], "more": True}, {"$iterator": [1, 2, 3]}),
        ({"$set": [1, "a"]}, {"$set": ["a", 1]}),
        (None, {"$undefined": True}),
        ({"a": 1}, {"a": 1, "b": {"$undefined": True}}),
        ({"$repeat": ["ab", 2]}, "abab"),
        (1.5, {"$decimal": "1.5"}),
        ({"$decimal": "1.5"}, {"$decimal": "1.50"}),
        ({"$object": "T", "fields": {"a": 1}}, {"$object": "T", "text": "x", "fields": {"a": 1, "b": 2}}),
        ({"$escape": {"a": 1}}, {"a": 1}),
        ({"$date": "2026-01-02T00:00:00Z"}, {"$date": "2026-01-02T00:00:00.000+00:00"}),
    ],
)  # fmt: skip
def test_equal(expected: Any, observed: Any) -> None:
    assert equal(expected, observed) == ""


@pytest.mark.parametrize(
    ("expected", "observed", "said"),
    [
        ({"items": [0, 1, {"price": 3}]}, {"items": [0, 1, {"price": 4}]}, "at .items[2].price: expected 3, got 4"),
        (1, True, "expected 1, got true"),
        (0, False, "expected 0, got false"),
        (None, 0, "expected null, got 0"),
        ("1", 1, 'expected "1", got 1'),
        ("a", "a ", 'expected "a", got "a "'),
        (10**20, 10**20 + 1, f"expected {10**20}, got {10**20 + 1}"),
        ({"$tuple": [1]}, [1], 'expected {"$tuple": [1]}, got [1]'),
        ({"$set": [1]}, [1], 'expected {"$set": [1]}, got [1]'),
        ([1, 2], {"$iterator": [1, 2], "more": True}, "expected [1, 2], got "),
        ([1], [1, 2], "expected 1 items, got 2: [1] and [1, 2]"),
        ({"a": 1}, {}, "at .a: expected 1, got nothing"),
        ({}, {"a": 1}, "at .a: expected nothing, got 1"),
        ({"a": 1}, {"$object": "T", "fields": {"a": 1}}, "expected "),
        ({"$float": "nan"}, 1.0, "expected "),
        (1, {"$decimal": "sNaN"}, "expected 1, got "),
        ([], None, "expected [], got null"),
        ({}, {"$unknown": 1}, 'expected {}, got {"$unknown": 1}'),
        ({"$bytes": "AA=="}, {"$bytes": "no"}, "expected "),
    ],
)  # fmt: skip
def test_unequal_says_where_and_how(expected: Any, observed: Any, said: str) -> None:
    assert equal(expected, observed).startswith(said)


def test_tolerance_is_for_floats_alone() -> None:
    assert equal(1.0, 1.01, tolerance=0.1) == ""
    assert equal(100, 101, tolerance=0.1) != ""


def test_subset() -> None:
    body = {"user": {"id": 3, "name": "ann"}, "rows": [{"a": 1, "b": 2}]}
    assert subset({"user": {"name": "ann"}, "rows": [{"a": 1}]}, body) == ""
    assert subset({"rows": []}, body).startswith("at .rows: expected 0 items, got 1")
    assert subset({"user": {"age": 3}}, body) == "at .user.age: expected 3, got nothing"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"$bytes": "!"}, r"\$bytes: not base64"),
        ({"$tuple": 1}, r"\$tuple: not a list"),
        ({"$float": "1"}, r"\$float: not nan"),
        ({"$int": "1x"}, r"\$int: "),
        ({"$int": "9" * 4001}, r"\$int: "),
        ({"$repeat": ["a", -1]}, r"\$repeat: not \[text, count\]"),
        ({"$repeat": ["a", 1 << 25]}, r"\$repeat: more than"),
        ([{"$repeat": ["a", 1 << 23]}] * 3, r"\$repeat: more than .* in all"),
        ({"$date": "today"}, r"\$date: not an ISO date"),
        ({"$decimal": "one"}, r"\$decimal: "),
        ({"$callable": "os.system"}, r"\$callable: unknown function"),
        ({"$no": 1}, r"\$no: unknown tag"),
        ({"$set": [], "a": 1}, r"\$set: has no business with 'a'"),
        ({"$undefined": False}, r"\$undefined: not true"),
        ({"a": object()}, "object is no JSON"),
    ],
)
def test_what_is_no_value_is_named(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check({"x": [value]})


def test_too_deep_is_refused_when_expected_and_different_when_observed() -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    with pytest.raises(ValueError, match="deeper than 64 levels"):
        check(deep)
    assert equal([[1]], deep)
    assert equal([1], {"$set": [deep]}, order=False)


@pytest.mark.slow
def test_expanded_and_differences_stay_small() -> None:
    assert expand_repeats({"a": [{"$repeat": ["xy", 3]}]}) == {"a": ["xyxyxy"]}
    assert len(equal("a" * 10**6, "b" * 10**6)) < 300
    assert len(equal([0] * 10**5, {"x": ["b" * 1000] * 1000})) < 300


@pytest.mark.slow
def test_comparing_is_linear() -> None:
    began = time.process_time()
    items = [{"n": n, "t": str(n)} for n in range(5_000)]
    assert equal(items, list(reversed(items)), order=False) == ""
    assert time.process_time() - began < 3


def test_the_drivers_know_every_function_that_can_be_passed() -> None:
    from pathlib import Path

    assert set(CALLABLES) == set(values.CALLABLES)
    script = (
        Path(values.__file__).parents[4] / "arena/tracks/dual/runner/drivers/call_values.js"
    ).read_text("utf-8")
    table = script.partition("const CALLABLES = {")[2].partition("\n};")[0]
    assert all(f"  {name}:" in table or f"  '{name}':" in table for name in values.CALLABLES)
