"""The data of a crash report's reading: what crashed, what a task states, and what a format is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from parsers.crashes._lines import Lines


@dataclass(frozen=True)
class StackFrame:
    """A frame of a stack. `function` is a plain name ("" when unknown); `file` is a source file,
    or `module+offset` when the frame has no symbol ("" when unknown).

    `module`, the file of the program or library, and `pc`, an address or an offset in it, are where the
    code is: they show which program it belongs to, and differ from run to run. `lambda_scope` is the
    function around a lambda that is among the frame's template arguments: gcc names it there only.
    """

    function: str
    file: str
    line: int | None
    module: str = field(default="", compare=False, repr=False)
    pc: int | None = field(default=None, compare=False, repr=False)
    lambda_scope: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Crash:
    """A crash, as a report or a signal states it.

    sanitizer: address, memory, undefined, leak, thread, libfuzzer or signal: who reported it.
    kind: lower case with hyphens: AddressSanitizer's words (`heap-buffer-overflow`, `segv`), and for
        UBSan the names of its checks (`signed-integer-overflow`).
    access: "read", "write", or "" when not stated. size: bytes accessed, requested or leaked.
    frames: the project's frames, innermost first (the runtimes' are left out).
    cwe: see `parsers.cwe`. summary: the SUMMARY line's text, or the header's.
    recovered: after such a report programs go on by default (UBSan's lines, TSan's warnings).
    """

    sanitizer: str
    kind: str
    access: str
    size: int | None
    address: int | None
    frames: tuple[StackFrame, ...]
    cwe: str | None
    summary: str
    recovered: bool = field(default=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The facts as plain data; `frames` are the function names, without unknown ones."""
        return {
            "kind": self.kind,
            "access": self.access,
            "size": self.size,
            "frames": [frame.function for frame in self.frames if frame.function],
            "sanitizer": self.sanitizer,
            "cwe": self.cwe,
        }


@dataclass(frozen=True)
class Signature:
    """A crash as a task states it: kind, access ("" for any), function names innermost first."""

    kind: str
    access: str = ""
    frames: tuple[str, ...] = ()


@dataclass(frozen=True)
class CrashExample:
    """A report and facts of the crash in it: keys of `Crash.to_json` or fields of Crash.

    `expected` is None when the text must not count as a crash.
    """

    text: str
    expected: dict[str, Any] | None
    status: int | None = None


Reader = Callable[["re.Match[str]", Lines], Crash | None]


@dataclass(frozen=True)
class CrashFormat:
    """A kind of report: the PLUGIN of a file here.

    markers: texts, any of which marks a header line. header: finds the header in such a line.
    read: from the header's match and the lines after it to a Crash, or None when that is no
        complete report. from_status: from the text and the number of the fatal signal.
    has_summary: a line "SUMMARY: " ends such a report, unless it was cut.
    """

    name: str
    examples: tuple[CrashExample, ...]
    markers: tuple[str, ...] = ()
    header: re.Pattern[str] = field(default=re.compile(r"(?!)"))
    read: Reader = field(default=lambda _match, _lines: None)
    from_status: Callable[[str, int], Crash | None] = field(default=lambda _text, _signal: None)
    has_summary: bool = True


@dataclass(frozen=True)
class CrashReading:
    """The crash in a text, and why it is not sure to be all of it ("" when it is)."""

    crash: Crash | None
    problem: str = ""
