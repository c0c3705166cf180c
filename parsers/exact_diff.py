"""Unified diffs of a single file that are applied exactly, or not at all.

A pack stores a file that differs from another in a few lines as such a diff. There is no fuzz: each line
that a hunk keeps or removes must stand in the base at the line that the hunk names, so that a reference which
was edited without its variants is an error, and never a program that nobody wrote.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from parsers.patch import Hunk, parse_patch

NO_NEWLINE = b"\\ No newline at end of file\n"


class DiffDoesNotApply(ValueError):
    """The diff is malformed, or its base is not the file that it starts from."""


def make_diff(base: bytes, target: bytes, name: str) -> bytes:
    """The diff from `base` to `target` with three lines of context; empty where they are equal.

    name: path of the base, written as git does (`a/`, `b/`), so that `git apply` takes it as well.
    """
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _lines(base),
        _lines(target),
        f"a/{name}".encode(),
        f"b/{name}".encode(),
    )
    return b"".join(line if line.endswith(b"\n") else line + b"\n" + NO_NEWLINE for line in lines)


def apply_diff(diff: bytes, base: bytes, name: str) -> bytes:
    """Apply a diff to `base`, whose path is `name`; returns the new file.

    Raises DiffDoesNotApply for a diff that is malformed, of several files, or not of `name`, and
    where any line or line number does not fit `base`.
    """
    patch = parse_patch(diff)
    if patch.problems:
        raise DiffDoesNotApply(patch.problems[0])
    if [(change.old, change.status) for change in patch.files] != [(name, "modified")]:
        raise DiffDoesNotApply(f"it is not a diff of {name} alone")
    (change,) = patch.files
    if change.unclear or change.binary or not change.hunks:
        raise DiffDoesNotApply("it is not a plain diff of text")
    base_lines, diff_lines = _lines(base), _lines(diff)
    target: list[bytes] = []
    position = 0
    for hunk in change.hunks:
        where = f"line {hunk.at}: "
        removed, added = _sides(diff_lines, hunk)
        # An empty side names the line before it, any other its first line.
        start = hunk.old - bool(removed)
        if start < position:
            raise DiffDoesNotApply(f"{where}it begins before the end of the one before")
        if base_lines[start : start + len(removed)] != removed:
            raise DiffDoesNotApply(f"{where}{name} has other lines at line {hunk.old}")
        target += base_lines[position:start]
        if len(target) != hunk.new - bool(added):
            raise DiffDoesNotApply(f"{where}the new lines would not begin at line {hunk.new}")
        target += added
        position = start + len(removed)
    target += base_lines[position:]
    if any(not line.endswith(b"\n") for line in target[:-1]):
        raise DiffDoesNotApply("a line without an end would not be the last")
    return b"".join(target)


def _lines(content: bytes) -> list[bytes]:
    """Lines with their ends. Only LF ends a line: `splitlines` would cut at a CR inside a line as well."""
    *whole, rest = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def _sides(lines: list[bytes], hunk: Hunk) -> tuple[list[bytes], list[bytes]]:
    """The lines of a hunk's old and new side."""
    sides: dict[bytes, list[bytes]] = {b"-": [], b"+": []}
    for kinds, line in _content(lines, hunk):
        for kind in kinds:
            sides[kind].append(line)
    return sides[b"-"], sides[b"+"]


def _content(lines: list[bytes], hunk: Hunk) -> Iterator[tuple[tuple[bytes, ...], bytes]]:
    """Each line of a hunk without its first character, and the sides that it belongs to."""
    where = f"line {hunk.at}: "
    after = [*lines[hunk.at + 1 : hunk.at + hunk.lines + 1], b""]
    kind = b""
    for line, following in zip(lines[hunk.at : hunk.at + hunk.lines], after, strict=False):
        if line.startswith(b"\\"):
            if not kind:
                raise DiffDoesNotApply(f"{where}an end of file is noted where no line is")
            continue
        # Editors that strip white space at line ends make " " of an empty line that is kept "".
        kind, text = (b" ", line) if line == b"\n" else (line[:1], line[1:])
        if kind not in (b" ", b"+", b"-"):
            raise DiffDoesNotApply(f"{where}a line of the hunk begins with none of ' +-'")
        if following.startswith(b"\\"):
            text = text.removesuffix(b"\n")
        yield (kind,) if kind != b" " else (b"-", b"+"), text
