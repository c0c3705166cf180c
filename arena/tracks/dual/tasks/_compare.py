"""How two values differ; `values.equal` says what counts. Linear but for the sorting of unordered items."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

SHOWN = 80
_KEY_DEPTH = 64
_LIKE_A_LIST = ("list", "tuple")

Pair = tuple[Any, Any]
# What is expected; the kind of what was observed, and what that is.
Contents = tuple[Any, str, Any]


def _excerpt(value: Any) -> str:
    """The start of `value` as JSON. A long container is not written out for its first characters."""
    if isinstance(value, str):
        value = value[: SHOWN + 1]
    elif isinstance(value, list) and len(value) > SHOWN:
        value = value[:SHOWN]
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def _close(expected: Any, observed: Any, tolerance: float) -> bool:
    # `float` of a signalling NaN raises, and a comparison with one does too.
    if isinstance(observed, Decimal) and not observed.is_finite():
        observed = math.nan if observed.is_nan() else float(observed)
    if expected == observed:
        return True
    # Whole numbers are exact: as floats 2**53 and 2**53 + 1 would be the same.
    if isinstance(expected, int) and isinstance(observed, int):
        return False
    try:
        first, second = float(expected), float(observed)
    except OverflowError:
        return False
    if math.isnan(first) and math.isnan(second):
        return True
    return math.isclose(first, second, rel_tol=tolerance, abs_tol=tolerance)


@dataclass(frozen=True)
class ValueComparison:
    """kind: reads a value, as `values.kind`. The rest as in `values.equal` and `values.subset`."""

    kind: Callable[[Any], tuple[str, Any]]
    tolerance: float
    order: bool
    subset: bool

    def difference(self, expected: Any, observed: Any, at: str = "") -> str:
        wanted, content = self.kind(expected)
        try:
            got, kind_found = self.kind(observed)
        except ValueError:
            got, kind_found = "unreadable", None
        compare = _COMPARED.get(wanted, ValueComparison._exact)
        if self._fits(wanted, got):
            return compare(self, (content, got, kind_found), (expected, observed), at)
        return self._differs(expected, observed, at)

    def _fits(self, wanted: str, got: str) -> bool:
        if wanted == "list":
            # Tasks are written for several languages, of which not all have tuples or generators.
            return got in (*_LIKE_A_LIST, "iterator") or (got == "set" and not self.order)
        return got == wanted or (wanted == "number" and got == "decimal")

    @staticmethod
    def _differs(expected: Any, observed: Any, at: str) -> str:
        place = f"at {at}: " if at else ""
        return f"{place}expected {_excerpt(expected)}, got {_excerpt(observed)}"

    def _exact(self, contents: Contents, values: Pair, at: str) -> str:
        return "" if contents[0] == contents[2] else self._differs(*values, at)

    def _number(self, contents: Contents, values: Pair, at: str) -> str:
        close = _close(contents[0], contents[2], self.tolerance)
        return "" if close else self._differs(*values, at)

    def _decimal(self, contents: Contents, values: Pair, at: str) -> str:
        first, second = contents[0], contents[2]
        # The text first: NaN is not equal to itself.
        same = str(first) == str(second) or (
            first.is_finite() and second.is_finite() and first == second
        )
        return "" if same else self._differs(*values, at)

    def _date(self, contents: Contents, values: Pair, at: str) -> str:
        first, second = contents[0], contents[2]
        # A datetime is a date in Python, and midnight of a day is not that day.
        alike = isinstance(first, datetime) == isinstance(second, datetime)
        return "" if alike and first == second else self._differs(*values, at)

    def _list(self, contents: Contents, values: Pair, at: str) -> str:
        content, got, observed_items = contents
        if got == "iterator":
            # The driver stops reading an endless iterator, and says so.
            if observed_items.get("more"):
                return self._differs(*values, at)
            observed_items = observed_items["$iterator"]
        return self._items(content, observed_items, at, in_order=self.order)

    def _set(self, contents: Contents, values: Pair, at: str) -> str:
        return self._items(contents[0], contents[2], at, in_order=False)

    def _iterator(self, contents: Contents, values: Pair, at: str) -> str:
        wanted, observed_items = contents[0]["$iterator"], contents[2]["$iterator"]
        if contents[0].get("more"):
            if len(observed_items) < len(wanted):
                return self._differs(*values, at)
            # Only the beginning is expected of an iterator that goes on.
            observed_items = observed_items[: len(wanted)]
        elif contents[2].get("more"):
            return self._differs(*values, at)
        return self._items(wanted, observed_items, at, in_order=self.order)

    def _items(
        self, wanted: list[Any], observed_items: list[Any], at: str, *, in_order: bool
    ) -> str:
        if len(wanted) != len(observed_items):
            place = f"at {at}: " if at else ""
            return (
                f"{place}expected {len(wanted)} items, got {len(observed_items)}: "
                f"{_excerpt(wanted)} and {_excerpt(observed_items)}"
            )
        pairs: Iterable[tuple[Any, Any]] = zip(wanted, observed_items, strict=True)
        if not in_order:
            # Sorted rather than paired each with each: a hostile list of many items would take quadratic
            # time.
            pairs = zip(self._sort_items(wanted), self._sort_items(observed_items), strict=True)
        for number, (first, second) in enumerate(pairs):
            if difference := self.difference(first, second, f"{at}[{number}]"):
                return difference
        return ""

    def _dict(self, contents: Contents, values: Pair, at: str) -> str:
        wanted, observed_items = contents[0], contents[2]
        for key, value in wanted.items():
            place = f"{at}.{key[:SHOWN]}"
            if key not in observed_items:
                # In JavaScript a missing key is like one whose value is undefined, and JSON leaves it out.
                if self._is_undefined(value):
                    continue
                return f"at {place}: expected {_excerpt(value)}, got nothing"
            if difference := self.difference(value, observed_items[key], place):
                return difference
        return "" if self.subset else self._more(wanted, observed_items, at)

    def _more(self, wanted: dict[str, Any], observed_items: dict[str, Any], at: str) -> str:
        for key, value in observed_items.items():
            if key not in wanted and not self._is_undefined(value):
                return f"at {at}.{key[:SHOWN]}: expected nothing, got {_excerpt(value)}"
        return ""

    @staticmethod
    def _is_undefined(value: Any) -> bool:
        return isinstance(value, dict) and value.get("$undefined") is True

    def _object(self, contents: Contents, values: Pair, at: str) -> str:
        wanted, observed_items = contents[0], contents[2]
        if wanted["$object"] != observed_items["$object"] or wanted.get("text") not in (
            None,
            observed_items.get("text"),
        ):
            return self._differs(*values, at)
        fields = observed_items.get("fields", {})
        for name, value in wanted.get("fields", {}).items():
            if name not in fields:
                return f"at {at}.{name[:SHOWN]}: expected {_excerpt(value)}, got nothing"
            if difference := self.difference(value, fields[name], f"{at}.{name[:SHOWN]}"):
                return difference
        return ""

    def _sort_items(self, items: list[Any]) -> list[Any]:
        """Equal values at the same index; among those that may be equal, the same kinds."""
        return sorted(items, key=lambda item: (self._key(item, False), self._key(item, True)))

    def _key(self, value: Any, exact: bool, depth: int = 0) -> str:
        """A text that is the same for equal values; floats are cut at nine digits, as tolerance is finer.

        exact: lists, tuples, sets and iterators of the same items have different texts.
        """
        try:
            name, content = self.kind(value)
        except ValueError:
            return "unreadable"
        if depth > _KEY_DEPTH:
            return "deep"
        if name in ("number", "decimal"):
            return _number_key(content)
        if name in (*_LIKE_A_LIST, "set", "iterator"):
            items = content["$iterator"] if name == "iterator" else content
            keys = [self._key(item, exact, depth + 1) for item in items]
            if name == "set" or not self.order:
                keys.sort()
            return f"{name if exact else ''}[{','.join(keys)}]"
        if name == "dict":
            members = sorted(
                (key, self._key(item, exact, depth + 1)) for key, item in content.items()
            )
            return f"dict {json.dumps(members)}"
        return f"{name} {content if name != 'object' else content['$object']!r}"


def _number_key(number: Any) -> str:
    if isinstance(number, int):
        return f"{number:.9e}" if abs(number) < 2**53 else str(number)
    if isinstance(number, Decimal):
        number = float(number) if number.is_finite() else math.nan
    return f"{number:.9e}" if abs(number) < 2**53 else str(number)


_COMPARED: dict[str, Callable[[ValueComparison, Contents, Pair, str], str]] = {
    "number": ValueComparison._number,
    "decimal": ValueComparison._decimal,
    "date": ValueComparison._date,
    "list": ValueComparison._list,
    "tuple": ValueComparison._list,
    "set": ValueComparison._set,
    "iterator": ValueComparison._iterator,
    "dict": ValueComparison._dict,
    "object": ValueComparison._object,
}
