"""gcov's JSON and .gcov texts (also LLVM's) to the lines that ran; sources as they are named there.

JSON: format version "1" of GCC 9 and later, a document in each line (`gcov --json-format --stdout`). Text:
the columns `count:line:source` of gcov and `llvm-cov gcov`, and what they write with `-i` (`file:`,
`lcount:`; gcov before 9), for which LLVM's needs no sources. Nothing is raised, whatever the bytes; what is
left out is in `problems`. Bounds: MAX_BYTES bytes, MAX_FILES sources, MAX_LINES lines, in linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.text import decode

MAX_BYTES = 32 << 20
# A parsed document takes a multiple of its text, and each line is a document.
MAX_DOCUMENT = 8 << 20
MAX_FILES = 20_000
MAX_LINES = 2_000_000
# Line numbers above are nobody's.
MAX_NUMBER = 10_000_000

MAX_COUNT = 1 << 62
MAX_NAME = 4096
MAX_PROBLEMS = 20
# A count of gcov: "-" no code, "#####" and "=====" not run, a number (perhaps 12k, with "*" when part of
# the line did not run).
_LINE = re.compile(
    r"^[ ]{0,20}(?P<count>[0-9]{1,20}|#{5}|={5}|[$%]{5}|[0-9]{1,6}\.?[0-9]{0,3}[kMGTPEZY])\*?"
    r":[ ]{0,20}(?P<line>[0-9]{1,8}):"
    r"|^(?:[ ]{0,20}-:[ ]{0,20}0:Source|file):(?P<source>[^\n]+)$"
    r"|^lcount:(?P<at>[0-9]{1,8}),(?P<times>[0-9]{1,20})(?![0-9])",
    re.MULTILINE,
)


@dataclass(frozen=True)
class CoveredSource:
    """A source file in an object: its name as the compiler had it, where that ran, line -> count.

    `folder` is the compiler's working directory, "" when the format does not record it.
    """

    name: str
    folder: str
    lines: Mapping[int, int]

    @property
    def executed_lines(self) -> frozenset[int]:
        return frozenset(line for line, count in self.lines.items() if count)


@dataclass
class Coverage:
    """The sources of all objects, and what could not be read."""

    sources: list[CoveredSource] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lines: int = 0

    def doubt(self, line: str) -> None:
        if line not in self.problems and len(self.problems) < MAX_PROBLEMS:
            self.problems.append(line)

    def add(self, name: str, folder: str, lines: Mapping[int, int]) -> None:
        """Take a source in, unless a bound is reached."""
        if len(self.sources) >= MAX_FILES or self.lines + len(lines) > MAX_LINES:
            self.doubt("too many sources or lines; the rest is left out")
            return
        self.lines += len(lines)
        self.sources.append(CoveredSource(name, folder, lines))


def parse_gcov_json(data: bytes) -> Coverage:
    """Parse documents of `gcov --json-format`, each on a line. Never raises."""
    coverage = Coverage()
    if len(data) > MAX_BYTES:
        coverage.doubt("the output is too large; only its first part was read")
    for line in data[:MAX_BYTES].split(b"\n"):
        if line.strip():
            _take_document(line, coverage)
    return coverage


def parse_gcov_text(data: bytes) -> Coverage:
    """Parse concatenated .gcov texts, or intermediate texts. Never raises."""
    coverage = Coverage()
    text = decode(data, MAX_BYTES)
    if text.truncated:
        coverage.doubt("the output is too large; only its first part was read")
    name = ""
    lines: dict[int, int] = {}
    for match in _LINE.finditer(text.text):
        if match["source"] is not None:
            if name:
                coverage.add(name, "", lines)
            name, lines = match["source"].strip()[:MAX_NAME], {}
            continue
        number = int(match["line"] or match["at"])
        if not name or not 0 < number <= MAX_NUMBER:
            continue
        if len(lines) >= MAX_LINES:
            coverage.doubt("too many sources or lines; the rest is left out")
            break
        # gcov repeats a line for each instance of a template or inline function; any that ran counts.
        lines[number] = max(lines.get(number, 0), _count(match["count"] or match["times"]))
    if name:
        coverage.add(name, "", lines)
    return coverage


def _count(text: str) -> int:
    """A count as printed; a rounded count (12k) only counts as having run."""
    return min(int(text), MAX_COUNT) if text.isdigit() else int(text[0].isdigit())


def _take_document(line: bytes, coverage: Coverage) -> None:
    if len(line) > MAX_DOCUMENT:
        coverage.doubt("a document is too large to be read")
        return
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        coverage.doubt("a line is not JSON")
        return
    if not isinstance(document, dict) or not isinstance(document.get("files"), list):
        coverage.doubt("a document is not gcov's: it has no list of files")
        return
    folder = _text(document.get("current_working_directory"))
    for entry in document["files"]:
        name = _text(entry.get("file")) if isinstance(entry, dict) else ""
        if not name or not isinstance(entry.get("lines"), list):
            coverage.doubt("a file of a document has no name or no lines")
            continue
        coverage.add(name, folder, _counts(entry["lines"][:MAX_LINES]))


def _counts(entries: Iterable[Any]) -> dict[int, int]:
    """Line -> the highest count; a line stands once for each function that has code in it."""
    lines: dict[int, int] = {}
    for entry in entries:
        number, count = (_number(entry, key) for key in ("line_number", "count"))
        if number is not None and count is not None and 0 < number <= MAX_NUMBER:
            lines[number] = max(lines.get(number, 0), min(max(count, 0), MAX_COUNT))
    return lines


def _number(entry: Any, key: str) -> int | None:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    """`value` as a line of bounded text; "" when it is not such a line."""
    if not isinstance(value, str) or len(value) > MAX_NAME or "\0" in value or "\n" in value:
        return ""
    return value
