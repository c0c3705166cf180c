"""The search of a text for crash reports: their header lines, the bounds, and which of several counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from parsers.crashes._lines import MAX_LINE, Lines, plain_line
from parsers.crashes._model import Crash, CrashFormat
from parsers.log_prefix import MAX_PREFIX, Prefix, find_prefix

# A program may print headers without end. What a sanitizer prints last stands at the end of the output,
# so after these bounds the end is searched and the middle is left out.
MAX_CANDIDATES = 10_000
MAX_EXAMINED = 8 << 20
TAIL_CHARACTERS = 256 << 10
# Characters in which all markers are looked for before the next: a report near the start is read at once.
WINDOW_CHARACTERS = 1 << 20
# Part of most markers: where a window has none of it, these are not looked for.
STEM, MAX_MARKER = "Sanitizer: ", 64
NAMED_REPORT = re.compile(
    r"==\d{1,10}== ?(?:ERROR|WARNING): (?:\w{1,40}Sanitizer|libFuzzer): "
    r"|^(?:.{0,200}\s)?\w{1,40}Sanitizer:DEADLYSIGNAL",
    re.MULTILINE,
)
_ABORTS = frozenset({"abrt", "deadly-signal", "trap", "ill"})
_LAST_LINES = ("SUMMARY: ", "nested bug in the same thread, aborting")
_FIRST_FRAME = re.compile(r"^\s*(?:\d{1,6}: )?\s*#0 ")
_RUNTIME_ABORT = re.compile(r"\b__ubsan_|\b__sanitizer::(?:Die|Abort)\b")
_ABORT_WITHIN = 40


def search(text: str, formats: Sequence[CrashFormat]) -> Search:
    """The search of a whole text, or of its end where the bounds ended that."""
    crash_search = Search(text, formats)
    if crash_search.is_exhausted and (crash_search.crash is None or crash_search.crash.recovered):
        # Only after the bounds: the tail begins within a line, whose rest could look like a header.
        tail = Search(text[-TAIL_CHARACTERS:], formats, bounded=False)
        if crash_search.crash is None or (tail.crash is not None and not tail.crash.recovered):
            return tail
    return crash_search


class Search:
    """A single pass over a text: the first report that ends a program, else the first of all.

    A program that goes on after UBSan's lines, as it does by default, prints them before each of its
    crashes. Where the sanitizer itself aborts the program (`abort_on_error`), the line before is the crash.
    """

    def __init__(self, text: str, formats: Sequence[CrashFormat], bounded: bool = True) -> None:
        self._text, self._formats, self._bounded = text, formats, bounded
        self.crash: Crash | None = None
        self._cut: tuple[CrashFormat, re.Match[str]] | None = None
        self.is_exhausted, self.is_whole = False, False
        self._run()

    def _run(self) -> None:
        examined, latest = 0, None
        for count, (form, start, end) in enumerate(_candidates(self._text, self._formats)):
            if self._bounded and (count >= MAX_CANDIDATES or examined >= MAX_EXAMINED):
                self.is_exhausted = True
                return
            match, prefix = _find_header(form, plain_line(self._text[start:end]))
            lines = Lines(self._text, end, prefix)
            crash = form.read(match, lines) if match else None
            examined += end - start + lines.examined_characters
            if crash is None:
                # A line of UBSan needs nothing behind it, so that nothing can be missing from it.
                if match and not self._cut and "error" not in match.groupdict():
                    self._cut = form, match
            elif crash.recovered:
                latest = crash
                if self.crash is None:
                    self.crash, self.is_whole = crash, True
            else:
                self.is_whole = not form.has_summary or _is_whole(crash, lines)
                self.crash = latest if latest and _is_abort(crash, lines) else crash
                return

    @property
    def cut(self) -> Crash | None:
        """The first header that nothing follows, read as though its SUMMARY did."""
        if self._cut is None:
            return None
        form, match = self._cut
        words = next((group for group in match.groups() if group), "")
        # A SUMMARY lets the format read the kind from its header alone, by the same code as a whole report.
        return form.read(match, Lines(f"\nSUMMARY: AddressSanitizer: {words}\n", 0))


def _is_whole(crash: Crash, lines: Lines) -> bool:
    """Whether a report has its last line, or is of a kind that has none."""
    if crash.kind in {"check-failed", "nested-bug"} or lines.is_full:
        return True
    if any(end in line for line in lines for end in _LAST_LINES):
        return True
    return not any(_FIRST_FRAME.match(line) for line in lines)


def _is_abort(crash: Crash, lines: Lines) -> bool:
    """Whether a report states no more than that a sanitizer ended the program after its report."""
    if crash.kind not in _ABORTS:
        return False
    named = any(frame.function for frame in crash.frames)
    return not named or any(map(_RUNTIME_ABORT.search, lines.first(_ABORT_WITHIN)))


def _find_header(form: CrashFormat, line: str) -> tuple[re.Match[str] | None, Prefix | None]:
    """A format's header in a line, and what a log puts before it there."""
    prefix = find_prefix(line)
    match = form.header.search(line[len(prefix) :]) if prefix else None
    if match is None:
        prefix, match = "", form.header.search(line)
    before = prefix + match.string[: match.start()] if match else ""
    return match, Prefix(before) if 0 < len(before) <= MAX_PREFIX else None


def _candidates(
    text: str, formats: Sequence[CrashFormat]
) -> Iterator[tuple[CrashFormat, int, int]]:
    """Lines (start, end) that hold a marker, in the order of the text, with the marker's format."""
    marks = [(form, marker) for form in formats for marker in form.markers]
    resume = [0] * len(marks)
    for start in range(0, len(text), WINDOW_CHARACTERS):
        stop = start + WINDOW_CHARACTERS
        has_stem = text.find(STEM, start, stop + MAX_MARKER) >= 0

        def find(index: int, first: int, stop: int = stop, has_stem: bool = has_stem) -> int:
            marker = marks[index][1]
            if not has_stem and STEM in marker:
                return -1
            return text.find(marker, first, stop + len(marker) - 1)

        places = [find(index, max(start, resume[index])) for index in range(len(marks))]
        while any(place >= 0 for place in places):
            place, index = min((place, i) for i, place in enumerate(places) if place >= 0)
            first, end = _line_around(text, place)
            yield marks[index][0], first, end
            resume[index] = max(end, place + len(marks[index][1]))
            places[index] = find(index, resume[index])


def _line_around(text: str, place: int) -> tuple[int, int]:
    """Start and end of the line that holds a marker, or of the part near it when the line is long."""
    # Bounded on both sides: many markers in a single long line would each search all of it.
    earliest, latest = max(0, place - MAX_LINE // 4), min(len(text), place + MAX_LINE)
    newline, end = text.rfind("\n", earliest, place), text.find("\n", place, latest)
    return max(earliest, newline + 1), end if end >= 0 else latest
