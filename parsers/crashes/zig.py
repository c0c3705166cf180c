"""zig cc's runtime: `thread N panic: message` with frames such as `/src/z.c:2:34: 0x1021611 in add (z.c)`.

`zig cc` builds C with UBSan by default and links this handler, whose messages are UBSan's (zig 0.17).
"""

# ruff: noqa: E501 - the reports are shown as the tools print them

from __future__ import annotations

import re

from parsers.crashes import Crash, CrashExample, CrashFormat, StackFrame, _report
from parsers.crashes._lines import Lines
from parsers.crashes._names import plain_name
from parsers.crashes._stack import hexadecimal
from parsers.crashes.undefined import kind_of

_HEADER = re.compile(
    r"(?:^|(?:^|(?<=\s))thread \d{1,10} )panic: (.+)"
    r"|^(Segmentation fault|Bus error|Illegal instruction|Arithmetic exception)"
    r" at address 0x([0-9a-f]{1,16})"
)
_FRAME = re.compile(
    r"^\s*(\S.{0,1000}?):(\d{1,9}|\?):(?:\d{1,9}|\?): 0x([0-9a-f]{1,16}) in (.{1,400}?) \(([^()]{0,400})\)$"
)
_SIGNALS = {
    "Segmentation fault": "segv",
    "Bus error": "bus",
    "Illegal instruction": "ill",
    "Arithmetic exception": "fpe",
}
_WORDS = (
    ("integer overflow", "signed-integer-overflow"),
    ("index out of bounds", "index-out-of-bounds"),
    ("reached unreachable code", "unreachable"),
    ("attempt to use null value", "null-pointer-use"),
    ("incorrect alignment", "misaligned-address"),
)


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """The panic, when a frame of zig's follows or its message is a message of UBSan."""
    stack = tuple(frame for frame in map(_frame, lines.first(_FRAMES_WITHIN)) if frame)
    words = match[1] or match[2]
    kind = _SIGNALS.get(match[2] or "") or kind_of(words)
    kind = kind or next((kind for start, kind in _WORDS if words.startswith(start)), None)
    # Go and Rust print "panic" as well: zig's needs a frame of zig's, or its thread and a message of UBSan.
    is_zigs = "thread " in match[0].partition("panic: ")[0] and kind is not None
    if not stack and not is_zigs:
        return None
    address = hexadecimal(match[3])
    body = _report.ReportBody(stack, match[0].strip())
    return _report.make("undefined", kind or "panic", body, words, address=address)


_FRAMES_WITHIN = 200


def _frame(line: str) -> StackFrame | None:
    match = _FRAME.match(line)
    if match is None:
        return None
    file, number = ("", None) if match[1] == "???" else (match[1], match[2])
    line_number = int(number) if number and number.isdigit() else None
    function = "" if match[4] == "???" else plain_name(match[4])
    return StackFrame(function, file, line_number, "", hexadecimal(match[3]))


EXAMPLES = (
    CrashExample(
        """\
start
thread 15562 panic: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
/src/z.c:2:34: 0x1021611 in add (z.c)
int add(int a, int b) { return a + b; }
                                 ^
/src/z.c:3:72: 0x102165f in main (z.c)
int main(int c, char **v) { int r = add(2147483647, c); return 0; }
                                       ^
../sysdeps/nptl/libc_start_call_main.h:58:16: 0x7f1e19def249 in __libc_start_call_main (../sysdeps/x86/libc-start.c)
../csu/libc-start.c:360:3: 0x7f1e19def304 in __libc_start_main_impl (../sysdeps/x86/libc-start.c)
???:?:?: 0x1021500 in _start (???)
""",
        {
            "kind": "signed-integer-overflow",
            "frames": ["add", "main"],
            "cwe": "CWE-190",
            "sanitizer": "undefined",
        },
        status=134,
    ),
    CrashExample(
        "thread 7 panic: load of value 4, which is not valid for type 'bool'\n",
        {"kind": "invalid-bool"},
        status=134,
    ),
    CrashExample(
        "thread 7 panic: load of value 1077952576, which is not valid for type 'Colour'\n",
        {"kind": "invalid-enum"},
        status=134,
    ),
    CrashExample("panic: runtime error: index out of range [5] with length 3\n", None),
    CrashExample("thread 'main' panicked at src/main.rs:2:5:\nexplicit panic\n", None),
)

PLUGIN = CrashFormat(
    name="zig",
    markers=(" panic: ", "Segmentation fault at address 0x"),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
    has_summary=False,
)
