"""Bounded, plain copies of foreign values: no stored attempt can make its page too large or unreadable.

Nothing here raises, whatever the JSON. Texts keep their control characters: whoever shows the texts
replaces these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LONGEST_TEXT = 4_000
MAX_ITEMS = 200
MAX_NODES = 4_000
DEEPEST = 8
# Characters that a text still gets when there is no room any more.
LEAST_TEXT = 120
# Beyond it a number of tokens, USD or seconds is no fact.
LARGEST_NUMBER = 1e15


def clean(text: str) -> str:
    """Text that is UTF-8: bytes that were none, and halves of surrogate pairs, are written as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


@dataclass
class SizeBudget:
    """The remaining budget: characters of all texts together, and nodes of all trees."""

    characters: int
    nodes: int = MAX_NODES

    def text(self, text: str, max_length: int, tail: float = 0.25) -> dict[str, Any]:
        """{"text", "cut"}: the text up to a maximum length, with the share `tail` of it from the end.

        cut: characters that were left out; a line in the text says where.
        """
        max_length = max(min(max_length, self.characters), LEAST_TEXT)
        cut = max(0, len(text) - max_length)
        if cut:
            last = int(max_length * tail)
            end = text[len(text) - last :] if last else ""
            text = f"{text[: max_length - last]}\n[... {cut} characters are not shown ...]\n{end}"
        shown = clean(text)
        self.characters -= len(shown)
        return {"text": shown, "cut": cut}

    def plain(self, value: Any, longest: int = LONGEST_TEXT, depth: int = 0) -> Any:
        """The value as JSON that any reader takes: bounded in depth, number and length."""
        self.nodes -= 1
        if isinstance(value, str):
            return self.text(value, longest)["text"]
        if isinstance(value, Mapping | list | tuple):
            if depth >= DEEPEST or self.nodes < 0:
                return f"[{len(value)} values are not shown]"
            return self._tree(value, longest, depth)
        return scalar(value)

    def _tree(self, value: Any, longest: int, depth: int) -> Any:
        more = len(value) - MAX_ITEMS
        if isinstance(value, Mapping):
            items = list(value.items())[:MAX_ITEMS]
            fields = {clean(str(k)[:200]): self.plain(v, longest, depth + 1) for k, v in items}
            return fields | ({"[...]": f"{more} more are not shown"} if more > 0 else {})
        plain_items = [self.plain(item, longest, depth + 1) for item in value[:MAX_ITEMS]]
        return [*plain_items, f"[{more} more are not shown]"] if more > 0 else plain_items


def scalar(value: Any) -> Any:
    """A value without parts as JSON that a browser reads exactly."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        # A browser's numbers are doubles: whole ones are exact up to 2**53.
        exact = -(2**53) < value < 2**53
        return int(value) if exact else f"[a number of {value.bit_length()} bits]"
    if isinstance(value, float):
        # JSON has neither NaN nor infinity.
        return value if math.isfinite(value) else str(value)
    return clean(str(value)[:LONGEST_TEXT])


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty mapping."""
    return value if isinstance(value, Mapping) else {}


def list_or_empty(value: Any) -> list[Any]:
    """The value if it is a list, else an empty list."""
    return list(value) if isinstance(value, list | tuple) else []


def words(value: Any, max_length: int = LONGEST_TEXT) -> str:
    """The value if it is a text, cut; else ""."""
    return clean(value[:max_length]) if isinstance(value, str) else ""


def number(value: Any) -> float | int | None:
    """The value if it is a number that can be shown and added, else None."""
    # To Python, True is the number 1.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -LARGEST_NUMBER < value < LARGEST_NUMBER else None


def line_number(value: Any) -> int | None:
    """The value if it can be the number of a line, else None."""
    line = number(value)
    return int(line) if line is not None and 0 < line < 2**31 else None


def select_entries(
    values: Mapping[str, Any], names: Iterable[str], budget: SizeBudget
) -> dict[str, Any]:
    """The entries with these names that exist, as plain values."""
    return {name: budget.plain(values[name]) for name in names if name in values}
