"""LeakSanitizer, alone or inside AddressSanitizer: `ERROR: LeakSanitizer: detected memory leaks`."""

# ruff: noqa: E501 - the reports are shown as the tools print them

from __future__ import annotations

import re

from parsers.crashes import Crash, CrashExample, CrashFormat, _report
from parsers.crashes._lines import Lines

_HEADER = re.compile(r"==(?<![\"'`]==)\d{1,10}== ?ERROR: LeakSanitizer: (.*)")
_FIRST_LEAK_WITHIN = 20
_LEAK = re.compile(r"^(?:\d{1,6}: )?(Direct|Indirect) leak of (\d{1,18}) byte\(s\) in ")


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """The first leak that is listed: its size, and where its memory was allocated."""
    body = _report.read_body(lines)
    if not body.complete:
        return None
    # LeakSanitizer also reports signals, in the words of all sanitizers.
    if not match[1].startswith("detected memory leaks"):
        return _report.read_fatal("leak", match[1], lines, body)
    first = next((leak for leak in map(_LEAK.match, lines.first(_FIRST_LEAK_WITHIN)) if leak), None)
    kind = f"{first[1].lower()}-leak" if first else "memory-leak"
    return _report.make("leak", kind, body, match[1], size=int(first[2]) if first else None)


EXAMPLES = (
    CrashExample(
        """\
=================================================================
==4242==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 10 byte(s) in 1 object(s) allocated from:
    #0 0x7f472acb89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x558ebbc9e7b9 in main /src/demo/asan.c:14
    #2 0x7f472aa45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: AddressSanitizer: 10 byte(s) leaked in 1 allocation(s).
""",
        {
            "kind": "direct-leak",
            "size": 10,
            "access": "",
            "frames": ["main"],
            "cwe": "CWE-401",
            "sanitizer": "leak",
        },
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 10 byte(s) in 1 object(s) allocated from:
    #0 0x7f29a8e13545 in __interceptor_malloc ../../../../src/libsanitizer/lsan/lsan_interceptors.cpp:75
    #1 0x55eae81ea33d in main /src/demo/asan.c:14
    #2 0x7f29a8c45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: LeakSanitizer: 10 byte(s) leaked in 1 allocation(s).
""",
        {"kind": "direct-leak", "size": 10, "frames": ["main"], "cwe": "CWE-401"},
    ),
    CrashExample(
        """\
LeakSanitizer:DEADLYSIGNAL
==4242==ERROR: LeakSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55c2d20cb962 bp 0x7fffce5d4b50 sp 0x7fffce5d4a90 T0)
==4242==The signal is caused by a READ memory access.
==4242==Hint: address points to the zero page.
    #0 0x55c2d20cb962 in main /src/demo/asan.c:26:35
    #1 0x7ff897d1a249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #2 0x7ff897d1a304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #3 0x55c2d209d420 in _start (/src/demo/lk_clang+0x5420) (BuildId: 0000000000000000000000000000000000000000)

LeakSanitizer can not provide additional info.
SUMMARY: LeakSanitizer: SEGV /src/demo/asan.c:26:35 in main
""",
        {
            "kind": "segv",
            "access": "read",
            "frames": ["main"],
            "cwe": "CWE-476",
            "sanitizer": "leak",
        },
    ),
)

PLUGIN = CrashFormat(
    name="leak",
    markers=("ERROR: LeakSanitizer: ",),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
)
