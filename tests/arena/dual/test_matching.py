"""Matchers: what they fit, anywhere inside an expectation; pairing in any order is complete."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.oracles._matching import difference, wrong_expectation
from arena.tracks.dual.tasks import values

ANY = {"$any": True}


@pytest.mark.parametrize(
    "expected, observed, fits",
    [
        (ANY, None, True),
        ({"a": ANY}, {}, False),
        ({"$match": "a+"}, "aaa", True),
        ({"$match": "a+"}, "aaab", False),
        ({"$match": ".*"}, 3, False),
        ({"$match": "(?s).*"}, "x" * 20_001, False),
        ({"$contains": "b"}, "abc", True),
        ({"$contains": "b"}, ["b"], False),
        ({"$type": "number"}, True, False),
        ({"$type": "number"}, {"$int": "9" * 30}, True),
        ({"$type": "null"}, {"$undefined": True}, True),
        ({"$type": "list"}, {"$tuple": [1]}, True),
        ({"$type": "object"}, {}, True),
        ({"$type": "string"}, {"$bytes": ""}, False),
        ({"$approx": 1.0, "within": 0.5}, 1.5, True),
        ({"$approx": 1.0, "within": 0.5}, 1.6, False),
        ({"$approx": 1.0, "within": 0.5}, True, False),
        ({"$approx": 1.0, "within": 0.5}, {"$float": "nan"}, False),
        ({"$approx": 1.0, "within": 0.5}, {"$int": "9" * 999}, False),
        ({"$unordered": [1, ANY]}, [2, 1], True),
        ({"$unordered": [1, 1]}, [1, 2], False),
        ({"$unordered": [ANY]}, [], False),
        ({"$unordered": [ANY]}, "a", False),
        ({"$unordered": [{"a": {"$unordered": [1, 2]}}]}, [{"a": [2, 1]}], True),
        ({"$tuple": [ANY, 2]}, {"$tuple": [1, 2]}, True),
        ({"$set": [ANY, 2]}, {"$set": [2, 1]}, True),
        ({"$escape": {"$k": ANY}}, {"$escape": {"$k": 1}}, True),
        ([{"$repeat": ["ab", 2]}, ANY], ["abab", 1], True),
        ({"$any": True}, {"$wrong": 1}, True),
    ],
)
def test_matcher(expected: Any, observed: Any, fits: bool) -> None:
    assert wrong_expectation(expected) == ""
    assert (difference(expected, observed) == "") is fits


def test_what_differs_is_told_with_its_place() -> None:
    wrong = difference({"rows": [{"id": {"$type": "number"}}]}, {"rows": [{"id": "7"}]})
    assert wrong.startswith("at .rows[0].id: ") and '"$type": "number"' in wrong and '"7"' in wrong
    assert '{"$any": true}' in difference({"$unordered": [[1, ANY]]}, [[2, 3]])


matcher = st.sampled_from(
    [
        ANY,
        {"$type": "number"},
        {"$type": "string"},
        {"$match": "[ab]"},
        {"$approx": 1, "within": 1},
        1,
        2,
        "a",
    ]
)
leaf = st.sampled_from([0, 1, 2, 3, "a", "b", "c", None, True])


@given(wanted=st.lists(matcher, max_size=5), found=st.lists(leaf, max_size=5))
def test_items_in_any_order_are_paired_whenever_they_can_be(
    wanted: list[Any], found: list[Any]
) -> None:
    possible = len(wanted) == len(found) and any(
        all(not difference(one, other) for one, other in zip(wanted, order, strict=True))
        for order in permutations(found)
    )
    assert (difference({"$unordered": wanted}, found) == "") is possible


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(expected=plain, observed=plain, subset=st.booleans())
def test_without_matchers_it_compares_as_values_do(
    expected: Any, observed: Any, subset: bool
) -> None:
    own = values.subset(expected, observed) if subset else values.equal(expected, observed)
    assert difference(expected, observed, subset=subset) == own
    assert difference(expected, expected) == ""
