"""ThreadSanitizer: `WARNING: ThreadSanitizer: data race (pid=1)`; its frames carry no address."""

# ruff: noqa: E501 - the reports are shown as the tools print them

from __future__ import annotations

import re
from dataclasses import replace

from parsers.crashes import Crash, CrashExample, CrashFormat, _report
from parsers.crashes._lines import Lines

_HEADER = re.compile(
    r"^(?:\d{1,6}: )?(?:==\d{1,10}== ?ERROR|\s*WARNING): ThreadSanitizer: ([^\"'`]{1,200}?)(?: \(pid=\d{1,10}\))?$"
)
_ACCESS = re.compile(
    r"^\s*(?:\d{1,6}: )?\s*(?:Atomic )?([Rr]ead|[Ww]rite) of size (\d{1,9}) at 0x([0-9a-f]{1,16})"
)


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """The race (or different finding) with the access that was caught, which is the first stack."""
    error_word = match[1]
    body = _report.read_body(lines, needs_address=False)
    if not body.complete:
        return None
    fatal = _report.read_fatal("thread", error_word, lines, body)
    if fatal.kind != _report.UNKNOWN:
        return fatal
    # After a warning the program goes on, after an error it does not.
    is_warning = "WARNING: ThreadSanitizer" in match[0]
    kind = "-".join(error_word.partition("(")[0].lower().split())
    for line in lines.first(3):
        access_match = _ACCESS.match(line)
        if access_match:
            access, size, address = (
                access_match[1].lower(),
                int(access_match[2]),
                int(access_match[3], 16),
            )
            crash = _report.make(
                "thread", kind, body, error_word, access=access, size=size, address=address
            )
            return replace(crash, recovered=is_warning)
    return replace(_report.make("thread", kind, body, error_word), recovered=is_warning)


EXAMPLES = (
    CrashExample(
        """\
==================
WARNING: ThreadSanitizer: data race (pid=4242)
  Read of size 4 at 0x55e3f8f150c0 by main thread:
    #0 bump /src/demo/tsan.c:6 (ts_gcc+0x124c)
    #1 main /src/demo/tsan.c:11 (ts_gcc+0x13bb)

  Previous write of size 4 at 0x55e3f8f150c0 by thread T1:
    #0 bump /src/demo/tsan.c:6 (ts_gcc+0x1264)
    #1 w /src/demo/tsan.c:7 (ts_gcc+0x1294)

  Location is global 'g' of size 4 at 0x55e3f8f150c0 (ts_gcc+0x40c0)

  Thread T1 (tid=4243, finished) created by main thread at:
    #0 pthread_create ../../../../src/libsanitizer/tsan/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
    #1 main /src/demo/tsan.c:11 (ts_gcc+0x13b6)

SUMMARY: ThreadSanitizer: data race /src/demo/tsan.c:6 in bump
""",
        {
            "kind": "data-race",
            "access": "read",
            "size": 4,
            "frames": ["bump", "main"],
            "cwe": "CWE-362",
            "sanitizer": "thread",
        },
    ),
    CrashExample(
        """\
==================
WARNING: ThreadSanitizer: heap-use-after-free (pid=4242)
  Write of size 1 at 0x7b0400000000 by main thread:
    #0 main /src/demo/tsan.c:12:61 (ts_clang+0xd0305) (BuildId: 0000000000000000000000000000000000000000)

  Previous write of size 8 at 0x7b0400000000 by thread T1:
    #0 free <null> (ts_clang+0x501f4) (BuildId: 0000000000000000000000000000000000000000)
    #1 fr /src/demo/tsan.c:8:17 (ts_clang+0xd0194) (BuildId: 0000000000000000000000000000000000000000)

  Thread T1 (tid=4243, finished) created by main thread at:
    #0 pthread_create <null> (ts_clang+0x513bd) (BuildId: 0000000000000000000000000000000000000000)
    #1 main /src/demo/tsan.c:12:22 (ts_clang+0xd02df) (BuildId: 0000000000000000000000000000000000000000)

SUMMARY: ThreadSanitizer: heap-use-after-free /src/demo/tsan.c:12:61 in main
""",
        {
            "kind": "heap-use-after-free",
            "access": "write",
            "size": 1,
            "frames": ["main"],
            "cwe": "CWE-416",
        },
    ),
    CrashExample(
        """\
==================
WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=4242)
  Cycle in lock order graph: M0 (0x55814d02c0e0) => M1 (0x55814d02c120) => M0

  Mutex M1 acquired here while holding mutex M0 in thread T1:
    #0 pthread_mutex_lock ../../../../src/libsanitizer/sanitizer_common/sanitizer_common_interceptors.inc:4324 (libtsan.so.2+0x558e1)
    #1 l1 /src/demo/tsan.c:9 (ts_gcc+0x1328)

    Hint: use TSAN_OPTIONS=second_deadlock_stack=1 to get more informative warning message

  Mutex M0 acquired here while holding mutex M1 in main thread:
    #0 pthread_mutex_lock ../../../../src/libsanitizer/sanitizer_common/sanitizer_common_interceptors.inc:4324 (libtsan.so.2+0x558e1)
    #1 main /src/demo/tsan.c:13 (ts_gcc+0x14c8)

  Thread T1 (tid=4243, finished) created by main thread at:
    #0 pthread_create ../../../../src/libsanitizer/tsan/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
    #1 main /src/demo/tsan.c:13 (ts_gcc+0x148d)

SUMMARY: ThreadSanitizer: lock-order-inversion (potential deadlock) /src/demo/tsan.c:9 in l1
""",
        {"kind": "lock-order-inversion", "frames": ["l1"], "cwe": "CWE-833"},
    ),
    CrashExample(
        """\
ThreadSanitizer:DEADLYSIGNAL
==4242==ERROR: ThreadSanitizer: SEGV on unknown address 0x000000000000 (pc 0x557d48df93ca bp 0x7ffce27fa4b0 sp 0x7ffce27fa460 T4242)
==4242==The signal is caused by a WRITE memory access.
==4242==Hint: address points to the zero page.
    #0 main /src/demo/tsan.c:15:27 (ts_clang+0xd03ca) (BuildId: 0000000000000000000000000000000000000000)
    #1 __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16 (libc.so.6+0x27249) (BuildId: 0000000000000000000000000000000000000000)
    #2 __libc_start_main csu/../csu/libc-start.c:360:3 (libc.so.6+0x27304) (BuildId: 0000000000000000000000000000000000000000)
    #3 _start <null> (ts_clang+0x23330) (BuildId: 0000000000000000000000000000000000000000)

ThreadSanitizer can not provide additional info.
SUMMARY: ThreadSanitizer: SEGV /src/demo/tsan.c:15:27 in main
""",
        {
            "kind": "segv",
            "access": "write",
            "frames": ["main"],
            "cwe": "CWE-476",
            "sanitizer": "thread",
        },
    ),
)

PLUGIN = CrashFormat(
    name="thread",
    markers=("WARNING: ThreadSanitizer: ", "ERROR: ThreadSanitizer: "),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
)
