"""Tries a regular expression on short texts, so that no pattern can make it slow.

All positions that each part can reach are held in a set, so nothing is tried twice, and every step counts
towards a budget. What cannot be done in this way (references back to a group) is Untriable, as is a pattern
that is too large.
"""

from __future__ import annotations

import importlib
import re
import string
import warnings
from collections.abc import Callable, Iterable
from typing import Any

MAX_PATTERN = 2_000
# Of all tries of one expression together, counted in positions looked at.
MAX_STEPS = 80_000
MAX_SAMPLES = 24
_MAX_SAMPLE = 200
_WORD = frozenset(string.ascii_letters + string.digits + "_")
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_WORD": lambda item: item.isalnum() or item == "_",
}
# Characters that stand for a set of characters in a sample, the first that fits.
_TRIED_FIRST = "wah0.-/:#?"


class Untriable(Exception):
    """A pattern that is broken, too large, or of a kind that is not tried."""


def _parse_pattern(pattern: str, flags: int) -> Any:
    if len(pattern) > MAX_PATTERN:
        raise Untriable
    # By name, since it is a private module of Python's.
    parser: Any = importlib.import_module("re._parser")
    try:
        with warnings.catch_warnings():
            # Patterns of strangers would warn on our terminal.
            warnings.simplefilter("ignore")
            return parser.parse(pattern, flags)
    except (re.error, RecursionError, OverflowError, ValueError, IndexError) as error:
        raise Untriable from error


class Expression:
    """A pattern with its flags (those of `re`). Raises Untriable."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._tree = _parse_pattern(pattern, flags)
        self._flags = int(self._tree.state.flags)
        self._text = ""
        self._left = MAX_STEPS

    def accepts(self, text: str, how: str) -> bool:
        """Whether `match`, `fullmatch` or (any different `how`) `search` matches the text.

        Raises Untriable, also when the budget of all tries together is used up.
        """
        self._text = text
        begin = {0} if how in ("match", "fullmatch") else set(range(len(text) + 1))
        try:
            ends = self._sequence(self._tree, begin, self._flags)
        except RecursionError as error:
            raise Untriable from error
        return len(text) in ends if how == "fullmatch" else bool(ends)

    def samples(self) -> tuple[str, ...]:
        """A few short texts that it is meant for: each alternative, optional parts without and with.

        Raises Untriable.
        """
        try:
            return tuple(dict.fromkeys(_samples(self._tree)))
        except RecursionError as error:
            raise Untriable from error

    def _sequence(self, parts: Any, starts: set[int], flags: int) -> set[int]:
        for operation, value in parts:
            # One more: empty sets cost a step too, or a pattern of nothing would have no end.
            self._left -= len(starts) + 1
            if self._left < 0:
                raise Untriable
            if not starts:
                break
            starts = self._step(str(operation), value, starts, flags)
        return starts

    def _step(self, operation: str, value: Any, starts: set[int], flags: int) -> set[int]:
        if operation in _ONE_CHARACTER:
            return {
                at + 1
                for at in starts
                if at < len(self._text) and _fits(operation, value, self._text[at], flags)
            }
        if operation == "AT":
            return {at for at in starts if _stands(str(value), self._text, at, flags)}
        if operation == "BRANCH":
            ways = [self._sequence(way, starts, flags) for way in value[1]]
            return {at for way in ways for at in way}
        if operation == "SUBPATTERN":
            _, added, removed, inner = value
            return self._sequence(inner, starts, (flags | added) & ~removed)
        if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            return self._match_repeat(value, starts, flags)
        if operation == "ATOMIC_GROUP":
            return self._sequence(value, starts, flags)
        if operation in ("ASSERT", "ASSERT_NOT"):
            return {at for at in starts if self._looks(value, at, flags) == (operation == "ASSERT")}
        raise Untriable

    def _match_repeat(self, value: Any, starts: set[int], flags: int) -> set[int]:
        least, limit, inner = value
        reached = set(starts)
        for _ in range(int(least)):
            before, reached = reached, self._sequence(inner, reached, flags)
            # A round that changes nothing will not change anything later either.
            if reached == before:
                break
        every, fresh, count = set(reached), reached, int(least)
        while fresh and count < int(limit):
            fresh = self._sequence(inner, fresh, flags) - every
            every |= fresh
            count += 1
        return every

    def _looks(self, value: Any, at: int, flags: int) -> bool:
        direction, inner = value
        if direction > 0:
            return bool(self._sequence(inner, {at}, flags))
        # Python's lookbehinds have a fixed width.
        start = at - int(inner.getwidth()[0])
        return start >= 0 and at in self._sequence(inner, {start}, flags)


_ONE_CHARACTER = frozenset(("LITERAL", "NOT_LITERAL", "ANY", "IN"))


def _fits(operation: str, value: Any, character: str, flags: int) -> bool:
    """Whether a part that matches a single character allows this character."""
    if operation == "ANY":
        return character != "\n" or bool(flags & re.DOTALL)
    forms = (
        {character, character.lower(), character.upper()} if flags & re.IGNORECASE else {character}
    )
    if operation == "LITERAL":
        return chr(value) in forms
    if operation == "NOT_LITERAL":
        return chr(value) not in forms
    negative = bool(value) and str(value[0][0]) == "NEGATE"
    return (
        any(_contains_character(str(kind), what, form) for kind, what in value for form in forms)
        != negative
    )


def _contains_character(kind: str, what: Any, character: str) -> bool:
    if kind == "LITERAL":
        return chr(what) == character
    if kind == "RANGE":
        return chr(what[0]) <= character <= chr(what[1])
    if kind == "CATEGORY":
        name = str(what)
        positive = _CATEGORIES[name.replace("_NOT_", "_")]
        return positive(character) != ("_NOT_" in name)
    return False


def _stands(where: str, text: str, at: int, flags: int) -> bool:
    """Whether a position is what `where` asks for: a beginning, an end, a boundary."""
    lines = bool(flags & re.MULTILINE)
    if where.startswith("AT_BEGINNING"):
        return at == 0 or (lines and where == "AT_BEGINNING" and text[at - 1] == "\n")
    if where == "AT_END_STRING":
        return at == len(text)
    if where == "AT_END":
        last = at == len(text) - 1 or lines
        return at == len(text) or (last and text[at] == "\n")
    sides = text[at - 1 : at] if at else "", text[at : at + 1]
    boundary = (sides[0] in _WORD and sides[0] != "") != (sides[1] in _WORD and sides[1] != "")
    return boundary == (where == "AT_BOUNDARY")


def _samples(parts: Iterable[Any]) -> list[str]:
    samples = [""]
    for operation, value in parts:
        more = _samples_of_part(str(operation), value)
        samples = [
            before + after for after in more for before in samples if len(before) < _MAX_SAMPLE
        ]
        samples = samples[:MAX_SAMPLES]
    return samples


def _samples_of_part(operation: str, value: Any) -> list[str]:
    if operation == "LITERAL":
        return [chr(value)]
    if operation == "ANY":
        return ["."]
    if operation in ("IN", "NOT_LITERAL"):
        return [
            next((item for item in _TRIED_FIRST if _fits(operation, value, item, 0)), "")
            or _first(value)
        ]
    if operation == "BRANCH":
        return [sample for way in value[1] for sample in _samples(way)][:MAX_SAMPLES]
    if operation == "SUBPATTERN":
        return _samples(value[3])
    if operation == "ATOMIC_GROUP":
        return _samples(value)
    if operation.endswith("_REPEAT"):
        return _samples_of_repeat(value)
    return [""]


def _first(value: Any) -> str:
    literal = next((what for kind, what in value if str(kind) == "LITERAL"), None)
    return "" if literal is None else chr(literal)


def _samples_of_repeat(value: Any) -> list[str]:
    least, _, inner = value
    wide = len(inner) == 1 and str(inner[0][0]) == "ANY"
    once = ["w", "/"] if wide else _samples(inner)
    if wide and not least:
        return [""]
    return [item * max(1, min(int(least), 8)) for item in once] + ([] if least else [""])
