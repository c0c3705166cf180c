"""UndefinedBehaviorSanitizer: `file:line:column: runtime error: message`, with or without a stack.

A line is believed by its message, which must be a message of the checks (or else a frame or SUMMARY
must follow): by default neither gcc nor clang prints a stack, and gcc no SUMMARY either.
"""

# ruff: noqa: E501, W291 - the reports are shown as the tools print them

from __future__ import annotations

import re
from dataclasses import replace

from parsers.crashes import Crash, CrashExample, CrashFormat, StackFrame, _report
from parsers.crashes._lines import Lines
from parsers.crashes._stack import hexadecimal, read_frame

_HEADER = re.compile(
    r"^(?P<place>(?P<file>[^\"'`:\s][^\"'`:]*?|[A-Za-z]:[^\"'`:]*):(?P<line>\d{1,9}):(?:\d{1,9}:)?"
    r"|.{0,200}?<unknown>:) runtime error: (?P<error>.+)"
    r"|==(?<![\"'`]==)\d{1,10}== ?ERROR: UndefinedBehaviorSanitizer: (?P<fatal>.*)"
)
# Parts of messages, in the order they are looked for, and the check that prints them
# (compiler-rt/lib/ubsan/ubsan_handlers.cpp; gcc's libsanitizer is a copy of it).
_MESSAGES = (
    ("signed integer overflow: ", "signed-integer-overflow"),
    ("division by zero", "divide-by-zero"),
    ("shift exponent ", "shift-exponent"),
    ("left shift of ", "shift-base"),
    (" out of bounds for type ", "index-out-of-bounds"),
    (" misaligned address ", "misaligned-address"),
    ("assumption of ", "misaligned-address"),
    (" with insufficient space for an object of type ", "object-size"),
    (" null pointer of type ", "null-pointer-use"),
    ("null pointer passed as argument ", "invalid-null-argument"),
    ("null pointer returned from function ", "invalid-null-return"),
    (" which does not point to an object of type ", "vptr"),
    ("pointer index expression with base ", "pointer-overflow"),
    (" to null pointer", "pointer-overflow"),
    ("applying non-zero offset to non-null pointer ", "pointer-overflow"),
    ("addition of unsigned offset to ", "pointer-overflow"),
    ("subtraction of unsigned offset from ", "pointer-overflow"),
    ("implicit conversion from type ", "implicit-conversion"),
    (" outside the range of representable values of type ", "float-cast-overflow"),
    ("variable length array bound evaluates to non-positive value ", "vla-bound"),
    ("execution reached an unreachable program point", "unreachable"),
    ("execution reached the end of a value-returning function", "missing-return"),
    ("which is not a valid argument", "invalid-builtin-use"),
    ("through pointer to incorrect function type ", "incorrect-function-pointer-type"),
    ("control flow integrity check for type ", "control-flow-integrity"),
    ("assumption is violated during execution", "assumption-violation"),
    (" cannot be represented in type ", "signed-integer-overflow"),
)
_BOOL = re.compile(
    r"load of value \d{1,20}, which is not (?:a valid value|valid) for type '?[\w ]*\b(?:bool|_Bool|BOOL)\b"
)
_ENUM = re.compile(r"load of value -?\d{1,20}, which is not (?:a valid value|valid) for type ")
# zig 0.17 says "not valid".
_ADDRESS = re.compile(r"\baddress 0x([0-9a-f]{1,16})")
_ACCESSES = (("load of ", "read"), ("store to ", "write"))
# Lines between an error and its stack: the vptr check's notes about the object take four.
_STACK_WITHIN = 8


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """The error that a line states. Without a stack, the location in the line is the only frame."""
    if match["fatal"] is not None:
        body = _report.read_body(lines)
        return (
            _report.read_fatal("undefined", match["fatal"], lines, body) if body.complete else None
        )
    error = match["error"]
    kind = kind_of(error)
    has_stack = any(read_frame(line) for line in lines.first(_STACK_WITHIN))
    # Without a stack nearby, frames further below belong to another report.
    body = _report.read_body(lines if has_stack else lines.first(_STACK_WITHIN))
    if kind is None and not body.complete:
        return None
    if not body.stack and match["file"]:
        place = StackFrame("", match["file"][-_report.MAX_SUMMARY :], int(match["line"]))
        body = _report.ReportBody((place,), body.summary)
    address = _ADDRESS.search(error)
    access = next((name for words, name in _ACCESSES if error.startswith(words)), "")
    value = kind in {"invalid-bool", "invalid-enum"}
    crash = _report.make(
        "undefined",
        kind or "undefined-behavior",
        _report.ReportBody(body.stack, f"{match['place']} {error}"),
        error,
        # "load of value 3" reports what was read, not a bad access.
        access="" if value else access,
        address=hexadecimal(address[1]) if address else None,
    )
    # By default the program goes on; where it does not, the end behind the line shows it.
    return replace(crash, recovered=True)


def kind_of(error: str) -> str | None:
    """The check that prints a message, or None."""
    if _BOOL.match(error):
        return "invalid-bool"
    if _ENUM.match(error):
        return "invalid-enum"
    if error.startswith("unsigned integer overflow: "):
        return "unsigned-integer-overflow"
    return next((kind for words, kind in _MESSAGES if words in error), None)


EXAMPLES = (
    CrashExample(
        """\
ubsan.c:11:57: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x5613cc5282d4 in addi /src/demo/ubsan.c:11
    #1 0x5613cc5283cb in main /src/demo/ubsan.c:15
    #2 0x7f3b13e45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #3 0x7f3b13e45304 in __libc_start_main_impl ../csu/libc-start.c:360
    #4 0x5613cc528180 in _start (/src/demo/ub_gcc+0x2180)
""",
        {
            "kind": "signed-integer-overflow",
            "access": "",
            "frames": ["addi", "main"],
            "cwe": "CWE-190",
            "sanitizer": "undefined",
        },
    ),
    CrashExample(
        """\
ubsan.c:19:18: runtime error: member access within null pointer of type 'struct S'
SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior ubsan.c:19:18 in 
ubsan.c:19:18: runtime error: load of null pointer of type 'int'
SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior ubsan.c:19:18 in 
UndefinedBehaviorSanitizer:DEADLYSIGNAL
==4242==ERROR: UndefinedBehaviorSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55f6da15928f bp 0x7fffae5ce680 sp 0x7fffae5ce420 T4242)
==4242==The signal is caused by a READ memory access.
==4242==Hint: address points to the zero page.
    #0 0x55f6da15928f in main /src/demo/ubsan.c:19:18
    #1 0x7f8b352f8249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #2 0x7f8b352f8304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #3 0x55f6da130380 in _start (/src/demo/ub_clang+0x5380) (BuildId: 0000000000000000000000000000000000000000)

UndefinedBehaviorSanitizer can not provide additional info.
SUMMARY: UndefinedBehaviorSanitizer: SEGV /src/demo/ubsan.c:19:18 in main
==4242==ABORTING
""",
        {"kind": "segv", "frames": ["main"], "cwe": "CWE-476"},
    ),
    CrashExample(
        """\
ubsan.c:17:17: runtime error: index 4 out of bounds for type 'int [4]'
ubsan.c:17:17: runtime error: load of address 0x5613e029b860 with insufficient space for an object of type 'int'
0x5613e029b860: note: pointer points here
 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00
              ^ 
""",
        {"kind": "index-out-of-bounds", "frames": [], "cwe": "CWE-129"},
    ),
    CrashExample(
        """\
ubx.cpp:10:24: runtime error: downcast of address 0x55f8508db2e0 which does not point to an object of type 'B'
0x55f8508db2e0: note: object is of type 'A'
 00 00 00 00  d0 8c 69 21 f8 55 00 00  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  71 00 00 00
              ^~~~~~~~~~~~~~~~~~~~~~~
              vptr for 'A'
    #0 0x55f821684456 in main /src/demo/ubx.cpp:10:24
    #1 0x7f475de45249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #2 0x7f475de45304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #3 0x55f82165a390 in _start (/src/demo/ubx_clang+0x5390) (BuildId: 0000000000000000000000000000000000000000)

SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior ubx.cpp:10:24 in 
""",
        {"kind": "vptr", "frames": ["main"], "cwe": "CWE-843"},
    ),
    CrashExample(
        """\
./fz_ub: Running 1 inputs 1 time(s) each.
Running: in_s
UndefinedBehaviorSanitizer:DEADLYSIGNAL
==4242==ERROR: UndefinedBehaviorSanitizer: SEGV on unknown address 0x000000000000 (pc 0x561316ef8613 bp 0x7ffd1cc3a070 sp 0x7ffd1cc39f70 T4242)
==4242==The signal is caused by a WRITE memory access.
==4242==Hint: address points to the zero page.
    #0 0x561316ef8613 in LLVMFuzzerTestOneInput /src/demo/fuzz.c:7:246
    #1 0x561316eb54c3 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) (/src/demo/fz_ub+0x264c3) (BuildId: 0000000000000000000000000000000000000000)
    #2 0x561316e9f4cf in fuzzer::RunOneTest(fuzzer::Fuzzer*, char const*, unsigned long) (/src/demo/fz_ub+0x104cf) (BuildId: 0000000000000000000000000000000000000000)
    #3 0x561316ea5206 in fuzzer::FuzzerDriver(int*, char***, int (*)(unsigned char const*, unsigned long)) (/src/demo/fz_ub+0x16206) (BuildId: 0000000000000000000000000000000000000000)
    #4 0x561316ecf042 in main (/src/demo/fz_ub+0x40042) (BuildId: 0000000000000000000000000000000000000000)
    #5 0x7fdefdc45249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #6 0x7fdefdc45304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #7 0x561316e99b60 in _start (/src/demo/fz_ub+0xab60) (BuildId: 0000000000000000000000000000000000000000)

UndefinedBehaviorSanitizer can not provide additional info.
SUMMARY: UndefinedBehaviorSanitizer: SEGV /src/demo/fuzz.c:7:246 in LLVMFuzzerTestOneInput
""",
        {"kind": "segv", "access": "write", "frames": ["LLVMFuzzerTestOneInput"], "cwe": "CWE-476"},
    ),
    CrashExample(
        """\
ubsan.c:16:17: runtime error: shift exponent 32 is too large for 32-bit type 'int'
""",
        {"kind": "shift-exponent", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:33:21: runtime error: left shift of negative value -1
""",
        {"kind": "shift-base", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:18:15: runtime error: division by zero
""",
        {"kind": "divide-by-zero", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:28:22: runtime error: division of -2147483648 by -1 cannot be represented in type 'int'
""",
        {"kind": "signed-integer-overflow", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:29:15: runtime error: negation of -2147483648 cannot be represented in type 'int'; cast to an unsigned type to negate this value to itself
""",
        {"kind": "signed-integer-overflow", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:25:24: runtime error: unsigned integer overflow: 4294967295 + 1 cannot be represented in type 'unsigned int'
""",
        {"kind": "unsigned-integer-overflow", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:20:26: runtime error: load of misaligned address 0x7ffd5d7bd4f1 for type 'volatile int', which requires 4 byte alignment
""",
        {"kind": "misaligned-address", "access": "read"},
    ),
    CrashExample(
        """\
ubsan.c:45:45: runtime error: store to misaligned address 0x56036f03d851 for type 'volatile int', which requires 4 byte alignment
""",
        {"kind": "misaligned-address", "access": "write"},
    ),
    CrashExample(
        """\
ubsan.c:44:71: runtime error: assumption of 16 byte alignment for pointer of type 'char *' failed
""",
        {"kind": "misaligned-address", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:22:61: runtime error: pointer index expression with base 0xfffffffffffffff8 overflowed to 0x000000000008
""",
        {"kind": "pointer-overflow", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:41:56: runtime error: applying non-zero offset 8 to null pointer
""",
        {"kind": "pointer-overflow", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:23:49: runtime error: load of value 3, which is not a valid value for type 'volatile bool'
""",
        {"kind": "invalid-bool", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:23:49: runtime error: load of value 3, which is not a valid value for type '_Bool'
""",
        {"kind": "invalid-bool", "access": ""},
    ),
    CrashExample(
        """\
ubx.cpp:11:50: runtime error: load of value 5, which is not a valid value for type 'volatile E'
""",
        {"kind": "invalid-enum", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:24:15: runtime error: 1e+30 is outside the range of representable values of type 'int'
""",
        {"kind": "float-cast-overflow", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:37:27: runtime error: implicit conversion from type 'unsigned int' of value 4294967295 (32-bit, unsigned) to type 'unsigned char' changed the value to 255 (8-bit, unsigned)
""",
        {"kind": "implicit-conversion", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:26:10: runtime error: execution reached an unreachable program point
""",
        {"kind": "unreachable", "access": ""},
    ),
    CrashExample(
        """\
ubx.cpp:5:31: runtime error: execution reached the end of a value-returning function without returning a value
""",
        {"kind": "missing-return", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:27:28: runtime error: variable length array bound evaluates to non-positive value -1
""",
        {"kind": "vla-bound", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:30:10: runtime error: null pointer passed as argument 1, which is declared to never be null
""",
        {"kind": "invalid-null-argument", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:9:58: runtime error: null pointer returned from function declared to never return null
""",
        {"kind": "invalid-null-return", "access": ""},
    ),
    CrashExample(
        """\
ubsan.c:36:15: runtime error: passing zero to clz(), which is not a valid argument
""",
        {"kind": "invalid-builtin-use", "access": ""},
    ),
    CrashExample(
        """\
ubx.cpp:15:16: runtime error: reference binding to null pointer of type 'int'
""",
        {"kind": "null-pointer-use", "access": ""},
    ),
    CrashExample(
        """\
zlib_fuzzer.cc:13:11: runtime error: load of address 0x000106c07ef8 with insufficient space for an object of type 'unsigned int'
""",
        {"kind": "object-size", "access": "read", "address": 4408246008, "cwe": "CWE-125"},
    ),
    CrashExample(
        """\
gl.cc:138:18: runtime error: call to function get through pointer to incorrect function type 'void *(*)(const char *)'
""",
        {"kind": "incorrect-function-pointer-type"},
    ),
    CrashExample(
        """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
m.go:210:1() Panic in m: runtime error: division by zero
""",
        None,
    ),
    CrashExample(
        """\
check.py:12: runtime error: the server said no
""",
        None,
    ),
)

PLUGIN = CrashFormat(
    name="undefined",
    markers=("runtime error: ", "ERROR: UndefinedBehaviorSanitizer: "),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
)
