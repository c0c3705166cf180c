"""What sanitizer reports share: where the crash's stack is, the summary, the fatal kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from parsers.crashes._lines import Lines
from parsers.crashes._model import Crash, StackFrame
from parsers.crashes._names import plain_name, wild_call_name
from parsers.crashes._stack import hexadecimal, project_frames, read_frame
from parsers.cwe import cwe_for

MAX_SUMMARY = 500
UNKNOWN = "unknown-crash"
# ClusterFuzz calls a fault below this address a null dereference; Linux never maps it
# (vm.mmap_min_addr). The sanitizers' own hint stops at the first page.
NULL_LIMIT = 0x10000

_SUMMARY = re.compile(r"^\s*(?:\d{1,6}: )?\s*SUMMARY: (\w*Sanitizer|libFuzzer): (.*)$")
_PLACE = re.compile(r"^(.+?):(\d{1,9})(?::\d{1,9})?$")
_NEXT_HEADER = re.compile(
    r"==\d{1,10}== ?(?:ERROR|WARNING): (?:\w{1,40}Sanitizer|libFuzzer): "
    r"|WARNING: ThreadSanitizer: |: runtime error: "
)
_BROKE_OFF = re.compile(
    r"^(?:\d{1,6}: )?(?:==\d{1,10}== ?The signal is caused by a "
    r"|\w{0,40}Sanitizer: nested bug in the same thread)"
)
# Stacks under these headings tell the memory's history or the threads', not the crash.
_OTHER_STACK = re.compile(
    r"^\s*(?:\d{1,6}: )?\s*(?:(?:previously )?(?:allocated|freed) by |0x[0-9a-f]+ is located "
    r"|Address 0x\w+ is |Thread T\d+ .*created by |Uninitialized value was |Memory was marked "
    r"|HINT: |Previous |Live Heap Allocations)"
)


@dataclass(frozen=True)
class ReportBody:
    """A report after its header: its first stack (all frames) and its SUMMARY text ("" if none).

    broke_off: the runtime says that a signal caused it, or that it crashed itself ("nested bug"): after a
    call through a wild pointer that is all that gcc 12 to 16 and clang 14 to 21 print.
    """

    stack: tuple[StackFrame, ...]
    summary: str
    broke_off: bool = False

    @property
    def complete(self) -> bool:
        """Whether a frame, a summary or the runtime's end follows the header, so that the report counts."""
        return bool(self.stack or self.summary or self.broke_off)


def read_body(lines: Iterable[str], needs_address: bool = True) -> ReportBody:
    """Read the lines that follow a header, up to the summary or the next header."""
    stack: list[StackFrame] = []
    reading, summary, broke_off = True, "", False
    for line in lines:
        match = _SUMMARY.match(line)
        if match:
            summary = match[2]
            break
        # A second report's stack must not be taken for that of the first.
        if _NEXT_HEADER.search(line):
            break
        broke_off = broke_off or _BROKE_OFF.search(line) is not None
        if not reading:
            continue
        frame = read_frame(line, needs_address)
        if frame is not None:
            # Frame 0 again begins another stack, such as that of the allocation.
            reading = frame[0] > 0 or not stack
            stack += [frame[1]] if reading else []
        elif _OTHER_STACK.match(line) or (stack and not line.strip()):
            reading = False
    return ReportBody(tuple(stack), summary, broke_off)


def make(
    sanitizer: str,
    kind: str,
    body: ReportBody,
    header: str,
    *,
    access: str = "",
    size: int | None = None,
    address: int | None = None,
    crash_type: str = "",
) -> Crash:
    """Build a Crash; without a stack its only frame is the location that the summary names.

    `crash_type` is OSS-Fuzz's spelling where it differs from `kind` (for the CWE).
    """
    return Crash(
        sanitizer=sanitizer,
        kind=kind,
        access=access,
        size=size,
        address=address,
        frames=project_frames(body.stack or _summary_frame(body.summary)),
        cwe=cwe_for(f"{crash_type or kind} {access.upper()}"),
        summary=printable(body.summary or header),
    )


def _summary_frame(summary: str) -> tuple[StackFrame, ...]:
    """The frame in `kind file:line:column in function`, or nothing."""
    where, _, function = summary.partition(" in ")
    place = _PLACE.match(where.rpartition(" ")[2])
    return (StackFrame(plain_name(function), place[1], int(place[2])),) if place else ()


def printable(text: str) -> str:
    """`text` on a single line, without control characters, cut at MAX_SUMMARY characters."""
    return "".join(c if c.isprintable() else "?" for c in text.strip()[:MAX_SUMMARY])


# gcc's and clang's words on Linux, then those of the Windows runtime.
SIGNAL_KINDS = {
    "SEGV": "segv",
    "BUS": "bus",
    "FPE": "fpe",
    "ILL": "ill",
    "TRAP": "trap",
    "ABRT": "abrt",
    "stack-overflow": "stack-overflow",
    "access-violation": "segv",
    "int-divide-by-zero": "fpe",
    "illegal-instruction": "ill",
    "breakpoint": "trap",
}
_SIGNAL = re.compile(
    r"^(" + "|".join(SIGNAL_KINDS) + r")(?: on (?:unknown )?address(?: 0x(\w{1,16}))?)? "
)
_PC = re.compile(r"\(pc 0x(\w{1,16})\b")
_CAUSE = re.compile(r"The signal is caused by a (READ|WRITE) memory access")
_ALLOCATOR = (
    (re.compile(r"requested allocation size 0x(\w{1,16}) "), "allocation-size-too-big"),
    (re.compile(r"calloc parameters overflow()"), "calloc-overflow"),
    (re.compile(r"reallocarray parameters overflow()"), "reallocarray-overflow"),
    (re.compile(r"pvalloc parameters overflow()"), "pvalloc-overflow"),
    (re.compile(r"invalid allocation alignment()"), "invalid-allocation-alignment"),
    (re.compile(r"invalid alignment requested in aligned_alloc()"), "invalid-aligned-alloc-alignment"),
    (re.compile(r"invalid alignment requested in posix_memalign()"), "invalid-posix-memalign-alignment"),
    (re.compile(r"(?:allocator is )?out of memory\b.{0,40}? 0x(\w{1,16})"), "out-of-memory"),
    (re.compile(r"(?:specified|hard) RSS limit ex()", re.IGNORECASE), "out-of-memory"),
)  # fmt: skip


def read_fatal(sanitizer: str, description: str, lines: Lines, body: ReportBody) -> Crash:
    """What the runtimes of all sanitizers report in the same words: a fatal signal (`SEGV on
    unknown address 0x..`) or a refused allocation; any different words are the kind "unknown-crash".
    `description` is what follows "Sanitizer: ".
    """
    for pattern, kind in _ALLOCATOR:
        refused = pattern.match(description)
        if refused:
            return make(sanitizer, kind, body, description, size=hexadecimal(refused[1]))
    match = _SIGNAL.match(description)
    if match is None:
        return make(sanitizer, UNKNOWN, body, description)
    kind, address, access, crash_type = SIGNAL_KINDS[match[1]], hexadecimal(match[2]), "", ""
    if kind in {"segv", "bus"}:
        causes = (_CAUSE.search(line) for line in lines.first(6))
        access = next((cause[1].lower() for cause in causes if cause), "")
        crash_type = segv_type(address, access)
        pc = _PC.search(description)
        if body.broke_off and not body.stack and pc and hexadecimal(pc[1]) == address is not None:
            body = replace(body, stack=(StackFrame(wild_call_name(address), "", None),))
    return make(
        sanitizer, kind, body, description, access=access, address=address, crash_type=crash_type
    )


def segv_type(address: int | None, access: str) -> str:
    """OSS-Fuzz's crash type of a memory fault, without the access."""
    if address is not None and address < NULL_LIMIT:
        return "Null-dereference"
    return "UNKNOWN" if access else "Segv on unknown address"
