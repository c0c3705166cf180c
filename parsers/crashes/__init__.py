"""What crashed: sanitizer reports and fatal signals to facts, and comparing them with a signature.

`parse_crash` finds the first complete report in a program's output. A report is believed only when
it is structurally one: a header such as `==12==ERROR: AddressSanitizer: ...` that a stack frame or a
SUMMARY follows, or UBSan's `file:line:column: runtime error: ` with a message that UBSan has. Text
that a program prints can still be made up; whoever grades should also look at the exit status.

Bounds: the whole text is searched for markers, but a header's report is read for
`_lines.MAX_REPORT_LINES` lines of `_lines.MAX_LINE` characters, and after MAX_CANDIDATES headers
that lead to nothing (or MAX_EXAMINED characters in them) only the last TAIL characters are
looked at. So the time is linear in the text, and a crash at either end is not lost in noise.

One file for each kind of report: its `PLUGIN` is a `CrashFormat`, the markers that find its header line, the
reader that turns a report into a `Crash`, and real reports with what they parse to. `_stack` reads stack
frames and names, `_report` reads what all reports share.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from parsers import registry
from parsers.crashes._lines import MAX_LINE, Lines, plain_line
from parsers.crashes._names import CUT, begins, hides_innermost, plain_name, stated_name
from parsers.crashes._runtime import RUNTIME_PREFIXES
from parsers.cwe import canonical_kind

MAX_CANDIDATES = 10_000
MAX_EXAMINED = 8 << 20
TAIL = 256 << 10


@dataclass(frozen=True)
class StackFrame:
    """One frame of a stack. `function` is a plain name ("" when unknown); `file` is a source file,
    or `module+offset` when the frame has no symbol ("" when unknown)."""

    function: str
    file: str
    line: int | None


@dataclass(frozen=True)
class Crash:
    """A crash, as a report or a signal tells it.

    sanitizer: address, memory, undefined, leak, thread, libfuzzer or signal: who reported it.
    kind: lower case with hyphens: AddressSanitizer's words (`heap-buffer-overflow`, `segv`), and for
        UBSan the names of its checks (`signed-integer-overflow`).
    access: "read", "write", or "" when not stated. size: bytes accessed, asked for or leaked.
    frames: the project's own, innermost first (the runtimes' are left out).
    cwe: see `parsers.cwe`. summary: the SUMMARY line's text, or the header's.
    """

    sanitizer: str
    kind: str
    access: str
    size: int | None
    address: int | None
    frames: tuple[StackFrame, ...]
    cwe: str | None
    summary: str

    def to_json(self) -> dict[str, Any]:
        """The facts as plain data; `frames` are the function names that are known."""
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
    """One kind of report: the PLUGIN of a file here.

    markers: texts of which a header line contains one. header: finds the header in such a line.
    read: from the header's match and the lines after it to a Crash, or None when that is no
        complete report. from_status: from the text and the number of the fatal signal.
    """

    name: str
    examples: tuple[CrashExample, ...]
    markers: tuple[str, ...] = ()
    header: re.Pattern[str] = field(default=re.compile(r"(?!)"))
    read: Reader = field(default=lambda _match, _lines: None)
    from_status: Callable[[str, int], Crash | None] = field(default=lambda _text, _signal: None)


BEHIND_THE_INPUT = frozenset({"use-after-poison", "heap-buffer-overflow"})
"""A read behind the input: AFL's driver poisons that, which libFuzzer's has on the heap (file 59438)."""

# Kinds that one and the same defect gets from different compilers, libraries or sanitizers.
_EQUIVALENT: tuple[frozenset[str], ...] = (
    # A null pointer is "segv" to the signal handler, and UBSan stops just before it. OSS-Fuzz calls a
    # SEGV "Null-dereference" near address 0 and "UNKNOWN" elsewhere (its stacktraces/stack_analyzer).
    frozenset({"segv", "null-dereference", "null-pointer-use", "bus", "unknown"}),
    # For one access below an array, gcc says underflow where clang says overflow.
    frozenset({"stack-buffer-overflow", "stack-buffer-underflow", "dynamic-stack-buffer-overflow"}),
    BEHIND_THE_INPUT,
    frozenset({"bad-free", "invalid-free"}),
    frozenset({"fpe", "divide-by-zero"}),
    # abort() and __builtin_trap() below libFuzzer are "deadly signal"; OSS-Fuzz reads from the output
    # that an abort was an assertion's.
    frozenset({"abrt", "deadly-signal", "trap", "ill", "assertion-failed", "check-failed"}),
    frozenset({"direct-leak", "indirect-leak", "memory-leak"}),
    frozenset({"stack-use-after-return", "stack-use-after-scope"}),
    # ClusterFuzz reads both of UBSan's messages on members of what is no such object as "Bad-cast".
    frozenset({"vptr", "object-size"}),
    frozenset({"out-of-memory", "allocation-size-too-big", "calloc-overflow"}),
)


@functools.cache
def _formats() -> tuple[CrashFormat, ...]:
    return tuple(registry.lookup(__name__, name) for name in registry.names(__name__))


def parse_crash(text: str, status: int | None = None) -> Crash | None:
    """The first complete report in `text`, or None.

    `status` is the program's exit status (128 + n as shells say it, or -n): when the text holds no
    report, death by a fatal signal is the crash. Raises nothing, whatever the text.
    """
    crash, exhausted = _first_report(text)
    if crash is None and exhausted:
        crash, _ = _first_report(text[-TAIL:], bounded=False)
    if crash is not None or status is None:
        return crash
    signal = -status if status < 0 else status - 128
    made = (form.from_status(text[-TAIL:], signal) for form in _formats())
    return next((crash for crash in made if crash), None)


def _first_report(text: str, bounded: bool = True) -> tuple[Crash | None, bool]:
    """The first complete report, and whether the bounds ended the search."""
    examined = 0
    for count, (form, start, end) in enumerate(_candidates(text)):
        if bounded and (count >= MAX_CANDIDATES or examined >= MAX_EXAMINED):
            return None, True
        match = form.header.search(plain_line(text[start:end]))
        lines = Lines(text, end)
        crash = form.read(match, lines) if match else None
        if crash is not None:
            return crash, False
        examined += end - start + lines.examined
    return None, False


def _candidates(text: str) -> Iterator[tuple[CrashFormat, int, int]]:
    """Lines (start, end) that hold a marker, in the order of the text, with the marker's format."""
    marks = [(form, marker) for form in _formats() for marker in form.markers]
    places = [text.find(marker) for _, marker in marks]
    while any(place >= 0 for place in places):
        place, index = min((place, i) for i, place in enumerate(places) if place >= 0)
        form, marker = marks[index]
        earliest, latest = max(0, place - MAX_LINE // 4), min(len(text), place + MAX_LINE)
        newline, end = text.rfind("\n", earliest, place), text.find("\n", place, latest)
        end = end if end >= 0 else latest
        yield form, max(earliest, newline + 1), end
        places[index] = text.find(marker, max(end, place + len(marker)))


def matches(crash: Crash, signature: Signature) -> bool:
    """True when `crash` is the one that `signature` states.

    - The kind is the same: any spelling of it (OSS-Fuzz's "Heap-double-free" is "double-free"), or
      one that is equivalent because compilers or sanitizers report one defect as either.
    - The access is the same, when the signature states one.
    - The stated frames appear in this order among the crash's project frames; others may lie
      between them (compilers inline differently). Names agree when they are equal, or one is the
      other's unqualified end: gcc's reports say `put` for `Box::put`. A crash without
      function names (a bare signal, UBSan without a stack) matches only a signature without frames.
    """
    if not alike_kinds(signature.kind, crash.kind):
        return False
    if signature.access and signature.access.lower() != crash.access:
        return False
    names = iter([frame.function for frame in crash.frames if frame.function])
    return all(
        any(_same_function(wanted, name) for name in names)
        for wanted in map(plain_name, signature.frames)
    )


def alike_kinds(one: str, other: str) -> bool:
    """Whether two kinds, in any spelling, are the same or stand for one and the same defect."""
    kinds = {canonical_kind(one), canonical_kind(other)}
    return len(kinds) == 1 or any(kinds <= same for same in _EQUIVALENT)


def alike(one: Signature, other: Signature) -> bool:
    """Whether two crashes, of two revisions or as two sources tell them, are of one defect.

    Looser than `matches`, because code moves between revisions: the kinds are the same or equivalent,
    and at least one function is among the innermost COMPARED frames of both. Entry points, which every
    crash of a target passes through, count only where a side has nothing else. Where a side has no
    frames, the kind decides. Names may be mangled, and cut as ClusterFuzz cuts them. Kinds of `_ACCESS` may
    differ where the innermost function is the same, and those of `BEHIND_THE_INPUT` where neither writes.
    """
    ours, theirs = _telling(one.frames), _telling(other.frames)
    if "write" in (one.access, other.access) and _kinds(one, other) == BEHIND_THE_INPUT:
        return False
    if not alike_kinds(one.kind, other.kind):
        known = ours and theirs and _kinds(one, other) <= _ACCESS
        glued = any(map(hides_innermost, (*one.frames[:1], *other.frames[:1])))
        return bool(known) and not glued and _may_be_one(ours[0], theirs[0])
    if not (ours and theirs):
        return True
    return any(_may_be_one(mine, their) for mine in ours for their in theirs)


def _kinds(*signatures: Signature) -> frozenset[str]:
    return frozenset(canonical_kind(one.kind) for one in signatures)


_ACCESS = frozenset(
    [
        "segv",
        "bus",
        "unknown",
        "null-dereference",
        "null-pointer-use",
        "object-size",
        "vptr",
        "misaligned-address",
        "pointer-overflow",
    ]
)
"""What an access through one bad pointer is called: by how far from null it points, and by which of UBSan's
checks the compiler puts first."""
COMPARED = 5
"""Innermost frames in which two crashes of one defect share a function."""

_ENTRY_POINTS = frozenset({"main", "LLVMFuzzerTestOneInput", "LLVMFuzzerRunDriver", "_start"})


def _telling(frames: Iterable[str]) -> list[str]:
    """The innermost known functions of a stack, without entry points when there are others.

    Those of the C and C++ libraries, which no frame of a project is, tell nothing.
    """
    named = map(stated_name, frames)
    known = [name for name in named if name and not name.startswith(RUNTIME_PREFIXES)]
    inner = known[:COMPARED]
    return [name for name in inner if name not in _ENTRY_POINTS] or inner


def _may_be_one(one: str, other: str) -> bool:
    if one.endswith(CUT):
        return begins(one, other) or (other.endswith(CUT) and begins(other, one))
    return begins(other, one) if other.endswith(CUT) else _same_function(one, other)


def _same_function(one: str, other: str) -> bool:
    return one == other or one.endswith(f"::{other}") or other.endswith(f"::{one}")
