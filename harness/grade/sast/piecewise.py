"""A second try at files that the scanner could not parse as a whole: piece by piece, branch by branch.

`#ifdef` around half of an `if` or of a function's head is common in C and stops the parser for the
whole file (7 of 79 files of jq, 6 of 273 of mruby). The file is cut after each `}` in the first column;
of a piece with conditional directives there are up to three readings, without the directives: with all
branches, with the first ones, with the last ones. A line was scanned when some reading with it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.grade.sast.stage import StagedEntry, Staging

_MAX_PIECES = 400
_CONDITIONAL = re.compile(
    rb"[ \t]*(?:#|%:|\?\?=)[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
)
_OPENING = (b"if", b"ifdef", b"ifndef")
_NEXT = (b"elif", b"elifdef", b"elifndef", b"else")
_CONTINUED = b"\\"  # a further line of a directive


@dataclass(frozen=True)
class _Line:
    """A line's part in the conditionals around it."""

    directive: bool
    first: bool
    last: bool


def stage_pieces(stage: Staging, entry: StagedEntry, content: bytes) -> None:
    """Put the pieces of a file (its true content) on the list."""
    lines = content.split(b"\n")
    parts = _parts(lines)
    for start, end in _pieces(lines):
        for part in _readings(parts[start:end]):
            text = b"\n".join(
                line if keep else b"" for line, keep in zip(lines[start:end], part, strict=True)
            )
            stage.add(entry.side, entry.path, text + b"\n", entry.kind, start + 1, part)


def _pieces(lines: list[bytes]) -> Iterator[tuple[int, int]]:
    """First line and end of each piece."""
    least = max(1, len(lines) // _MAX_PIECES)
    start = 0
    for number, line in enumerate(lines, 1):
        if line.startswith(b"}") and number - start >= least:
            yield start, number
            start = number
    if start < len(lines):
        yield start, len(lines)


def _readings(parts: list[_Line]) -> list[tuple[bool, ...]]:
    """Which lines to keep, for each different way to read a piece."""
    ways = (
        tuple(not part.directive for part in parts),
        tuple(part.first and not part.directive for part in parts),
        tuple(part.last and not part.directive for part in parts),
    )
    return list(dict.fromkeys(ways))


def _parts(lines: list[bytes]) -> list[_Line]:
    """The part of each line: in the first branches only, in the last branches only."""
    words = _directives(lines)
    branches = _last_branches(words)
    parts: list[_Line] = []
    open_groups: list[tuple[int, int]] = []  # number of the group, branch of it
    groups = later = earlier = 0  # open groups that are past the first, or before the last branch
    for word in words:
        if word in _OPENING:
            open_groups.append((groups, 0))
            earlier += branches[groups] > 0
            groups += 1
        elif word in (*_NEXT, b"endif") and open_groups:
            group, branch = open_groups.pop()
            later -= branch > 0
            earlier -= branch < branches[group]
            if word in _NEXT:
                open_groups.append((group, branch + 1))
                later += 1
                earlier += branch + 1 < branches[group]
        parts.append(_Line(bool(word), not later, not earlier))
    return parts


def _last_branches(words: list[bytes]) -> list[int]:
    """For each group of conditionals, by its opening, the number of its last branch, from 0."""
    branches: list[int] = []
    open_groups: list[int] = []
    for word in words:
        if word in _OPENING:
            open_groups.append(len(branches))
            branches.append(0)
        elif word == b"endif":
            del open_groups[-1:]
        elif word in _NEXT and open_groups:
            branches[open_groups[-1]] += 1
    return branches


def _directives(lines: list[bytes]) -> list[bytes]:
    """The conditional directive on each line, or b""; a continued directive is on each of its lines."""
    words: list[bytes] = []
    goes_on = False
    for line in lines:
        match = _CONDITIONAL.match(line)
        word = match[1] if match else b""
        words.append(_CONTINUED if goes_on else word)
        goes_on = (goes_on or bool(word)) and line.rstrip().endswith(b"\\")
    return words
