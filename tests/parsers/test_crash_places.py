"""Frames of the runtime by place, and calls through wild pointers, which have none."""

from __future__ import annotations

import pytest

from parsers.crashes import Signature, StackFrame, alike, parse_crash
from parsers.crashes._layout import RUNTIME_SPAN, frames_of_runtime
from parsers.crashes._runtime import is_library_function
from tests.parsers.stack_reports import HEADER, project_functions

PROJECT = (
    "    #2 0x560000119b5b in use /src/a.c:16:50\n    #3 0x56000011a8c7 in main /src/a.c:29:1\n"
)


@pytest.mark.parametrize(
    "inner",
    [
        "    #0 0x56000004da35 in MemcmpInterceptorCommon(void*, int (*)(void const*)) (/p/prog+0x4da35)\n"
        "    #1 0x56000004de50 in memcmp (/p/prog+0x4de50)\n",
        "    #0 0x56000009360e in fopen (/p/prog+0x9360e)\n",
        "    #0 0x56000004048d in scanf_common(void*, int) asan_interceptors.cpp.o\n"
        "    #1 0x5600000415c3 in __isoc23_sscanf (/p/prog+0x565c3)\n",
        "    #0 0x56000004048d in not_yet_invented (/p/prog+0x4048d)\n",
        "    #0 0x7f0000000123 in qsort (/lib/x86_64-linux-gnu/libc.so.6+0x123)\n",
        "    #0 0x560000119000 in atoi /usr/include/stdlib.h:483:16\n",
    ],
)
def test_an_interceptor_in_the_program_is_no_frame_of_the_project(inner: str) -> None:
    assert project_functions(inner + PROJECT) == ["use", "main"]


@pytest.mark.parametrize(
    "inner",
    [
        "    #0 0x560000119000 in copy (/p/prog+0x119000)\n",  # behind the runtime: built without -g
        "    #0 0x7f0000000123 in copy (/p/libdemo.so.1+0x123)\n",
        "    #0 0x560000119000 in copy /src/b.c:1:2\n",
        "    #0 0x56000004048d in copy b.c\n",
        "    #0 0x56000001e3b0 in copy (/p/prog+0x1e3b0)\n",  # before _start: cold code
    ],
)
def test_code_of_the_project_without_lines_is_the_projects(inner: str) -> None:
    assert project_functions(inner + PROJECT) == ["copy", "use", "main"]


def test_a_program_with_the_runtime_in_a_library_has_none_of_it_in_itself() -> None:
    stack = (
        "    #0 0x560000003000 in inflate (/p/prog+0x3000)\n"
        "    #1 0x560000004000 in use /src/a.c:16\n"
        "    #2 0x560000002180 in _start (/p/prog+0x2180)\n"
    )
    crash = parse_crash(HEADER + stack)
    assert crash is not None and [f.function for f in crash.frames] == ["inflate", "use"]


def test_without_any_line_the_runtime_lies_beside_its_interceptor() -> None:
    stack = (
        "    #0 0x56000004da35 in MemcmpInterceptorCommon(void*) (/p/prog+0x4da35)\n"
        "    #1 0x56000004de50 in memcmp (/p/prog+0x4de50)\n"
        "    #2 0x560000119b5b in use (/p/prog+0x119b5b)\n"
        "    #3 0x5600000a77dc in qsort (/p/prog+0xa77dc)\n"
        "    #4 0x56000011a8c7 in main (/p/prog+0x11a8c7)\n"
    )
    assert project_functions(stack) == ["use", "main"]
    order = "    #0 0x560000119b00 in order (/p/prog+0x119b00)\n"
    assert project_functions(order + stack[stack.index("    #3") :]) == ["order", "main"]


def frame(function: str, pc: int | None, line: int | None = None, module: str = "p") -> StackFrame:
    return StackFrame(function, "a.c" if line else "", line, module, pc)


@pytest.mark.parametrize(
    ("pc", "is_runtimes"),
    [
        (0x1000, False),
        (0x1001, True),
        (0x1000 + RUNTIME_SPAN - 1, True),
        (0x1000 + RUNTIME_SPAN, False),
        (None, False),
    ],
)
def test_the_span_of_the_runtime(pc: int | None, is_runtimes: bool) -> None:
    frames = [frame("x", pc), frame("use", 0x200000, 5), frame("_start", 0x1000)]
    assert frames_of_runtime(frames, [False, False, True])[0] is is_runtimes


def test_only_what_is_within_the_innermost_line_is_judged_by_its_place() -> None:
    frames = [frame("f", 0x200000, 1), frame("x", 0x2000), frame("g", 0x200010, 2)]
    assert frames_of_runtime(frames, [False] * 3) == [False] * 3
    frames = [frame("x", 0x2000), frame("g", 0x200010, 2)]
    assert frames_of_runtime(frames, [False] * 2) == [True, False]
    frames[0] = frame("x", 0x2000, module="lib.so.2")
    assert frames_of_runtime(frames, [False] * 2) == [False, False]


def test_a_threads_stack_does_not_say_where_the_program_starts() -> None:
    """gcc 12, a lambda of a thread, without -g: nothing of the runtime is in the program."""
    stack = (
        "    #0 0x55dcf1fca762 in f(int*)::{lambda()#1}::operator()() const (/p/prog+0x2762)\n"
        "    #1 0x55dcf1fcab36 in std::thread::_State_impl<std::thread::_Invoker<f> >::_M_run() (/p/prog+0x2b36)\n"
        "    #2 0x7f576bed44a2  (/lib/x86_64-linux-gnu/libstdc++.so.6+0xd44a2)\n"
        "    #3 0x7f576c0a71f4 in start_thread nptl/pthread_create.c:442\n"
    )
    crash = parse_crash(HEADER + stack)
    assert crash is not None and [f.function for f in crash.frames] == ["f::{lambda}::operator()"]
    near, far = frame("x", 0x500000), frame("use", 0x500000 + 0x30001, 1)
    assert frames_of_runtime([near, far], [False, False]) == [True, False]
    near = frame("x", 0x500001)
    assert frames_of_runtime([near, far], [False, False]) == [False, False]


def test_a_library_function_called_back_from_is_dropped_by_place_only() -> None:
    stack = [frame("f", 0x200000, 1), frame("glob", 0x2000), frame("g", 0x200010, 2)]
    assert frames_of_runtime(stack, [False] * 3) == [False, True, False]
    stack[1] = frame("glob", 0x300000)
    assert frames_of_runtime(stack, [False] * 3) == [False, False, False]


@pytest.mark.parametrize("name", ["fgets", "fgets_unlocked", "__strtol_internal", "fopen64"])
def test_library_functions_and_their_variants(name: str) -> None:
    assert is_library_function(name)
    assert not is_library_function(f"my_{name}")


@pytest.mark.parametrize(
    ("frame", "is_projects"),
    [
        ("exit stdlib/exit.c:146:3", False),  # llvm-symbolizer 22
        ("exit stdlib/./stdlib/exit.c:146:3", False),  # 14
        ("fclose libio/iofclose.c:53:7", False),
        ("parse stdlib/parse.c:9:3", True),
        ("exit lib/exit.c:9:3", True),
        ("exit src/stdlib/exit.c:9:3", True),
    ],
)
def test_files_of_the_c_library_by_a_symbolizer_that_shortens_paths(
    frame: str, is_projects: bool
) -> None:
    first = [frame.partition(" ")[0]] if is_projects else []
    assert project_functions(f"    #0 0x7f82e7e5c699 in {frame}\n{PROJECT}") == [
        *first,
        "use",
        "main",
    ]


def test_what_calls_a_fuzz_target_is_a_driver() -> None:
    """AFL++ 4.04c and 5.02c."""
    stack = (
        "    #0 0x1 in overflow /src/t.c:6\n    #1 0x1 in LLVMFuzzerTestOneInput /src/t.c:13\n"
        "    #2 0x1 in ExecuteFilesOnyByOne /src/aflpp_driver/aflpp_driver.c:255\n"
        "    #3 0x1 in LLVMFuzzerRunDriver /src/aflpp_driver/aflpp_driver.c:361\n"
        "    #4 0x1 in main /src/aflpp_driver/aflpp_driver.c:317\n"
    )
    assert project_functions(stack) == ["overflow", "LLVMFuzzerTestOneInput", "main"]


WILD_CALL = """\
AddressSanitizer:DEADLYSIGNAL
=================================================================
==7==ERROR: AddressSanitizer: SEGV on unknown address 0x{0} (pc 0x{1} bp 0x7fff25f06cd0 sp 0x7fff25f06c68 T0)
==7==The signal is caused by a READ memory access.
AddressSanitizer:DEADLYSIGNAL
AddressSanitizer: nested bug in the same thread, aborting.
"""


def wild_call(address: str, pc: str = "") -> Signature:
    crash = parse_crash(WILD_CALL.format(address, pc or address), 1)
    assert crash is not None and crash.kind == "segv"
    return Signature(crash.kind, crash.access, tuple(frame.function for frame in crash.frames))


def test_a_call_through_a_wild_pointer_is_known_by_its_address() -> None:
    """As gcc 12 to 16 and clang 14 to 22 print it: no stack follows."""
    call = wild_call("000000001234")
    assert call.frames == ("call-of-0x1234",)
    assert alike(call, call)
    assert not alike(call, wild_call("00007abc0004"))
    assert not alike(call, Signature("segv", "read", ("copy", "main")))
    assert alike(call, Signature("segv"))


def test_the_page_of_a_wild_pointer_differs_from_run_to_run() -> None:
    assert wild_call("55d0c61f2a3b").frames == ("call-of-0xa3b",)
    assert alike(wild_call("55d0c61f2a3b"), wild_call("7f1111111a3b"))
    assert not alike(wild_call("55d0c61f2a3b"), wild_call("55d0c61f2a3c"))
    assert wild_call("4fffffffffff").frames == ("call-of-0x4fffffffffff",)
    assert wild_call("800000000000").frames == ("call-of-0x800000000000",)


def test_a_stack_that_cannot_be_read_is_no_wild_call() -> None:
    assert wild_call("000000001234", "558fd251039a").frames == ()
