"""Compares an observed value with a test's expectation, where matchers may stand for any part.

    {"$any": true}         {"$match": "regex"}, of the whole text     {"$contains": "text"}
    {"$unordered": [..]}   {"$approx": x, "within": d}    {"$type": "string|number|boolean|null|list|object"}

Everything else is compared as `arena.tracks.dual.tasks.values.equal` does. An expectation comes from the
project, an observed value is hostile.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.tracks.dual.oracles._texts import SEARCHED, brief
from arena.tracks.dual.tasks import values
from arena.tracks.dual.tasks._compare import Contents, Pair, ValueComparison

# The type of the `$object` that stands for a matcher while `values.expanded` checks an expectation; no
# program can bring one, as only expectations are looked up.
MATCHER = "a matcher"
# Items with matchers among them that are compared in any order: each is tried on each.
UNORDERED = 300
TOLERANCE = 1e-9
KINDS = {
    "string": {"text"},
    "number": {"number", "decimal"},
    "boolean": {"truth"},
    "null": {"null"},
    "list": {"list", "tuple", "set", "iterator"},
    "object": {"dict", "object"},
}


def _regex(content: Any) -> str:
    try:
        re.compile(content)
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        return f"no regular expression: {error}"
    return ""


def _number(content: Any) -> bool:
    return isinstance(content, int | float) and not isinstance(content, bool)


_CHECKS: dict[str, Callable[[Any], str]] = {
    "$any": lambda content: "" if content is True else "not true",
    "$match": _regex,
    "$contains": lambda content: "" if isinstance(content, str) and content else "not a text",
    "$type": lambda c: (
        "" if isinstance(c, str) and c in KINDS else f"not one of {', '.join(KINDS)}"
    ),
    "$unordered": lambda c: "" if isinstance(c, list) else "not a list",
    "$approx": lambda content: "" if _number(content) else "not a number",
}


def _matcher(value: Any) -> str:
    """The matcher's name, "" where `value` is no matcher. Raises ValueError when it is a broken matcher."""
    if not isinstance(value, dict):
        return ""
    name = next((key for key in value if key in _CHECKS), "")
    if not name:
        return ""
    wrong = _CHECKS[name](value[name])
    others = value.keys() - {name, *(["within"] if name == "$approx" else [])}
    if others:
        wrong = f"has no business with {min(others)[:40]!r}"
    if name == "$approx" and not _number(value.get("within")):
        wrong = "needs a number `within`"
    if wrong:
        raise ValueError(f"{name}: {wrong}")
    return name


def _lift_matchers(value: Any, matchers: list[Any], depth: int = 0) -> Any:
    """`value` with an object in place of each matcher, which goes to `matchers`. `$escape` hides matchers."""
    if depth > values.DEPTH:
        raise ValueError(f"deeper than {values.DEPTH} levels")
    if isinstance(value, list):
        return [_lift_matchers(item, matchers, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if name := _matcher(value):
        inner = value[name]
        items = (
            [_lift_matchers(item, matchers, depth + 1) for item in inner]
            if name == "$unordered"
            else inner
        )
        matchers.append({**value, name: items})
        return {"$object": MATCHER, "text": str(len(matchers) - 1)}
    if "$escape" in value and isinstance(value["$escape"], dict):
        inside = value["$escape"]
        return {
            "$escape": {
                key: _lift_matchers(item, matchers, depth + 1) for key, item in inside.items()
            }
        }
    return {key: _lift_matchers(item, matchers, depth + 1) for key, item in value.items()}


def prepare_expectation(expected: Any) -> tuple[Any, list[Any]]:
    """An expectation without its matchers, and these. Raises ValueError naming the tag that is wrong."""
    matchers: list[Any] = []
    lifted = values.expand_repeats(_lift_matchers(expected, matchers))
    for number, matcher in enumerate(matchers):
        if "$unordered" in matcher:
            matchers[number] = {"$unordered": values.expand_repeats(matcher["$unordered"])}
    return lifted, matchers


@dataclass(frozen=True)
class _Matching(ValueComparison):
    """A comparison whose matchers judge their parts of the value themselves."""

    matchers: tuple[Any, ...] = ()

    def difference(self, expected: Any, observed: Any, at: str = "") -> str:
        if not _is_lifted(expected):
            return super().difference(expected, observed, at)
        matcher = self.matchers[int(expected["text"])]
        if "$unordered" in matcher:
            return self._compare_unordered(matcher["$unordered"], observed, at)
        if _fits(matcher, observed):
            return ""
        place = f"at {at}: " if at else ""
        return f"{place}expected {brief(matcher)}, got {brief(observed)}"

    def _compare_unordered(self, wanted: list[Any], observed: Any, at: str) -> str:
        name, content = _kind(observed)
        if name not in KINDS["list"]:
            return self._differs({"$unordered": "a list"}, observed, at)
        observed_items = content["$iterator"] if name == "iterator" else content
        return self._items(wanted, list(observed_items), at, in_order=False)

    def _set(self, contents: Contents, values: Pair, at: str) -> str:
        return self._items(contents[0], contents[2], at, in_order=False)

    def _items(
        self, wanted: list[Any], observed_items: list[Any], at: str, *, in_order: bool
    ) -> str:
        lengths_differ = len(wanted) != len(observed_items)
        if in_order or lengths_differ or not any(_holds_matcher(item) for item in wanted):
            return super()._items(wanted, observed_items, at, in_order=in_order)
        if len(wanted) > UNORDERED:
            raise ValueError(f"more than {UNORDERED} items to be matched in any order")
        unpaired = self._first_unpaired(wanted, observed_items)
        place = f"at {at}: " if at else ""
        return (
            f"{place}no item fits {brief(self._readable(wanted[unpaired]))}"
            if unpaired >= 0
            else ""
        )

    def _first_unpaired(self, wanted: list[Any], observed_items: list[Any]) -> int:
        """The first of `wanted` that cannot be paired with a separate item, or -1 (augmenting paths)."""
        taken: dict[int, int] = {}
        fitting = [
            [
                number
                for number, item in enumerate(observed_items)
                if not self.difference(expected_item, item)
            ]
            for expected_item in wanted
        ]
        for start in range(len(wanted)):
            if not _assign_partner(start, fitting, taken):
                return start
        return -1

    def _readable(self, expected: Any) -> Any:
        """An expectation as the task has it, for people."""
        if _is_lifted(expected):
            return self._readable(self.matchers[int(expected["text"])])
        if isinstance(expected, list):
            return [self._readable(item) for item in expected]
        if isinstance(expected, dict):
            return {key: self._readable(item) for key, item in expected.items()}
        return expected


def _assign_partner(start: int, fitting: list[list[int]], taken: dict[int, int]) -> bool:
    """Pair `start`, if necessary by moving elements that are paired; `taken`: partner -> element."""
    came_from: dict[int, int] = {}
    waiting = [start]
    while waiting:
        current = waiting.pop()
        for partner in fitting[current]:
            if partner in came_from:
                continue
            came_from[partner] = current
            if partner in taken:
                waiting.append(taken[partner])
                continue
            while True:
                owner = came_from[partner]
                before = next((p for p, who in taken.items() if who == owner), None)
                taken[partner] = owner
                if owner == start or before is None:
                    return True
                partner = before
    return False


def _is_lifted(value: Any) -> bool:
    return isinstance(value, dict) and value.get("$object") == MATCHER


def _holds_matcher(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if _is_lifted(item):
            return True
        if isinstance(item, list | dict):
            waiting.extend(item.values() if isinstance(item, dict) else item)
    return False


def _kind(observed: Any) -> tuple[str, Any]:
    try:
        return values.kind(observed)
    except ValueError:
        return "unreadable", None


def _fits(matcher: dict[str, Any], observed: Any) -> bool:
    name, content = _kind(observed)
    if "$any" in matcher:
        return True
    if "$type" in matcher:
        return name in KINDS[matcher["$type"]]
    if "$approx" in matcher:
        near = name in KINDS["number"] and abs(float(content) - matcher["$approx"])
        return near is not False and near <= matcher["within"]
    if name != "text":
        return False
    if "$contains" in matcher:
        return matcher["$contains"] in content
    return len(content) <= SEARCHED and re.fullmatch(matcher["$match"], content) is not None


def difference(
    expected: Any,
    observed: Any,
    *,
    subset: bool = False,
    tolerance: float = TOLERANCE,
    order: bool = True,
) -> str:
    """Where and how `observed` differs from `expected`, "" where it fits. Raises ValueError when
    `expected` is no value.
    """
    lifted, matchers = prepare_expectation(expected)
    matching = _Matching(values.kind, tolerance, order, subset, tuple(matchers))
    try:
        return matching.difference(lifted, observed)
    except (RecursionError, OverflowError) as error:
        return f"what came cannot be compared: {error}"


def wrong_expectation(expected: Any) -> str:
    """What is wrong with an expectation, "" where nothing is."""
    try:
        prepare_expectation(expected)
    except ValueError as error:
        return str(error)
    return ""
