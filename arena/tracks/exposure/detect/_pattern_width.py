"""The width of a regular expression: can a text that it matches hold characters beyond an allowed set?"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_WORD = frozenset(string.ascii_letters + string.digits + "_")
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset(string.digits),
    "CATEGORY_WORD": _WORD,
    "CATEGORY_SPACE": frozenset(string.whitespace),
}
_MAX_PATTERN = 2000
_ENDS = ("AT_END", "AT_END_STRING")
_STARTS = ("AT_BEGINNING", "AT_BEGINNING_STRING")


@lru_cache(maxsize=1024)
def only(pattern: str, allowed: frozenset[str], function: str) -> bool:
    """Whether the ASCII of texts that `re.<function>(pattern, text)` matches is all of `allowed`.

    A newline after `$`, and letters that are equal but for their case under a flag, are let pass. Read from
    the parsed pattern, which is never run. False where that cannot be decided.
    """
    if len(pattern) > _MAX_PATTERN:
        return False
    try:
        import re._parser as parser  # type: ignore[import-not-found]

        tree = list(parser.parse(pattern))
    except (re.error, RecursionError, OverflowError):
        return False
    ends = [str(argument) for operation, argument in tree if str(operation) == "AT"]
    whole = function == "fullmatch" or any(end in _ENDS for end in ends)
    begun = function in ("match", "fullmatch") or any(start in _STARTS for start in ends)
    # Else the text may hold anything before or behind what was matched.
    if not (whole and begun):
        return False
    return all(character is not None and character <= allowed for character in _characters(tree))


def _characters(tree: Any) -> Iterator[frozenset[str] | None]:
    """The characters that each part of a parsed pattern can match; None for any at all."""
    for operation, argument in tree:
        kind = str(operation)
        if kind == "LITERAL":
            yield frozenset(chr(argument))
        elif kind == "IN":
            yield _one_of(argument)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield from _characters(argument[2])
        elif kind == "SUBPATTERN":
            yield from _characters(argument[3])
        elif kind == "BRANCH":
            for way in argument[1]:
                yield from _characters(way)
        elif kind not in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF"):
            yield None


def _one_of(members: Any) -> frozenset[str] | None:
    texts: set[str] = set()
    for operation, argument in members:
        kind = str(operation)
        if kind == "LITERAL":
            texts.add(chr(argument))
        # A wide range would make a set of a million characters.
        elif kind == "RANGE" and argument[1] < 0x250:
            texts.update(map(chr, range(argument[0], argument[1] + 1)))
        elif kind == "CATEGORY" and str(argument) in _CATEGORIES:
            texts |= _CATEGORIES[str(argument)]
        else:
            return None
    return frozenset(texts)
