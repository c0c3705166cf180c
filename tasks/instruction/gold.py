"""A gold patch as the checker needs it: for each file what it is, and the lines of its hunks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from parsers.patch import FileChange, parse_patch
from szz.paths import outside

MAX_GOLD = 8 << 20
DOCUMENT = re.compile(
    r"(?i)(?:.*/)?(?:(?:readme|changes|changelog|news|history|authors|copying|licen[cs]e)(?:\.\w+)?"
    r"|(?!cmakelists)[^/]*\.(?:md|markdown|rst|adoc|asciidoc|txt|texi|pod|html?|tex|[1-9]))"
)
_FILE = re.compile(r"diff --git ")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@ ?(.*)")

Mark = Literal["+", "-", " "]


class GoldError(ValueError):
    """The gold patch cannot be read; the message says why."""


@dataclass(frozen=True)
class GoldHunk:
    """A hunk: the function that git names behind `@@`, and (mark, line) in order."""

    heading: str
    lines: tuple[tuple[Mark, str], ...]

    def side(self, side_mark: Mark) -> tuple[list[str], list[bool]]:
        """Lines of the new (`+`) or old (`-`) side, and for each whether it has `side_mark`, not a blank."""
        marked_lines = [
            (mark == side_mark, line) for mark, line in self.lines if mark in (side_mark, " ")
        ]
        return [line for _, line in marked_lines], [is_marked for is_marked, _ in marked_lines]


@dataclass(frozen=True)
class GoldFile:
    """A file of a gold patch."""

    change: FileChange
    hunks: tuple[GoldHunk, ...]

    @property
    def path(self) -> str:
        return self.change.new or self.change.old or ""

    @property
    def base(self) -> str:
        return self.path.rpartition("/")[2]

    @cached_property
    def source(self) -> bool:
        """C or C++ that ships: no test, fuzz target or generated file."""
        return not outside(self.path.encode("utf-8", "surrogateescape"), "source")

    @property
    def document(self) -> bool:
        return DOCUMENT.fullmatch(self.path) is not None

    @property
    def header(self) -> bool:
        return re.search(r"\.(?:h|hh|hpp|hxx|h\+\+|ipp|inl|tcc)(?:\.in)?$", self.base) is not None

    def lines(self, mark: Mark) -> Iterator[str]:
        """All lines with that mark."""
        return (line for hunk in self.hunks for line_mark, line in hunk.lines if line_mark == mark)


def read_gold(gold: bytes) -> tuple[GoldFile, ...]:
    """The files of a gold patch. Raises GoldError when it is too large, malformed, or changes nothing."""
    if len(gold) > MAX_GOLD:
        raise GoldError(f"the gold patch is larger than {MAX_GOLD >> 20} MiB")
    patch = parse_patch(gold)
    if patch.problems:
        raise GoldError(f"the gold patch is malformed: {patch.problems[0]}")
    if patch.empty:
        raise GoldError("the gold patch changes nothing")
    contents = _sections(gold.decode("utf-8", "replace").split("\n"))
    if len(contents) != len(patch.files):
        raise GoldError("the gold patch is malformed: not every file begins with `diff --git`")
    return tuple(
        GoldFile(change, tuple(hunks)) for change, hunks in zip(patch.files, contents, strict=True)
    )


def _sections(lines: list[str]) -> list[list[GoldHunk]]:
    """The hunks of each file; lines outside of hunks are only looked at for where a file begins."""
    sections: list[list[GoldHunk]] = []
    at = 0
    while at < len(lines):
        header = _HUNK.match(lines[at])
        if header and sections:
            hunk, at = _hunk(lines, at + 1, header)
            sections[-1].append(hunk)
            continue
        if _FILE.match(lines[at]):
            sections.append([])
        at += 1
    return sections


def _hunk(lines: list[str], at: int, header: re.Match[str]) -> tuple[GoldHunk, int]:
    old, new = (1 if count is None else int(count) for count in header.groups()[:2])
    hunk_lines: list[tuple[Mark, str]] = []
    while (old > 0 or new > 0) and at < len(lines):
        mark, line = lines[at][:1], lines[at][1:].removesuffix("\r")
        at += 1
        if mark == "+":
            hunk_lines.append(("+", line))
            new -= 1
        elif mark == "-":
            hunk_lines.append(("-", line))
            old -= 1
        elif mark != "\\":
            hunk_lines.append((" ", line))
            old, new = old - 1, new - 1
    return GoldHunk(header[3].strip(), tuple(hunk_lines)), at
