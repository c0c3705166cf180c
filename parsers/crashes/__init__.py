"""What crashed: sanitizer reports and fatal signals to facts, and comparing them with a signature.

`parse_crash` finds the first complete report in a program's output, of which one that ends the program goes
before those that it survived. A report is believed only when
it is structurally one: a header such as `==12==ERROR: AddressSanitizer: ...` that a stack frame or a
SUMMARY follows, or UBSan's `file:line:column: runtime error: ` with a message that UBSan has. Text
that a program prints can still be made up; whoever grades should also look at the exit status.

Bounds: the whole text is searched for markers, but a header's report is read for
`_lines.MAX_REPORT_LINES` lines of `_lines.MAX_LINE` characters, and after _search.MAX_CANDIDATES headers
that lead to nothing (or MAX_EXAMINED characters in them) only the last TAIL characters are
looked at. So the time is linear in the text, and a crash at either end is not lost in noise.

One file for each kind of report: its `PLUGIN` is a `CrashFormat`, the markers that find its header line, the
reader that turns a report into a `Crash`, and real reports with what they parse to. `_stack` reads stack
frames and names, `_report` reads what all reports share.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from parsers import registry
from parsers.crashes._lambdas import CALL, LAMBDA
from parsers.crashes._lines import MAX_LINE, plain_line
from parsers.crashes._model import (
    Crash,
    CrashExample,
    CrashFormat,
    CrashReading,
    Signature,
    StackFrame,
)
from parsers.crashes._names import CUT, begins, hides_innermost, plain_name, stated_name
from parsers.crashes._runtime import RUNTIME_PREFIXES
from parsers.crashes._search import NAMED_REPORT, TAIL, search
from parsers.cwe import canonical_kind

__all__ = [
    "COMPARED",
    "Crash",
    "CrashExample",
    "CrashFormat",
    "CrashReading",
    "Signature",
    "StackFrame",
    "alike",
    "alike_kinds",
    "matches",
    "parse_crash",
    "read_crash",
]


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
    """The first complete report in `text`, or None; a fatal one goes before what the program survived.

    `status` is the program's exit status (128 + n as shells say it, or -n): when the text holds no
    report, death by a fatal signal is the crash. Raises nothing, whatever the text.
    """
    crash = search(text, _formats()).crash
    return crash or _crash_from_status(text, status)


def _crash_from_status(text: str, status: int | None) -> Crash | None:
    if status is None:
        return None
    signal = -status if status < 0 else status - 128
    made = (form.from_status(text[-TAIL:], signal) for form in _formats())
    return next((crash for crash in made if crash), None)


def read_crash(text: str, status: int | None = None) -> CrashReading:
    """The crash in `text` as `parse_crash` reads it, or what is left of a report that was cut.

    Raises nothing, whatever the text.
    """
    found = search(text, _formats())
    if found.crash is not None:
        return CrashReading(
            found.crash, "" if found.is_whole else "the report is cut: it has no SUMMARY"
        )
    crash = _crash_from_status(text, status)
    if found.cut is not None:
        return CrashReading(
            crash or found.cut, "a report cannot be read: nothing follows its header"
        )
    named = NAMED_REPORT.search(text)
    if named is None:
        return CrashReading(crash)
    words = plain_line(text[named.start() : named.start() + MAX_LINE // 8].partition("\n")[0])
    summary = "".join(c if c.isprintable() else "?" for c in words)
    unread = Crash("unknown", "unknown-crash", "", None, None, (), None, summary)
    return CrashReading(crash or unread, "what looks like a report cannot be read")


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


_NAMELESS = frozenset({CALL, f"{LAMBDA}::{CALL}"})
"""What gcc calls each lambda, and each function object, in programs with line numbers."""


def _telling(frames: Iterable[str]) -> list[str]:
    """The innermost known functions of a stack, without entry points and nameless ones when there are others.

    Those of the C and C++ libraries, which no frame of a project is, tell nothing.
    """
    named = map(stated_name, frames)
    known = [name for name in named if name and not name.startswith(RUNTIME_PREFIXES)]
    inner = known[:COMPARED]
    return [name for name in inner if name not in _ENTRY_POINTS | _NAMELESS] or inner


def _may_be_one(one: str, other: str) -> bool:
    if one.endswith(CUT):
        return begins(one, other) or (other.endswith(CUT) and begins(other, one))
    return begins(other, one) if other.endswith(CUT) else _same_function(one, other)


def _same_function(one: str, other: str) -> bool:
    return one == other or one.endswith(f"::{other}") or other.endswith(f"::{one}")
