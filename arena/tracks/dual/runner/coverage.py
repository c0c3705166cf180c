"""Statement coverage of candidates, read from the output of coverage.py, V8 and gcov in an order.

All of it was written by the program under test, or beside it: what cannot be read counts as no coverage.
"""

from __future__ import annotations

import functools
import json
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from arena.tracks.dual.runner import gcov
from arena.tracks.dual.runner.observation import CoveredFile

if TYPE_CHECKING:
    from coverage.parser import PythonParser

MAX_LINE = 1_000_000
MAX_RAW = 16 << 20
# Files of coverage that are read, of one order: each process of a program leaves one.
MAX_SCRIPTS = 200
# Threads that import parts of one package at once, for the first time, get halves of it.
_IMPORTING = threading.Lock()
# File -> line of a statement -> whether it ran.
Lines = dict[str, dict[int, bool]]


def covered_statements(
    raw: Mapping[str, bytes], files: Mapping[str, bytes]
) -> tuple[CoveredFile, ...]:
    """The statements that ran, of each of `files` that appears in the raw data.

    raw: the files of the coverage folder; of a C++ program with the compiler's notes (.gcno), which may be
    among `files` too. files: absolute path in the jail -> content, of the covered files.
    Broken or missing data gives ().
    """
    lines_by_file: Lines = {}
    for source_lines in (*_scripts(raw, files), *_compiled_lines(raw, files)):
        for file, lines in source_lines.items():
            file_lines = lines_by_file.setdefault(file, {})
            for line, ran in lines.items():
                file_lines[line] = file_lines.get(line, False) or ran
    return tuple(
        CoveredFile(file, tuple(sorted(n for n, ran in lines.items() if ran)), tuple(sorted(lines)))
        for file, lines in sorted(lines_by_file.items())
        if file in files and lines
    )


def _scripts(raw: Mapping[str, bytes], files: Mapping[str, bytes]) -> Iterator[Lines]:
    # The program can write into this folder whatever it likes, in any number.
    reports = [
        data for name, data in raw.items() if name.endswith(".json") and len(data) <= MAX_RAW
    ]
    for content in reports[:MAX_SCRIPTS]:
        try:
            data = json.loads(content)
        except (ValueError, RecursionError):
            continue  # hostile, or cut off when the program was ended
        if isinstance(data, dict):
            yield _v8(data, files) if "result" in data else _python(data, files)


def _python(data: dict[str, Any], files: Mapping[str, bytes]) -> Lines:
    """As `drivers/hooks/python/arena_coverage.py` writes it: {file: [line]}, of lines that ran."""
    result: Lines = {}
    for file, file_data in data.items():
        if file in files and isinstance(file_data, list):
            read = _statements(files[file])
            # `type(n) is int`, since True is an int as well and would be line 1.
            lines = {n for n in file_data if type(n) is int and 0 < n <= MAX_LINE}
            ran = read.first_lines(lines) if read else set()
            result[file] = {line: line in ran for line in (read.statements if read else ())}
    return result


@functools.lru_cache(maxsize=64)
def _statements(source: bytes) -> PythonParser | None:
    """What coverage.py reads of a program, or None where it is none."""
    with _IMPORTING:
        from coverage.exceptions import CoverageException
        from coverage.parser import PythonParser

    try:
        read = PythonParser(text=source.decode("utf-8-sig", "replace"))
        read.parse_source()
    except (CoverageException, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return read


def _v8(data: dict[str, Any], files: Mapping[str, bytes]) -> Lines:
    scripts: dict[str, dict[str, Any]] = {}
    results = data["result"] if isinstance(data["result"], list) else []
    for script in results:
        url = script.get("url") if isinstance(script, dict) else None
        file = url.removeprefix("file://") if isinstance(url, str) else ""
        if file in files:
            scripts[file] = script  # the last is what counts, and only it is worth the reading
    return {
        file: _statement_lines(files[file].decode("utf-8", "replace"), _ranges(script))
        for file, script in scripts.items()
    }


def _ranges(script: dict[str, Any]) -> list[tuple[int, int, bool]]:
    """(start, end, ran) of every range, outer ranges before those within them."""
    line_ranges = []
    functions = script.get("functions")
    for function in functions if isinstance(functions, list) else []:
        ranges = function.get("ranges") if isinstance(function, dict) else None
        for each in ranges if isinstance(ranges, list) else []:
            if isinstance(each, dict):
                start, end, count = (each.get(k) for k in ("startOffset", "endOffset", "count"))
                if type(start) is int and type(end) is int and type(count) is int:
                    line_ranges.append((start, end, count > 0))
    return sorted(line_ranges, key=lambda r: (r[0], -r[1]))


_LETTERS = re.compile(r"[\w$]")
_UNSEEN = re.compile(r"//[^\n]*|/\*|'(?:[^'\\\n]|\\.)*+'?|\"(?:[^\"\\\n]|\\.)*+\"?|`")


def _statement_lines(text: str, ranges: list[tuple[int, int, bool]]) -> dict[int, bool]:
    """Line -> whether the innermost range about its first letter ran. V8 counts in UTF-16 units.

    A line has a statement when there is a word or a literal on it, outside comments.
    """
    lines: dict[int, bool] = {}
    above: list[tuple[int, int, bool]] = []
    waiting = iter(ranges)
    following = next(waiting, None)
    offset = 0
    for number, (line, code) in enumerate(_with_code(text), 1):
        match = _LETTERS.search(code)
        if match:
            at = offset + _units(line[: match.start()])
            while following and following[0] <= at:
                above.append(following)
                following = next(waiting, None)
            while above and above[-1][1] <= at:
                above.pop()
            if above:
                lines[number] = above[-1][2]
        offset += _units(line) + 1
    return lines


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _with_code(text: str) -> Iterator[tuple[str, str]]:
    """Each line, and the line with its comments blank. Literals stay; their content starts no comment."""
    parts = []
    at = 0
    while match := _UNSEEN.search(text, at):
        parts.append(text[at : match.start()])
        at = match.end()
        if match.group() == "/*":
            end = text.find("*/", at)
            at = len(text) if end < 0 else end + 2
        elif match.group() == "`":
            end = text.find("`", at)
            at = len(text) if end < 0 else end + 1
        piece = text[match.start() : at]
        comment = piece.startswith("/")
        parts.append(re.sub(r"[^\n]", " ", piece) if comment else piece)
    plain = "".join(parts) + text[at:]
    return zip(text.split("\n"), plain.split("\n"), strict=True)


def _compiled_lines(raw: Mapping[str, bytes], files: Mapping[str, bytes]) -> Iterator[Lines]:
    """Notes are paired with the counts of the same compilation; without counts nothing ran to its end."""
    every = [data for data in (*raw.values(), *files.values()) if len(data) <= MAX_RAW]
    counts = {gcov.stamp(d): d for d in every if gcov.stamp(d) is not None and not gcov.is_notes(d)}
    for notes in {gcov.stamp(d): d for d in every if gcov.is_notes(d)}.values():
        if gcov.stamp(notes) not in counts:
            continue
        try:
            counted_lines = gcov.lines(notes, counts[gcov.stamp(notes)])
        except gcov.Unreadable:
            continue
        yield {str(PurePosixPath(file)): lines for file, lines in counted_lines.items()}
