"""What crashed: sanitizer reports and fatal signals to facts, and comparing them with a signature.

`parse_crash` returns the first complete report in a program's output; a report that ends the program
goes before those that the program survived. A report is believed only when it has the structure of a
report: a header such as `==12==ERROR: AddressSanitizer: ...` that a stack frame or a SUMMARY follows, or
UBSan's `file:line:column: runtime error: ` with a message that UBSan has. Text that a program prints can
still be forged; whoever grades should also look at the exit status.

Bounds: the whole text is searched for markers, but a header's report is read for
`_lines.MAX_REPORT_LINES` lines of `_lines.MAX_LINE` characters, and after _search.MAX_CANDIDATES headers
that lead to nothing (or MAX_EXAMINED characters in them) only the last TAIL characters are
looked at. So the time is linear in the text, and a crash at either end is not lost in noise.

A file for each kind of report: its `PLUGIN` is a `CrashFormat`, the markers that find its header line, the
reader that turns a report into a `Crash`, and real reports with what they parse to. `_stack` reads stack
frames and names, `_report` reads what all reports share.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from parsers import registry
from parsers.crashes._lambdas import LAMBDA
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
from parsers.crashes._search import NAMED_REPORT, TAIL_CHARACTERS, search
from parsers.cwe import canonical_kind

__all__ = [
    "MAX_COMPARED_FRAMES",
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


# A read behind the input: AFL's driver poisons that, which libFuzzer's has on the heap (file 59438).
BEHIND_THE_INPUT = frozenset({"use-after-poison", "heap-buffer-overflow"})

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
    """The first complete report in `text`, or None; a fatal report goes before those the program survived.

    `status` is the program's exit status (128 + n as shells say it, or -n): when the text holds no
    report, death by a fatal signal is the crash. Raises nothing, whatever the text.
    """
    return _fatal(search(text, _formats()).crash, text, status)


def _fatal(crash: Crash | None, text: str, status: int | None) -> Crash | None:
    """The crash that a report states, or the death by a signal behind it that the report does not explain.

    gcc's UBSan goes on after its lines and handles no signal: a program that then dies prints nothing more.
    """
    # A sanitizer may end a program with any status, so its fatal report goes before the status.
    if crash is not None and not crash.recovered:
        return crash
    death = _crash_from_status(text, status)
    return crash if death is None or (crash and _explains(crash, death)) else death


def _explains(crash: Crash, death: Crash) -> bool:
    """Whether a program may have died of what a sanitizer reported in it."""
    if death.kind in _OWN_ENDS or {crash.kind, death.kind} <= _ACCESS:
        return True
    return alike_kinds(crash.kind, death.kind) or (
        death.kind == "fpe" and "division of " in crash.summary
    )


# How sanitizers themselves end a program: abort_on_error, -fsanitize-trap.
_OWN_ENDS = frozenset({"abrt", "ill", "trap"})


def _crash_from_status(text: str, status: int | None) -> Crash | None:
    if status is None:
        return None
    # Python reports a signal as -n, shells and Docker as 128 + n.
    signal = -status if status < 0 else status - 128
    crashes = (form.from_status(text[-TAIL_CHARACTERS:], signal) for form in _formats())
    return next((crash for crash in crashes if crash), None)


def read_crash(text: str, status: int | None = None) -> CrashReading:
    """The crash in `text` as `parse_crash` reads it, or what is left of a report that was cut.

    Raises nothing, whatever the text.
    """
    crash_search = search(text, _formats())
    if crash_search.crash is not None:
        problem = "" if crash_search.is_whole else "the report is cut: it has no SUMMARY"
        return CrashReading(_fatal(crash_search.crash, text, status), problem)
    crash = _crash_from_status(text, status)
    if crash_search.cut is not None:
        return CrashReading(
            crash or crash_search.cut, "a report cannot be read: nothing follows its header"
        )
    # Looked for last: a new sanitizer, or a report inside of JSON, must not pass as a run without a crash.
    named = NAMED_REPORT.search(text)
    if named is None:
        return CrashReading(crash)
    words = plain_line(text[named.start() : named.start() + MAX_LINE // 8].partition("\n")[0])
    summary = "".join(c if c.isprintable() else "?" for c in words)
    unread = Crash("unknown", "unknown-crash", "", None, None, (), None, summary)
    return CrashReading(crash or unread, "what looks like a report cannot be read")


def matches(crash: Crash, signature: Signature) -> bool:
    """Whether `crash` is the crash that `signature` states.

    - The kind is the same: any spelling of it (OSS-Fuzz's "Heap-double-free" is "double-free"), or an
      equivalent kind, because compilers or sanitizers report the same defect as either.
    - The access is the same, when the signature states an access.
    - The stated frames appear in this order among the crash's project frames; others may lie
      between them (compilers inline differently). Names agree when they are equal, or when the shorter is
      the unqualified end of the longer: gcc's reports say `put` for `Box::put`. A crash without
      function names (a bare signal, UBSan without a stack) matches only a signature without frames.
    """
    if not alike_kinds(signature.kind, crash.kind):
        return False
    if signature.access and signature.access.lower() != crash.access:
        return False
    # A single iterator for all stated frames is what requires that they appear in this order.
    names = iter([frame.function for frame in crash.frames if frame.function])
    return all(
        any(_same_function(wanted, name) for name in names)
        for wanted in map(plain_name, signature.frames)
    )


def alike_kinds(first: str, second: str) -> bool:
    """Whether two kinds, in any spelling, are the same or stand for the same defect."""
    kinds = {canonical_kind(first), canonical_kind(second)}
    return len(kinds) == 1 or any(kinds <= same for same in _EQUIVALENT)


def alike(first: Signature, second: Signature) -> bool:
    """Whether two crashes, of two revisions or as two sources report them, are of the same defect.

    Looser than `matches`, because code moves between revisions: the kinds are the same or equivalent,
    and at least a single function is among the innermost MAX_COMPARED_FRAMES frames of both. Entry points,
    which every crash of a target passes through, count only where a side has nothing else. Where a side has
    no frames, the kind and the access decide. Of a lambda, an operator or a method without its class, as gcc
    has them in programs with line numbers, the callers must agree too. Names may be mangled, and cut as
    ClusterFuzz cuts them. Kinds of `_ACCESS` may differ where the innermost function is the same, and those
    of `BEHIND_THE_INPUT` where neither writes.
    """
    ours, theirs = _telling(first.frames), _telling(second.frames)
    kinds = _kinds(first, second)
    # Projects poison free memory of their arenas as well, and a write there is a defect of another kind.
    if "write" in (first.access, second.access) and kinds == BEHIND_THE_INPUT:
        return False
    if not alike_kinds(first.kind, second.kind):
        if not kinds <= _ACCESS or any(map(hides_innermost, first.frames[:1] + second.frames[:1])):
            return False
        # A null argument is reported where it is passed; a program that goes on faults in what got it.
        inner = 2 if "invalid-null-argument" in kinds else 1
        ours, theirs = ours[:inner], theirs[:inner]
    elif _is_unknown(ours, kinds) or _is_unknown(theirs, kinds):
        # Many crashes of a target share a kind, so that without frames the access must agree as well.
        accesses = {first.access.lower(), second.access.lower()} - {""}
        return len(accesses) < 2 or kinds <= _EITHER_ACCESS
    return any(_may_be_one(mine, their) for mine in ours for their in theirs)


def _kinds(*signatures: Signature) -> frozenset[str]:
    return frozenset(canonical_kind(signature.kind) for signature in signatures)


# What an access through one bad pointer is called: by how far from null it points, and by which of UBSan's
# checks the compiler puts first.
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
        "invalid-null-argument",
    ]
)
# Of a race either access may be the one that is caught.
_EITHER_ACCESS = frozenset({"data-race"})
# Innermost frames in which two crashes of one defect share a function.
MAX_COMPARED_FRAMES = 5

_ENTRY_POINTS = frozenset({"main", "LLVMFuzzerTestOneInput", "LLVMFuzzerRunDriver", "_start"})


# What is reported in `free` or `delete`. A function that calls it last has left the stack by then (clang 22
# and gcc 12 make a jump of the call), and an entry point that remains may be the function or its caller.
_FREEING = frozenset(
    [
        "double-free",
        "bad-free",
        "invalid-free",
        "alloc-dealloc-mismatch",
        "new-delete-type-mismatch",
    ]
)


class _Call(NamedTuple):
    """A function on a stack, and the functions further out, innermost first."""

    name: str
    callers: list[str]


def _telling(frames: Iterable[str]) -> list[_Call]:
    """The innermost MAX_COMPARED_FRAMES functions of a stack, without entry points when there are others.

    Those of the C and C++ libraries, which no frame of a project is, are left out: they identify no defect.
    """
    named = map(stated_name, frames)
    inner = [name for name in named if name and not name.startswith(RUNTIME_PREFIXES)][
        :MAX_COMPARED_FRAMES
    ]
    calls = [_Call(name, inner[place + 1 :]) for place, name in enumerate(inner)]
    return [call for call in calls if call.name not in _ENTRY_POINTS] or calls


def _is_unknown(calls: Sequence[_Call], kinds: frozenset[str]) -> bool:
    """Whether a stack says nothing of which function crashed."""
    return not calls or (kinds <= _FREEING and calls[0].name in _ENTRY_POINTS)


def _may_be_one(first: _Call, second: _Call) -> bool:
    if not _same_name(first.name, second.name):
        return False
    # A name with its scope decides by itself; `operator()` or a lambda does not, and needs its callers.
    is_scoped = first.name == second.name and not first.name.startswith(_NO_SCOPE)
    return is_scoped or CUT in first.name + second.name or _callers_agree(first, second)


# How names begin that many functions have: gcc leaves out scopes in programs with line numbers.
_NO_SCOPE = ("operator", f"{LAMBDA}::")


def _callers_agree(first: _Call, second: _Call) -> bool:
    """Whether two functions, of which either has only its unqualified name, may have the same callers.

    So they may where callers are unknown, where entry points are the only callers, and where a caller of the
    first, or the function around it when it is a lambda, is also a caller of the second.
    """
    if not (first.callers and second.callers):
        return True
    ours, theirs = ([n for n in call.callers if n not in _ENTRY_POINTS] for call in (first, second))
    if not (ours or theirs):
        return True
    mine, their = [*ours, _lambda_scope(first.name)], [*theirs, _lambda_scope(second.name)]
    return any(_same_name(caller, further) for caller in mine for further in their if further)


def _lambda_scope(name: str) -> str:
    """The function in which a lambda stands, or ""."""
    scope, has_lambda, _ = name.partition(f"::{LAMBDA}")
    return scope if has_lambda else ""


def _same_name(first: str, second: str) -> bool:
    if first.endswith(CUT):
        return begins(first, second) or (second.endswith(CUT) and begins(second, first))
    return begins(second, first) if second.endswith(CUT) else _same_function(first, second)


def _same_function(first: str, second: str) -> bool:
    return first == second or first.endswith(f"::{second}") or second.endswith(f"::{first}")
