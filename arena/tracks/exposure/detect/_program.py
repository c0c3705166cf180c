"""What a program tests, wherever it does so, and the texts that it tests against."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from arena.tracks.exposure.flow.facts import CallFact, Check, ProgramFacts, Value

MAX_TESTS = 2_000
# Regular expressions of one program that are tried.
MAX_PATTERNS = 16
# Stands for a part of a text that is not known.
PLACEHOLDER = "site.example.com"
_FLAGS = frozenset(
    ("I", "IGNORECASE", "X", "VERBOSE", "S", "DOTALL", "M", "MULTILINE", "A", "ASCII")
)


@dataclass(frozen=True)
class ParsedProgram:
    """A program's tests, each as if it was passed, and its regular expressions with their flags."""

    tests: tuple[Check, ...]
    flags: Mapping[str, int]


def parsed_program(facts: ProgramFacts) -> ParsedProgram:
    """The parsed program, which all its redirects share."""
    return ParsedProgram(tuple(islice(_everywhere(facts), MAX_TESTS)), _flags(facts))


def texts_of(value: Value, unknown: str = PLACEHOLDER) -> tuple[str, ...]:
    """The texts that a value can be, each of a list's, with `unknown` for unknown parts."""
    if value.texts:
        return value.texts
    if value.items is not None:
        return tuple(text for item in value.items for text in texts_of(item, unknown))
    if any(piece.texts for piece in value.pieces):
        return ("".join(piece.texts[0] if piece.texts else unknown for piece in value.pieces),)
    return ()


def _everywhere(facts: ProgramFacts) -> Iterator[Check]:
    """All comparisons and calls of a program as checks that hold."""
    at_start: set[int] = set()
    for comparison in facts.comparisons:
        yield Check(comparison.operator, comparison.left, comparison.right, True, comparison.line)
        if (
            comparison.operator == "=="
            and comparison.right.exact
            and comparison.right.numbers == (0,)
        ):
            at_start.add(id(comparison.left_node))
    for call in facts.calls:
        paths = call.paths
        if id(call.node) in at_start:
            paths = frozenset(re.sub(r"\.(?:find|index)$", ".startswith", path) for path in paths)
        yield Check(
            "call",
            call.receiver,
            Value(items=call.arguments),
            True,
            call.line,
            paths,
            call.keywords,
        )


def _flags(facts: ProgramFacts) -> dict[str, int]:
    """Pattern -> the flags that it is compiled or used with."""
    result: dict[str, int] = {}
    for call in facts.calls:
        if not any(path.startswith(("re.", "regex.")) for path in call.paths) or not call.arguments:
            continue
        flags = _flags_written(call)
        for text in texts_of(call.arguments[0], re.escape(PLACEHOLDER)):
            if text in result or len(result) < MAX_PATTERNS:
                result[text] = result.get(text, 0) | flags
    return result


def _flags_written(call: CallFact) -> int:
    nodes = [*call.node.args[1:], *(keyword.value for keyword in call.node.keywords)]
    names = (
        part.attr
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and part.attr.isupper()
    )
    return sum({int(getattr(re, name)) for name in names if name in _FLAGS})
