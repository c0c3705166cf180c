"""MemorySanitizer: `==PID==WARNING: MemorySanitizer: use-of-uninitialized-value`."""

# ruff: noqa: E501 - the reports are shown as the tools print them

from __future__ import annotations

import re

from parsers.crashes import Crash, CrashExample, CrashFormat, _report
from parsers.crashes._lines import Lines

_HEADER = re.compile(r"==(?<![\"'`]==)\d{1,10}== ?(?:WARNING|ERROR): MemorySanitizer: (.*)")
_KIND = re.compile(r"(?:use-of-uninitialized-value|UMR)\b")


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """The crash behind a header and the lines after it; None when neither frame nor SUMMARY follow."""
    body = _report.read_body(lines)
    if not body.complete:
        return None
    if _KIND.match(match[1]):
        return _report.make("memory", "use-of-uninitialized-value", body, match[1])
    return _report.read_fatal("memory", match[1], lines, body)


EXAMPLES = (
    CrashExample(
        """\
==4242==WARNING: MemorySanitizer: use-of-uninitialized-value
    #0 0x5635368f9444 in use /src/demo/msan.c:5:46
    #1 0x5635368f99e2 in main /src/demo/msan.c:7:24
    #2 0x7fe881fa0249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x7fe881fa0304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #4 0x5635368732b0 in _start (/src/demo/ms_clang+0x212b0) (BuildId: 0000000000000000000000000000000000000000)

  Uninitialized value was created by a heap allocation
    #0 0x5635368a7ca0 in __interceptor_malloc (/src/demo/ms_clang+0x55ca0) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x5635368f9853 in main /src/demo/msan.c:6:49
    #2 0x7fe881fa0249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: MemorySanitizer: use-of-uninitialized-value /src/demo/msan.c:5:46 in use
""",
        {
            "kind": "use-of-uninitialized-value",
            "access": "",
            "frames": ["use", "main"],
            "cwe": "CWE-457",
            "sanitizer": "memory",
        },
    ),
    CrashExample(
        """\
Uninitialized bytes in MemcmpInterceptorCommon at offset 0 inside [0x7fff536a5db8, 2)
==4242==WARNING: MemorySanitizer: use-of-uninitialized-value
    #0 0x563549c1fdde in memcmp (/src/demo/ms_clang+0x59dde) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x563549c6dc1f in main /src/demo/msan.c:7:91
    #2 0x7f5be87c2249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x7f5be87c2304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #4 0x563549be72b0 in _start (/src/demo/ms_clang+0x212b0) (BuildId: 0000000000000000000000000000000000000000)

  Uninitialized value was created by an allocation of 'b' in the stack frame of function 'main'
    #0 0x563549c6d4e0 in main /src/demo/msan.c:6

SUMMARY: MemorySanitizer: use-of-uninitialized-value (/src/demo/ms_clang+0x59dde) (BuildId: 0000000000000000000000000000000000000000) in memcmp
""",
        {"kind": "use-of-uninitialized-value", "frames": ["main"], "cwe": "CWE-457"},
    ),
    CrashExample(
        """\
MemorySanitizer:DEADLYSIGNAL
==4242==ERROR: MemorySanitizer: SEGV on unknown address 0x000000000000 (pc 0x55abfd836e76 bp 0x7fff2501d500 sp 0x7fff2501d310 T4242)
==4242==The signal is caused by a READ memory access.
==4242==Hint: address points to the zero page.
    #0 0x55abfd836e76 in main /src/demo/msan.c:7:182
    #1 0x7f4ee5911249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #2 0x7f4ee5911304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #3 0x55abfd7b02b0 in _start (/src/demo/ms_clang+0x212b0) (BuildId: 0000000000000000000000000000000000000000)

MemorySanitizer can not provide additional info.
SUMMARY: MemorySanitizer: SEGV /src/demo/msan.c:7:182 in main
""",
        {
            "kind": "segv",
            "access": "read",
            "frames": ["main"],
            "cwe": "CWE-476",
            "sanitizer": "memory",
        },
    ),
    CrashExample(
        """\
==4242==WARNING: MemorySanitizer: use-of-uninitialized-value
ok 1 - no stack, no summary
""",
        None,
    ),
)

PLUGIN = CrashFormat(
    name="memory",
    markers=("WARNING: MemorySanitizer: ", "ERROR: MemorySanitizer: "),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
)
