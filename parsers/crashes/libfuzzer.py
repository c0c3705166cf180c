"""libFuzzer: `==PID== ERROR: libFuzzer: deadly signal`, timeouts, memory limits."""

# ruff: noqa: E501 - the reports are shown as the tools print them

from __future__ import annotations

import re

from parsers.crashes import Crash, CrashExample, CrashFormat, _report
from parsers.crashes._lines import Lines

_HEADER = re.compile(r"==(?<![\"'`]==)\d{1,10}== ?ERROR: libFuzzer: (.*)")
# With -malloc_limit_mb the header has the refused size; with -rss_limit_mb it has none.
_MALLOC = re.compile(r"\(malloc\((\d{1,18})\)\)")
_KINDS = (
    ("deadly signal", "deadly-signal"),
    ("timeout after", "timeout"),
    ("out-of-memory", "out-of-memory"),
    ("fuzz target exited", "fuzz-target-exited"),
    ("fuzz target overwrites its const input", "overwrites-const-input"),
    ("fuzz target overwrites its constant input", "overwrites-const-input"),
)


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """Why libFuzzer stopped; None for words that libFuzzer does not write, or when the report ends there."""
    error_word = match[1]
    kind = next((kind for phrase, kind in _KINDS if error_word.startswith(phrase)), None)
    body = _report.read_body(lines) if kind else None
    if kind is None or body is None or not body.complete:
        return None
    malloc = _MALLOC.search(error_word)
    return _report.make(
        "libfuzzer", kind, body, error_word, size=int(malloc[1]) if malloc else None
    )


EXAMPLES = (
    CrashExample(
        """\
./fz_asan: Running 1 inputs 1 time(s) each.
Running: in_a
==4242== ERROR: libFuzzer: deadly signal
    #0 0x55ad4a518ce1 in __sanitizer_print_stack_trace (/src/demo/fz_asan+0xe8ce1) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x55ad4a48b638 in fuzzer::PrintStackTrace() (/src/demo/fz_asan+0x5b638) (BuildId: 0000000000000000000000000000000000000000)
    #2 0x55ad4a470f03 in fuzzer::Fuzzer::CrashCallback() (/src/demo/fz_asan+0x40f03) (BuildId: 0000000000000000000000000000000000000000)
    #3 0x7f4c89c5a04f  (/lib/x86_64-linux-gnu/libc.so.6+0x3c04f) (BuildId: 0000000000000000000000000000000000000000)
    #4 0x7f4c89ca8eeb in __pthread_kill_implementation nptl/./nptl/pthread_kill.c:43:17
    #5 0x7f4c89c59fb1 in raise signal/../sysdeps/posix/raise.c:26:13
    #6 0x7f4c89c44471 in abort stdlib/./stdlib/abort.c:79:7
    #7 0x55ad4a549b6a in LLVMFuzzerTestOneInput /src/demo/fuzz.c:7:23
    #8 0x55ad4a4722f3 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) (/src/demo/fz_asan+0x422f3) (BuildId: 0000000000000000000000000000000000000000)
    #9 0x55ad4a45c2ff in fuzzer::RunOneTest(fuzzer::Fuzzer*, char const*, unsigned long) (/src/demo/fz_asan+0x2c2ff) (BuildId: 0000000000000000000000000000000000000000)
    #10 0x55ad4a462036 in fuzzer::FuzzerDriver(int*, char***, int (*)(unsigned char const*, unsigned long)) (/src/demo/fz_asan+0x32036) (BuildId: 0000000000000000000000000000000000000000)
    #11 0x55ad4a48be72 in main (/src/demo/fz_asan+0x5be72) (BuildId: 0000000000000000000000000000000000000000)
    #12 0x7f4c89c45249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #13 0x7f4c89c45304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #14 0x55ad4a456990 in _start (/src/demo/fz_asan+0x26990) (BuildId: 0000000000000000000000000000000000000000)

NOTE: libFuzzer has rudimentary signal handlers.
      Combine libFuzzer with AddressSanitizer or similar for better crash reports.
SUMMARY: libFuzzer: deadly signal
""",
        {
            "kind": "deadly-signal",
            "frames": ["LLVMFuzzerTestOneInput"],
            "cwe": None,
            "sanitizer": "libfuzzer",
        },
    ),
    CrashExample(
        """\
./fz_asan: Running 1 inputs 1 time(s) each.
Running: in_M
==4242== ERROR: libFuzzer: out-of-memory (malloc(3000000000))
   To change the out-of-memory limit use -rss_limit_mb=<N>

    #0 0x559cc72c2ce1 in __sanitizer_print_stack_trace (/src/demo/fz_asan+0xe8ce1) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x559cc7235638 in fuzzer::PrintStackTrace() (/src/demo/fz_asan+0x5b638) (BuildId: 0000000000000000000000000000000000000000)
    #2 0x559cc721a145 in fuzzer::Fuzzer::HandleMalloc(unsigned long) (/src/demo/fz_asan+0x40145) (BuildId: 0000000000000000000000000000000000000000)
    #3 0x559cc721a05a in fuzzer::MallocHook(void const volatile*, unsigned long) (/src/demo/fz_asan+0x4005a) (BuildId: 0000000000000000000000000000000000000000)
    #4 0x559cc72ca167 in __sanitizer::RunMallocHooks(void const*, unsigned long) (/src/demo/fz_asan+0xf0167) (BuildId: 0000000000000000000000000000000000000000)
    #5 0x559cc7238864 in __asan::Allocator::Allocate(unsigned long, unsigned long, __sanitizer::BufferedStackTrace*, __asan::AllocType, bool) (/src/demo/fz_asan+0x5e864) (BuildId: 0000000000000000000000000000000000000000)
    #6 0x559cc72381a3 in __asan::asan_malloc(unsigned long, __sanitizer::BufferedStackTrace*) (/src/demo/fz_asan+0x5e1a3) (BuildId: 0000000000000000000000000000000000000000)
    #7 0x559cc72b8c5d in malloc (/src/demo/fz_asan+0xdec5d) (BuildId: 0000000000000000000000000000000000000000)
    #8 0x559cc72f3bec in LLVMFuzzerTestOneInput /src/demo/fuzz.c:7:144
    #9 0x559cc721c2f3 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) (/src/demo/fz_asan+0x422f3) (BuildId: 0000000000000000000000000000000000000000)
    #10 0x559cc72062ff in fuzzer::RunOneTest(fuzzer::Fuzzer*, char const*, unsigned long) (/src/demo/fz_asan+0x2c2ff) (BuildId: 0000000000000000000000000000000000000000)
    #11 0x559cc720c036 in fuzzer::FuzzerDriver(int*, char***, int (*)(unsigned char const*, unsigned long)) (/src/demo/fz_asan+0x32036) (BuildId: 0000000000000000000000000000000000000000)
    #12 0x559cc7235e72 in main (/src/demo/fz_asan+0x5be72) (BuildId: 0000000000000000000000000000000000000000)
    #13 0x7f880ef65249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #14 0x7f880ef65304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #15 0x559cc7200990 in _start (/src/demo/fz_asan+0x26990) (BuildId: 0000000000000000000000000000000000000000)

SUMMARY: libFuzzer: out-of-memory
""",
        {
            "kind": "out-of-memory",
            "size": 3000000000,
            "frames": ["LLVMFuzzerTestOneInput"],
            "cwe": "CWE-789",
        },
    ),
    CrashExample(
        """\
./fz_ub: Running 1 inputs 1 time(s) each.
Running: in_m
==4242== ERROR: libFuzzer: out-of-memory (used: 994Mb; limit: 400Mb)
   To change the out-of-memory limit use -rss_limit_mb=<N>

SUMMARY: libFuzzer: out-of-memory
""",
        {"kind": "out-of-memory", "size": None, "frames": [], "cwe": "CWE-789"},
    ),
    CrashExample(
        """\
./fz_ms: Running 1 inputs 1 time(s) each.
Running: in_t
ALARM: working on the last Unit for 3 seconds
       and the timeout value is 2 (use -timeout=N to change)
==4242== ERROR: libFuzzer: timeout after 3 seconds
    #0 0x55e066016149 in __sanitizer_print_stack_trace (/src/demo/fz_ms+0x87149) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x55e065feb598 in fuzzer::PrintStackTrace() (/src/demo/fz_ms+0x5c598) (BuildId: 0000000000000000000000000000000000000000)
    #2 0x55e065fd0dd9 in fuzzer::Fuzzer::AlarmCallback() (/src/demo/fz_ms+0x41dd9) (BuildId: 0000000000000000000000000000000000000000)
    #3 0x55e066064af8 in SignalAction(int, void*, void*) msan_interceptors.cpp.o
    #4 0x7f36b257a04f  (/lib/x86_64-linux-gnu/libc.so.6+0x3c04f) (BuildId: 0000000000000000000000000000000000000000)
    #5 0x55e066071f8d in LLVMFuzzerTestOneInput /src/demo/fuzz.c:7:48
    #6 0x55e065fd2253 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) (/src/demo/fz_ms+0x43253) (BuildId: 0000000000000000000000000000000000000000)
    #7 0x55e065fbc25f in fuzzer::RunOneTest(fuzzer::Fuzzer*, char const*, unsigned long) (/src/demo/fz_ms+0x2d25f) (BuildId: 0000000000000000000000000000000000000000)
    #8 0x55e065fc1f96 in fuzzer::FuzzerDriver(int*, char***, int (*)(unsigned char const*, unsigned long)) (/src/demo/fz_ms+0x32f96) (BuildId: 0000000000000000000000000000000000000000)
    #9 0x55e065febdd2 in main (/src/demo/fz_ms+0x5cdd2) (BuildId: 0000000000000000000000000000000000000000)
    #10 0x7f36b2565249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #11 0x7f36b2565304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #12 0x55e065fb68f0 in _start (/src/demo/fz_ms+0x278f0) (BuildId: 0000000000000000000000000000000000000000)

SUMMARY: libFuzzer: timeout
""",
        {"kind": "timeout", "frames": ["LLVMFuzzerTestOneInput"], "cwe": "CWE-835"},
    ),
    CrashExample(
        """\
./fz_ub: Running 1 inputs 1 time(s) each.
Running: in_x
==4242== ERROR: libFuzzer: fuzz target exited
    #0 0x55a3fddd2d34 in __sanitizer_print_stack_trace (/src/demo/fz_ub+0x68d34) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x55a3fdda9808 in fuzzer::PrintStackTrace() (/src/demo/fz_ub+0x3f808) (BuildId: 0000000000000000000000000000000000000000)
    #2 0x55a3fdd8f18c in fuzzer::Fuzzer::ExitCallback() (/src/demo/fz_ub+0x2518c) (BuildId: 0000000000000000000000000000000000000000)
    #3 0x7f16cf95c55c in __run_exit_handlers stdlib/./stdlib/exit.c:116:8
    #4 0x7f16cf95c699 in exit stdlib/./stdlib/exit.c:146:3
    #5 0x55a3fddd3416 in LLVMFuzzerTestOneInput /src/demo/fuzz.c:7:119
    #6 0x55a3fdd904c3 in fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long) (/src/demo/fz_ub+0x264c3) (BuildId: 0000000000000000000000000000000000000000)
    #7 0x55a3fdd7a4cf in fuzzer::RunOneTest(fuzzer::Fuzzer*, char const*, unsigned long) (/src/demo/fz_ub+0x104cf) (BuildId: 0000000000000000000000000000000000000000)
    #8 0x55a3fdd80206 in fuzzer::FuzzerDriver(int*, char***, int (*)(unsigned char const*, unsigned long)) (/src/demo/fz_ub+0x16206) (BuildId: 0000000000000000000000000000000000000000)
    #9 0x55a3fddaa042 in main (/src/demo/fz_ub+0x40042) (BuildId: 0000000000000000000000000000000000000000)
    #10 0x7f16cf945249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #11 0x7f16cf945304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #12 0x55a3fdd74b60 in _start (/src/demo/fz_ub+0xab60) (BuildId: 0000000000000000000000000000000000000000)

SUMMARY: libFuzzer: fuzz target exited
""",
        {"kind": "fuzz-target-exited", "frames": ["LLVMFuzzerTestOneInput"], "cwe": None},
    ),
)

PLUGIN = CrashFormat(
    name="libfuzzer",
    markers=("ERROR: libFuzzer: ",),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
)
