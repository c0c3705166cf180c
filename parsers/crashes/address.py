"""AddressSanitizer (and HWAddressSanitizer): `==PID==ERROR: AddressSanitizer: kind ...`."""

# ruff: noqa: E501 - the reports are shown as the tools print them

from __future__ import annotations

import re

from parsers.crashes import Crash, CrashExample, CrashFormat, _report
from parsers.crashes._lines import Lines
from parsers.crashes._stack import hexadecimal

_HEADER = re.compile(
    # A quote before "==" is a test's or a log's text about a report.
    r"==(?<![\"'`]==)\d{1,10}== ?(?:ERROR: (?:HW)?AddressSanitizer|(?:HW)?AddressSanitizer:? CHECK failed): (.*)"
    r"|^(?:HW)?AddressSanitizer: (nested bug in the same thread)"
)
# Words of a header that are no kind by themselves. The kinds are those of the SUMMARY line.
_PHRASES = (
    ("attempting double-free", "double-free"),
    ("attempting free on address which was not malloc", "bad-free"),
    ("attempting to call malloc_usable_size", "bad-malloc-usable-size"),
    ("attempting to call __sanitizer_get_allocated_size", "bad-get-allocated-size"),
    ("bad parameters to __sanitizer_annotate", "bad-annotate-container"),
    ("nested bug in the same thread", "nested-bug"),
)
_KIND = re.compile(r"([a-z][a-z0-9-]{2,60})(?=[\s:;(]|$)")
_ACCESS = re.compile(r"^(?:\d{1,6}: )?(READ|WRITE) of size (\d{1,18}) at ")
_ADDRESS = re.compile(r" (?:on (?:unknown )?(?:address )?|-ed: )0x([0-9a-f]{1,16})")
_NEGATIVE = re.compile(r"\(size=(-\d{1,19})\)")


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """The crash behind a header and the lines after it; None when neither frame nor SUMMARY follow."""
    access_word = match[1] or match[2] or ""
    body = _report.read_body(lines)
    if not body.complete and not match[2]:
        return None
    kind = _kind(match[0], access_word)
    if kind is None:
        return _report.read_fatal("address", access_word, lines, body)
    access, size = "", None
    for line in lines.first(4):
        access_match = _ACCESS.match(line)
        if access_match:
            access, size = access_match[1].lower(), int(access_match[2])
    negative, address = _NEGATIVE.search(access_word), _ADDRESS.search(access_word)
    return _report.make(
        "address",
        kind,
        body,
        access_word,
        access=access,
        size=int(negative[1]) if negative else size,
        address=hexadecimal(address[1]) if address else None,
    )


def _kind(header: str, description: str) -> str | None:
    if " CHECK failed: " in header or description.startswith("CHECK failed"):
        return "check-failed"
    for phrase, kind in _PHRASES:
        if description.startswith(phrase):
            return kind
    word = _KIND.match(description)
    # A kind has a hyphen; the first word of a sentence, such as `requested`, has none.
    return word[1] if word and "-" in word[1] and word[1] not in _report.SIGNAL_KINDS else None


EXAMPLES = (
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001a at pc 0x558fd251039a bp 0x7ffd2743b300 sp 0x7ffd2743b2f8
READ of size 1 at 0x60200000001a thread T0
    #0 0x558fd2510399 in heap_read /src/demo/asan.c:9
    #1 0x558fd2510807 in main /src/demo/asan.c:16
    #2 0x7fb842445249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #3 0x7fb842445304 in __libc_start_main_impl ../csu/libc-start.c:360
    #4 0x558fd2510280 in _start (/src/demo/asan_gcc+0x2280)

0x60200000001a is located 0 bytes to the right of 10-byte region [0x602000000010,0x60200000001a)
allocated by thread T0 here:
    #0 0x7fb8426b89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x558fd25107b9 in main /src/demo/asan.c:14
    #2 0x7fb842445249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: AddressSanitizer: heap-buffer-overflow /src/demo/asan.c:9 in heap_read
==4242==ABORTING
""",
        {
            "kind": "heap-buffer-overflow",
            "access": "read",
            "size": 1,
            "frames": ["heap_read", "main"],
            "cwe": "CWE-122",
            "sanitizer": "address",
            "address": 105690555219994,
        },
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001a at pc 0x561834d8f487 bp 0x7ffd02731e30 sp 0x7ffd02731600
READ of size 40 at 0x60200000001a thread T0
    #0 0x561834d8f486 in __asan_memcpy (/src/demo/asan_clang+0xa3486) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x561834dcbf1b in main /src/demo/asan.c:50:11
    #2 0x7ff4aee12249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x7ff4aee12304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #4 0x561834d0d310 in _start (/src/demo/asan_clang+0x21310) (BuildId: 0000000000000000000000000000000000000000)

0x60200000001a is located 0 bytes to the right of 10-byte region [0x602000000010,0x60200000001a)
allocated by thread T0 here:
    #0 0x561834d9015e in __interceptor_malloc (/src/demo/asan_clang+0xa415e) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x561834dcb56b in main /src/demo/asan.c:14:9
    #2 0x7ff4aee12249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: AddressSanitizer: heap-buffer-overflow (/src/demo/asan_clang+0xa3486) (BuildId: 0000000000000000000000000000000000000000) in __asan_memcpy
""",
        {
            "kind": "heap-buffer-overflow",
            "access": "read",
            "size": 40,
            "frames": ["main"],
            "cwe": "CWE-122",
        },
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60d0000000d0 at pc 0x56219dbf821e bp 0x7fff858442f0 sp 0x7fff858442e8
READ of size 8 at 0x60d0000000d0 thread T0
    #0 0x56219dbf821d in std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/basic_string.h:1064:16
    #1 0x56219dbf821d in std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::assign(char const*) /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/basic_string.h:1647:40
    #2 0x56219dbf821d in std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::operator=(char const*) /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/basic_string.h:815:22
    #3 0x56219dbf821d in main /src/demo/cxx.cpp:18:73
    #4 0x7f5606765249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #5 0x7f5606765304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #6 0x56219db373b0 in _start (/src/demo/cxx_clang+++0x213b0) (BuildId: 0000000000000000000000000000000000000000)

0x60d0000000d0 is located 8 bytes to the right of 136-byte region [0x60d000000040,0x60d0000000c8)
allocated by thread T0 here:
    #0 0x56219dbf50dd in operator new[](unsigned long) (/src/demo/cxx_clang+++0xdf0dd) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x56219dbf7cbf in (anonymous namespace)::deep::Box<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, 4>::Box() /src/demo/cxx.cpp:8:88
    #2 0x56219dbf7cbf in main /src/demo/cxx.cpp:18:35
    #3 0x7f5606765249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: AddressSanitizer: heap-buffer-overflow /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/basic_string.h:1064:16 in std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const
""",
        {
            "kind": "heap-buffer-overflow",
            "access": "read",
            "size": 8,
            "frames": ["main"],
            "cwe": "CWE-122",
        },
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: stack-buffer-underflow on address 0x7f648ed0002d at pc 0x55f2c29a539a bp 0x7ffc185e9550 sp 0x7ffc185e9548
READ of size 1 at 0x7f648ed0002d thread T0
    #0 0x55f2c29a5399 in heap_read /src/demo/asan.c:9
    #1 0x55f2c29a5de6 in main /src/demo/asan.c:38
    #2 0x7f6490c45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #3 0x7f6490c45304 in __libc_start_main_impl ../csu/libc-start.c:360
    #4 0x55f2c29a5280 in _start (/src/demo/asan_gcc+0x2280)

Address 0x7f648ed0002d is located in stack of thread T0 at offset 45 in frame
    #0 0x55f2c29a56c9 in main /src/demo/asan.c:13

  This frame has 4 object(s):
    [48, 52) 's' (line 38) <== Memory access at offset 45 underflows this variable
    [64, 72) 'in' (line 22)
    [96, 106) 's' (line 18)
    [128, 138) 's' (line 37)
HINT: this may be a false positive if your program uses some custom stack unwind mechanism, swapcontext or vfork
      (longjmp and C++ exceptions *are* supported)
SUMMARY: AddressSanitizer: stack-buffer-underflow /src/demo/asan.c:9 in heap_read
""",
        {
            "kind": "stack-buffer-underflow",
            "access": "read",
            "size": 1,
            "frames": ["heap_read", "main"],
            "cwe": "CWE-127",
        },
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011 at pc 0x55ae72d8139a bp 0x7fff96d81720 sp 0x7fff96d81718
READ of size 1 at 0x602000000011 thread T0
    #0 0x55ae72d81399 in heap_read /src/demo/asan.c:9
    #1 0x55ae72d818fd in main /src/demo/asan.c:20
    #2 0x7ff846e45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #3 0x7ff846e45304 in __libc_start_main_impl ../csu/libc-start.c:360
    #4 0x55ae72d81280 in _start (/src/demo/asan_gcc+0x2280)

0x602000000011 is located 1 bytes inside of 10-byte region [0x602000000010,0x60200000001a)
freed by thread T0 here:
    #0 0x7ff8470b76a8 in __interceptor_free ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:52
    #1 0x55ae72d818e9 in main /src/demo/asan.c:20
    #2 0x7ff846e45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

previously allocated by thread T0 here:
    #0 0x7ff8470b89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x55ae72d817b9 in main /src/demo/asan.c:14
    #2 0x7ff846e45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: AddressSanitizer: heap-use-after-free /src/demo/asan.c:9 in heap_read
""",
        {
            "kind": "heap-use-after-free",
            "access": "read",
            "size": 1,
            "frames": ["heap_read", "main"],
            "cwe": "CWE-416",
        },
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: attempting double-free on 0x602000000010 in thread T0:
    #0 0x55e0f3f82eb2 in free (/src/demo/asan_clang+0xa3eb2) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x55e0f3fbe80b in main /src/demo/asan.c:23:18
    #2 0x7fc2efcc9249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x7fc2efcc9304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #4 0x55e0f3f00310 in _start (/src/demo/asan_clang+0x21310) (BuildId: 0000000000000000000000000000000000000000)

0x602000000010 is located 0 bytes inside of 10-byte region [0x602000000010,0x60200000001a)
freed by thread T0 here:
    #0 0x55e0f3f82eb2 in free (/src/demo/asan_clang+0xa3eb2) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x55e0f3fbe7ff in main /src/demo/asan.c:23:10
    #2 0x7fc2efcc9249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

previously allocated by thread T0 here:
    #0 0x55e0f3f8315e in __interceptor_malloc (/src/demo/asan_clang+0xa415e) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x55e0f3fbe56b in main /src/demo/asan.c:14:9
    #2 0x7fc2efcc9249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: AddressSanitizer: double-free (/src/demo/asan_clang+0xa3eb2) (BuildId: 0000000000000000000000000000000000000000) in free
""",
        {"kind": "double-free", "access": "", "size": None, "frames": ["main"], "cwe": "CWE-415"},
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: alloc-dealloc-mismatch (operator new [] vs free) on 0x602000000010
    #0 0x7fc4b4cb76a8 in __interceptor_free ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:52
    #1 0x55a8fed8b7ed in main /src/demo/cxx.cpp:13
    #2 0x7fc4b4645249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #3 0x7fc4b4645304 in __libc_start_main_impl ../csu/libc-start.c:360
    #4 0x55a8fed8b280 in _start (/src/demo/cxx_g+++0x2280)

0x602000000010 is located 0 bytes inside of 16-byte region [0x602000000010,0x602000000020)
allocated by thread T0 here:
    #0 0x7fc4b4cb9628 in operator new[](unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:98
    #1 0x55a8fed8b7c1 in main /src/demo/cxx.cpp:13
    #2 0x7fc4b4645249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: AddressSanitizer: alloc-dealloc-mismatch ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:52 in __interceptor_free
""",
        {"kind": "alloc-dealloc-mismatch", "frames": ["main"], "cwe": "CWE-762"},
    ),
    CrashExample(
        """\
AddressSanitizer:DEADLYSIGNAL
=================================================================
==4242==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55dfdbc89abf bp 0x7ffc1c049120 sp 0x7ffc1c048fb0 T0)
==4242==The signal is caused by a READ memory access.
==4242==Hint: address points to the zero page.
    #0 0x55dfdbc89abf in main /src/demo/asan.c:26
    #1 0x7ff34b0d5249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #2 0x7ff34b0d5304 in __libc_start_main_impl ../csu/libc-start.c:360
    #3 0x55dfdbc89280 in _start (/src/demo/asan_gcc+0x2280)

AddressSanitizer can not provide additional info.
SUMMARY: AddressSanitizer: SEGV /src/demo/asan.c:26 in main
""",
        {"kind": "segv", "access": "read", "address": 0, "frames": ["main"], "cwe": "CWE-476"},
    ),
    CrashExample(
        """\
AddressSanitizer:DEADLYSIGNAL
=================================================================
==4242==ERROR: AddressSanitizer: SEGV on unknown address 0x6abcdef12340 (pc 0x5650418959fa bp 0x7ffd84b2d590 sp 0x7ffd84b2d3a0 T0)
==4242==The signal is caused by a WRITE memory access.
    #0 0x5650418959fa in main /src/demo/asan.c:29:51
    #1 0x7f6e6e43c249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #2 0x7f6e6e43c304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #3 0x5650417d7310 in _start (/src/demo/asan_clang+0x21310) (BuildId: 0000000000000000000000000000000000000000)

AddressSanitizer can not provide additional info.
SUMMARY: AddressSanitizer: SEGV /src/demo/asan.c:29:51 in main
""",
        {"kind": "segv", "access": "write", "frames": ["main"], "cwe": "CWE-787"},
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: memcpy-param-overlap: memory ranges [0x602000000010,0x602000000015) and [0x602000000011, 0x602000000016) overlap
    #0 0x5571a95b9384 in __asan_memcpy (/src/demo/asan_clang+0xa3384) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x5571a95f5aa1 in main /src/demo/asan.c:33:11
    #2 0x7fbb5c160249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16
    #3 0x7fbb5c160304 in __libc_start_main csu/../csu/libc-start.c:360:3
    #4 0x5571a9537310 in _start (/src/demo/asan_clang+0x21310) (BuildId: 0000000000000000000000000000000000000000)

0x602000000010 is located 0 bytes inside of 10-byte region [0x602000000010,0x60200000001a)
allocated by thread T0 here:
    #0 0x5571a95ba15e in __interceptor_malloc (/src/demo/asan_clang+0xa415e) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x5571a95f556b in main /src/demo/asan.c:14:9
    #2 0x7fbb5c160249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

0x602000000011 is located 1 bytes inside of 10-byte region [0x602000000010,0x60200000001a)
allocated by thread T0 here:
    #0 0x5571a95ba15e in __interceptor_malloc (/src/demo/asan_clang+0xa415e) (BuildId: 0000000000000000000000000000000000000000)
    #1 0x5571a95f556b in main /src/demo/asan.c:14:9
    #2 0x7fbb5c160249 in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16

SUMMARY: AddressSanitizer: memcpy-param-overlap (/src/demo/asan_clang+0xa3384) (BuildId: 0000000000000000000000000000000000000000) in __asan_memcpy
""",
        {"kind": "memcpy-param-overlap", "frames": ["main"], "cwe": "CWE-475"},
    ),
    CrashExample(
        """\
=================================================================
==4242==ERROR: AddressSanitizer: requested allocation size 0x64000000000000 (0x64000000001000 after adjustments for alignment, red zones etc.) exceeds maximum supported size of 0x10000000000 (thread T0)
    #0 0x7f63d6ab89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x55e35871ece5 in main /src/demo/asan.c:35
    #2 0x7f63d6845249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

==4242==HINT: if you don't care about these errors you may set allocator_may_return_null=1
SUMMARY: AddressSanitizer: allocation-size-too-big ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69 in __interceptor_malloc
""",
        {
            "kind": "allocation-size-too-big",
            "size": 28147497671065600,
            "frames": ["main"],
            "cwe": "CWE-789",
        },
    ),
    CrashExample(
        """\
AddressSanitizer:DEADLYSIGNAL
=================================================================
==4242==ERROR: AddressSanitizer: SEGV on unknown address 0x000000001234 (pc 0x000000001234 bp 0x7fff274bb060 sp 0x7fff274baae8 T0)
==4242==The signal is caused by a READ memory access.
AddressSanitizer:DEADLYSIGNAL
AddressSanitizer: nested bug in the same thread, aborting.
""",
        {"kind": "segv", "access": "read", "address": 0x1234, "frames": ["call-of-0x1234"]},
    ),
    CrashExample(
        "AddressSanitizer:DEADLYSIGNAL\nAddressSanitizer: nested bug in the same thread, aborting.\n",
        {"kind": "nested-bug", "frames": []},
    ),
    CrashExample(
        """\
==4242==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000
""",
        None,
    ),
    CrashExample(
        """\
expected the log to hold 'ERROR: AddressSanitizer: heap-buffer-overflow', AddressSanitizer is on
PASS: AddressSanitizer smoke test
""",
        None,
    ),
)

PLUGIN = CrashFormat(
    name="address",
    markers=(
        "ERROR: AddressSanitizer: ",
        "ERROR: HWAddressSanitizer: ",
        "Sanitizer CHECK failed: ",
        "Sanitizer: CHECK failed: ",
        "Sanitizer: nested bug in the same thread",
    ),
    header=_HEADER,
    read=read,
    examples=EXAMPLES,
)
