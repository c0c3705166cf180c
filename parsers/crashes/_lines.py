"""The lines after a report's header, cut from the text only as far as a reader asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parsers.log_prefix import DOCKER, Prefix, logged_text

MAX_LINE = 4096
MAX_REPORT_LINES = 800

_ANSI = re.compile(r"\x1b\[[0-9;]{0,32}[A-Za-z]")


def plain_line(line: str) -> str:
    """`line` without colours and carriage return, out of the JSON that Docker's logs put it in."""
    if line.startswith(DOCKER):
        logged = logged_text(line)
        line = line if logged is None else logged.rstrip("\n")
    return _ANSI.sub("", line).rstrip("\r")


class Lines:
    """The lines of `text` after position `end` (the end of the header's line), up to MAX_REPORT_LINES.

    A line longer than MAX_LINE is cut there and is the last. Iterating again starts at the first.
    What a log puts before each line, `prefix`, is taken away; lines of another container are left out.
    """

    def __init__(self, text: str, end: int, prefix: Prefix | None = None) -> None:
        self._text, self._start, self._end = text, end, end
        self._prefix = prefix
        self._lines_read: list[str] = []
        self._over = False
        self._left = MAX_REPORT_LINES

    @property
    def examined_characters(self) -> int:
        """How many characters have been looked at."""
        return self._end - self._start

    @property
    def is_full(self) -> bool:
        """Whether the bound on lines, not the text, ended the reading."""
        return self._left == 0

    def first(self, count: int) -> list[str]:
        """The first `count` lines, or all if there are fewer."""
        while len(self._lines_read) < count and self._read():
            pass
        return self._lines_read[:count]

    def __iter__(self) -> Iterator[str]:
        index = 0
        while index < len(self._lines_read) or self._read():
            yield self._lines_read[index]
            index += 1

    def _read(self) -> bool:
        while not self._over and self._end < len(self._text) and self._left > 0:
            self._left -= 1
            start = self._end + 1
            newline = self._text.find("\n", start, start + MAX_LINE)
            # What follows the cut is no start of a line, and its rest could pass as a frame.
            self._over = newline < 0
            self._end = newline if newline >= 0 else min(start + MAX_LINE, len(self._text))
            line = plain_line(self._text[start : self._end])
            stripped = self._prefix.strip_from(line) if self._prefix else line
            if stripped is not None:
                self._lines_read.append(stripped)
                return True
        return False
