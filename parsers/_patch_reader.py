"""Cuts a unified diff into its files, with hunk counts as the only judge of what is content.

A line inside a hunk is content whatever it looks like (`--- a/x` is a deleted line `-- a/x`); a
line outside is a header, or commentary that mail and models write around patches.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from parsers import _patch_binary as binary

MAX_BYTES = 128 << 20
MAX_LINES = 1_000_000
MAX_FILES = 50_000
MAX_HEADER = 64 << 10
MAX_PROBLEMS = 50
MAX_BAD = 2_000

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
# git takes any words for the hashes, and what follows a space for the mode.
_INDEX = re.compile(rb"index [^ ]*(?: (.*))?", re.DOTALL)
_BINARY = re.compile(rb"Binary files .* differ$", re.DOTALL)
# What a line outside of hunks can start with, after `diff --git`'s own lines, and still matter.
# This test alone sorts out nearly all lines of commentary, before any pattern is tried on them.
_OWN_STARTS = (b"diff --", b"--- ", b"@@", b"+", b"-", b"\\")
_SPACE, _PLUS, _MINUS, _BACKSLASH, _CR, _LF = b" +-\\\r\n"


@dataclass(slots=True)
class Section:
    """A file's section of the patch, as written. Names are raw bytes, after their keyword."""

    line: int
    header: bytes | None = None
    minus: bytes | None = None
    plus: bytes | None = None
    moved_from: bytes | None = None
    moved_to: bytes | None = None
    copied: bool = False
    created: bool = False
    removed: bool = False
    old_mode: str | None = None
    new_mode: str | None = None
    binary: bool = False
    # A header stands behind a line that it overrides in git; a binary part is broken, or has no headers.
    unclear: bool = False
    unpacked: int = 0
    # (line of its header, lines after it, first line in the old file, in the new one)
    hunks: list[tuple[int, int, int, int]] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)


def _mode(raw: bytes) -> str:
    """The mode as written; a text too long for a mode is cut, and is still invalid then."""
    return raw[:16].decode("ascii", "replace")


def _note_created(section: Section, raw: bytes) -> None:
    section.created, section.new_mode = True, _mode(raw)


def _note_removed(section: Section, raw: bytes) -> None:
    section.removed, section.old_mode = True, _mode(raw)


def _old_mode(section: Section, raw: bytes) -> None:
    section.old_mode = _mode(raw)


def _new_mode(section: Section, raw: bytes) -> None:
    section.new_mode = _mode(raw)


def _moved_from(section: Section, raw: bytes) -> None:
    section.moved_from = raw


def _moved_to(section: Section, raw: bytes) -> None:
    section.moved_to = raw


def _copied_from(section: Section, raw: bytes) -> None:
    section.moved_from, section.copied = raw, True


def _copied_to(section: Section, raw: bytes) -> None:
    section.moved_to, section.copied = raw, True


def _minus(section: Section, raw: bytes) -> None:
    section.minus = raw


def _plus(section: Section, raw: bytes) -> None:
    section.plus = raw


def _nothing(_section: Section, _raw: bytes) -> None:
    """The line says nothing that counts here (similarity)."""


# `git apply` still reads `rename old` and `rename new`, which git itself writes no more.
_EXTENDED: dict[bytes, Callable[[Section, bytes], None]] = {
    b"new file mode ": _note_created,
    b"deleted file mode ": _note_removed,
    b"old mode ": _old_mode,
    b"new mode ": _new_mode,
    b"rename from ": _moved_from,
    b"rename old ": _moved_from,
    b"rename to ": _moved_to,
    b"rename new ": _moved_to,
    b"copy from ": _copied_from,
    b"copy to ": _copied_to,
    b"--- ": _minus,
    b"+++ ": _plus,
    b"similarity index ": _nothing,
    b"dissimilarity index ": _nothing,
}


class PatchReader:
    """Reads `data` once, line by line. `read` fills `sections` and `problems`.

    `whole` is False when MAX_BYTES, MAX_LINES, MAX_FILES or MAX_BAD problems ended the reading.
    `crlf` and `lf` count the header lines by how they end.
    """

    def __init__(self, data: bytes) -> None:
        self.sections: list[Section] = []
        self.problems: list[str] = []
        self.whole = len(data) <= MAX_BYTES
        self.crlf = self.lf = 0
        self._data = data[:MAX_BYTES]
        self._next = self._number = 0
        self._start = self._end = 0
        self._in_header = False
        self._after_hunk = False
        self._bad = 0

    def read(self) -> PatchReader:
        while self._advance():
            self._outside()
        return self

    def _advance(self) -> bool:
        """Go to the next line; False at the end, or when there have been too many lines."""
        if self._next >= len(self._data):
            return False
        if self._number >= MAX_LINES or len(self.sections) >= MAX_FILES or self._bad >= MAX_BAD:
            self.whole = False
            return False
        newline = self._data.find(b"\n", self._next)
        self._start, self._end = self._next, newline if newline >= 0 else len(self._data)
        self._next, self._number = self._end + 1, self._number + 1
        return True

    def _back(self) -> None:
        self._next, self._number = self._start, self._number - 1

    def _line(self) -> bytes:
        return self._data[self._start : min(self._end, self._start + MAX_HEADER)]

    def _strip_carriage_return(self, line: bytes) -> bytes:
        """`line`, a header line, without its CR."""
        if line.endswith(b"\r"):
            self.crlf += 1
            return line[:-1]
        self.lf += 1
        return line

    def problem(self, number: int, message: str) -> None:
        """Record what is malformed; only the first MAX_PROBLEMS messages are stored."""
        self._bad += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(f"line {number}: {message}")

    def _outside(self) -> None:
        """Take a line that is in no hunk."""
        if not self._in_header and not self._data.startswith(_OWN_STARTS, self._start):
            self._after_hunk = False
            return
        line = self._line()
        after_hunk, self._after_hunk = self._after_hunk, line.startswith(b"\\")
        was_header, self._in_header = self._in_header, False
        if line.startswith(b"diff --git "):
            self.sections.append(
                Section(self._number, header=self._strip_carriage_return(line)[11:])
            )
            self._in_header = True
        elif was_header and self._take_extended_header(line):
            self._in_header = True
        elif was_header and self._binary(line):
            pass
        elif line.startswith(b"--- ") and self._plain():
            self._names(line)
        # `git apply` passes over a combined diff as over commentary, so the change would be lost in silence.
        elif line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
            self.problem(self._number, "a combined (merge) diff cannot be applied")
        elif line.startswith(b"@@"):
            self._hunk(line)
        elif after_hunk and line[:1] in (b"+", b"-") and line.rstrip() != b"--":
            self.problem(self._number, "a changed line lies beyond its hunk's counts")

    def _take_extended_header(self, line: bytes) -> bool:
        """Take an extended header of `diff --git`; False for a line of a different kind."""
        section = self.sections[-1]
        index = _INDEX.match(line.rstrip(b"\r"))
        if index:
            self._strip_carriage_return(line)
            section.unclear |= section.minus is not None
            if index[1] is not None:
                mode = _mode(index[1])
                section.old_mode = mode if section.old_mode is None else section.old_mode
                section.new_mode = mode if section.new_mode is None else section.new_mode
            return True
        for keyword, take in _EXTENDED.items():
            if line.startswith(keyword):
                section.unclear |= section.minus is not None and keyword != b"+++ "
                take(section, self._strip_carriage_return(line)[len(keyword) :])
                return True
        return False

    def _binary(self, line: bytes) -> bool:
        """Take the line by which a file is no text, and what belongs to it; False when it is none."""
        bare, section = line.rstrip(b"\r"), self.sections[-1]
        full = bare == b"GIT binary patch"
        if not full and not _BINARY.match(bare):
            return False
        self._strip_carriage_return(line)
        section.binary = True
        section.unclear |= self._number == section.line + 1  # git passes over such a section
        if not full:
            return True
        try:
            # git writes two parts: the new content, and the old content for `git apply --reverse`.
            section.unpacked = binary.count_unpacked(self._next_line() or b"", self._next_line)
            back = self._next_line()
            if back is not None and binary.starts(back):
                section.unpacked += binary.count_unpacked(back, self._next_line)
            elif back is not None:
                self._back()
        except binary.BrokenBinary as error:
            section.unclear = True
            self.problem(section.line, f"its binary part is broken: {error}")
        return True

    def _next_line(self) -> bytes | None:
        return self._line().rstrip(b"\r") if self._advance() else None

    def _plain(self) -> bool:
        """Whether the next line is `+++` and the line after it a hunk's header, as git requires."""
        if not self._data.startswith(b"+++ ", self._next):
            return False
        newline = self._data.find(b"\n", self._next)
        return newline >= 0 and self._data.startswith(b"@@ -", newline + 1)

    def _names(self, line: bytes) -> None:
        """Take `---` and `+++` of a file without `diff --git`."""
        self.sections.append(section := Section(self._number))
        section.minus = self._strip_carriage_return(line)[4:]
        if self._advance():
            section.plus = self._strip_carriage_return(self._line())[4:]

    def _hunk(self, line: bytes) -> None:
        match = _HUNK.match(line)
        if match is None:
            self.problem(self._number, "a hunk header is malformed")
            return
        self._strip_carriage_return(line)
        if not self.sections:
            self.problem(self._number, "a hunk comes before any file name")
            self.sections.append(Section(self._number))
        section = self.sections[-1]
        header, old, new = self._number, int(match[1]), int(match[3])
        old_left = int(match[2]) if match[2] is not None else 1
        new_left = int(match[4]) if match[4] is not None else 1
        self._content(section, old, new, old + old_left, new + new_left)
        section.hunks.append((header, self._number - header, old, new))

    def _content(self, section: Section, old: int, new: int, old_end: int, new_end: int) -> None:
        """Read a hunk's lines: `old` and `new` count up to their ends."""
        header = self._number
        while old < old_end or new < new_end:
            if not self._advance():
                self.problem(header, "the hunk has fewer lines than its header says")
                return
            # Mailers and editors strip an empty context line's blank; git takes such a line as context.
            kind = self._data[self._start] if self._start < len(self._data) else _LF
            if kind == _PLUS and new < new_end:
                section.added.append(new)
                new += 1
            elif kind == _MINUS and old < old_end:
                section.deleted.append(old)
                old += 1
            elif kind in (_SPACE, _LF, _CR) and old < old_end and new < new_end:
                old, new = old + 1, new + 1
            # Of "\ No newline at end of file" only the backslash counts, since diff translates the words.
            elif kind != _BACKSLASH:
                self.problem(header, "the hunk's lines disagree with the counts in its header")
                self._back()
                return
        self._after_hunk = True
