"""Frames of the runtime by place, lambdas, and reports behind the prefixes of logs."""

from __future__ import annotations

import itertools
import time

import pytest

from parsers.crashes import Signature, StackFrame, alike, matches, parse_crash, read_crash
from parsers.crashes._layout import RUNTIME_SPAN, frames_of_runtime
from parsers.crashes._lines import plain_line
from parsers.crashes._runtime import is_library_function
from parsers.crashes._stack import project_frames
from parsers.crashes.address import EXAMPLES
from parsers.crashes.zig import EXAMPLES as ZIG
from parsers.log_prefix import Prefix, known_prefix

HEADER = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001a at pc 0x1\n"
START = "    #9 0x56000002e3b0 in _start (/p/prog+0x2e3b0)\n"
SUMMARY = "SUMMARY: AddressSanitizer: heap-buffer-overflow (/p/prog+0x4da35) in f\n"


def names(stack: str) -> list[str]:
    """The project's functions in a report with these frames, as clang 21 prints them."""
    crash = parse_crash(HEADER + stack + START + "\n" + SUMMARY)
    assert crash is not None
    return [frame.function for frame in crash.frames]


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
    assert names(inner + PROJECT) == ["use", "main"]


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
    assert names(inner + PROJECT) == ["copy", "use", "main"]


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
    assert names(stack) == ["use", "main"]
    order = "    #0 0x560000119b00 in order (/p/prog+0x119b00)\n"
    assert names(order + stack[stack.index("    #3") :]) == ["order", "main"]


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


def lambdas(*functions: str) -> list[str]:
    frames = [StackFrame(name, "/src/a.cpp", 9) for name in functions]
    return [f.function for f in project_frames(frames)]


def test_a_lambda_and_its_thunk_are_one_frame_under_both_compilers() -> None:
    clang = ("main::{lambda}::operator()", "main::{lambda}::operator()", "main")
    assert lambdas(*clang) == ["main::{lambda}::operator()", "main"]
    assert lambdas("operator()", "{lambda}::operator()", "main") == [
        "{lambda}::operator()",
        "main",
    ]
    assert lambdas("operator()", "main") == ["operator()", "main"]
    gcc = [
        *(StackFrame(name, "/src/a.cpp", 9) for name in ("operator()", "{lambda}::operator()")),
        StackFrame("qsort", "../libsanitizer/sanitizer_common/a.inc", 4),
        StackFrame("main", "/src/a.cpp", 9),
    ]
    assert [f.function for f in project_frames(gcc)] == ["main::{lambda}::operator()", "main"]


def overflow(*functions: str) -> Signature:
    return Signature("heap-buffer-overflow", "read", functions)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (overflow("operator()", "f", "main"), overflow("operator()", "g", "main"), False),
        (overflow("operator()", "f", "main"), overflow("f::{lambda}::operator()", "f", "main"), True),
        (overflow("operator()", "main"), overflow("main::$_3::operator()", "main"), True),
        (overflow("operator()", "main"), overflow("operator()", "main"), True),
        (overflow("{lambda}::operator()", "f"), overflow("_FUN", "g"), False),
        (overflow("f::$_0::operator()", "main"), overflow("g::$_1::operator()", "main"), False),
        (overflow("f::$_0::operator()", "main"), overflow("f::'lambda'::operator()"), True),
    ],
)  # fmt: skip
def test_lambdas_are_alike_by_their_scope(one: Signature, other: Signature, same: bool) -> None:
    assert alike(one, other) is same
    assert alike(other, one) is same


def test_a_signature_of_clangs_matches_gccs_report() -> None:
    stack = "    #0 0x1 in operator() /a.cpp:9\n    #1 0x2 in main /a.cpp:8\n"
    crash = parse_crash(f"{HEADER}READ of size 1 at 0x60200000001a thread T0\n{stack}")
    assert crash is not None
    assert matches(crash, overflow("main::$_5::operator()", "main"))
    assert not matches(crash, overflow("other::$_5::operator()", "other"))


REPORT = EXAMPLES[0].text
PREFIXES = [
    "2026-01-02T03:04:0{n}.678Z ",
    "[2026-01-02 03:04:0{n}] ",
    "03:04:0{n} ",
    "Jan  2 03:04:0{n} host fuzzer[41{n}]: ",
    "fuzz-1  | ",
    "2026-01-02T03:04:0{n}.678Z fuzz-1  | ",
    "[pod/fuzz-abc/target] ",
    "12: ",
    "#12 0.{n}45 ",
    "[   {n}.456789] ",
    "I0102 03:04:0{n}.123456  12{n} runner.cc:44] ",
    "worker-3: ",
    "2026-01-02T03:04:0{n}.678Z stderr F ",
    "2026-01-02 03:04:0{n},678 INFO ",
    "some words of its own ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    "report",
    [
        REPORT,
        "a.c:1:2: runtime error: division by zero\n    #0 0x5 in heap_read /a.c:1:2\n"
        "    #1 0x6 in main /a.c:9:2\n",
        "==================\nWARNING: ThreadSanitizer: data race (pid=9)\n"
        "  Read of size 4 at 0x55e3f8f150c0 by main thread:\n"
        "    #0 heap_read /src/demo/tsan.c:6 (ts+0x124c)\n    #1 main /src/demo/tsan.c:11 (ts+0x13bb)\n\n"
        "SUMMARY: ThreadSanitizer: data race /src/demo/tsan.c:6 in heap_read\n",
    ],
)  # fmt: skip
def test_what_a_log_puts_before_each_line_makes_no_difference(prefix: str, report: str) -> None:
    lines = report.splitlines()
    if prefix.startswith("some") and "==ERROR" not in report:
        pytest.skip("only a header with a process's number is looked for within a line")
    log = "\n".join(prefix.format(n=number % 10) + line for number, line in enumerate(lines))
    reading, plain = read_crash(log.replace("\n\n", "\n \n")), parse_crash(report)
    assert (reading.crash, reading.problem) == (plain, "")
    assert plain is not None and plain.to_json()["frames"] == ["heap_read", "main"]


@pytest.mark.parametrize("prefix", ["", "2026-01-02 03:04:05,678 INFO ", "E   ", "\t"])
def test_zigs_panic_is_read_behind_any_prefix(prefix: str) -> None:
    lines = ZIG[0].text.splitlines()
    crash = parse_crash("\n".join(prefix + line for line in lines), 134)
    assert crash is not None and crash.kind == "signed-integer-overflow"
    assert crash.to_json()["frames"] == ["add", "main"]


def test_lines_of_another_container_take_no_part() -> None:
    ours = [f"fuzz-1  | {line}" for line in REPORT.splitlines()]
    theirs = ["fuzz-2  | ", "fuzz-2  |     #0 0x5 in other /b.c:1"] * len(ours)
    log = "\n".join(line for pair in zip(ours, theirs, strict=False) for line in pair)
    assert parse_crash(log) == parse_crash(REPORT)


def test_prefixes_are_those_of_logs_only() -> None:
    assert [
        known_prefix(line) for line in ("a.c:1:2: runtime error: x", "BAD: x", "ERROR: x", "")
    ] == [""] * 4
    assert known_prefix("WARNING: ThreadSanitizer: data race") == ""
    prefix = Prefix("fuzz-1 | 03:04 ")
    assert [prefix.without(line) for line in ("fuzz-1 | 12:59   x", "y", "fuzz-2 | z", "fuzz-1 |")] == [
        "  x", "y", None, None
    ]  # fmt: skip


def test_long_prefixes_are_read_in_linear_time() -> None:
    started = time.process_time()
    for piece in ("1: ", "a | ", "[a] ", "a-1 ", "[ 1.1] "):
        parse_crash((piece * 1300 + "ERROR: AddressSanitizer: x\n") * 300)
    assert time.process_time() - started < 10


CUTS = list(itertools.accumulate(len(line) for line in REPORT.splitlines(True)))


def test_a_report_that_is_cut_is_never_silent() -> None:
    """Cut behind each line: up to the header nothing, then a crash that is said to be cut, then all."""
    readings = [read_crash(REPORT[:end]) for end in CUTS]
    whole = next(n for n, line in enumerate(REPORT.splitlines()) if line.startswith("SUMMARY"))
    assert readings[0].crash is None
    for number, reading in enumerate(readings[1:], 1):
        assert reading.crash is not None and reading.crash.kind == "heap-buffer-overflow"
        assert bool(reading.problem) is (number < whole)


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("all is well\n", None, False),
        ("expected 'ERROR: AddressSanitizer: x' in the log\n", None, False),
        ('{"log": "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address"}\n', "unknown-crash", True),
        ("AddressSanitizer:DEADLYSIGNAL\n", "unknown-crash", True),
        ("==1== ERROR: libFuzzer: deadly signal\n", "deadly-signal", True),
        ("a.c:1:2: runtime error: division by zero\n", "divide-by-zero", False),
        ("x.py:1: runtime error: nothing known\n", None, False),
        ("==1==AddressSanitizer: CHECK failed: asan_thread.cpp:360 \"x\"\n    #0 0x1 in f /a.c:1\n", "check-failed", False),
        ("AddressSanitizer: nested bug in the same thread, aborting.\n", "nested-bug", False),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_problem(text: str, kind: str | None, problem: bool) -> None:
    reading = read_crash(text)
    assert (reading.crash.kind if reading.crash else None, bool(reading.problem)) == (kind, problem)


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


GCC_LAMBDA = """\
    #0 0x55e250e67999 in operator() /src/l.cpp:46
    #1 0x55e250e67999 in __invoke_impl<char, (anonymous namespace)::keep(int)::<lambda(int)>&, int> /usr/include/c++/16/bits/invoke.h:63
    #2 0x55e250e68fd1 in std::function<int (int)>::operator()(int) const /usr/include/c++/16/bits/std_function.h:591
    #3 0x55e250e68fd1 in apply /src/l.cpp:43
    #4 0x55e250e6ab31 in main /src/main.h:12
"""


@pytest.mark.parametrize(
    ("stack", "frames"),
    [
        (GCC_LAMBDA, ["keep::{lambda}::operator()", "apply", "main"]),
        (
            "    #0 0x1 in operator() /src/l.cpp:9\n"
            "    #1 0x2 in visit_all<std::map<int, int>, ns::pass<int>(int)::<lambda(int)> > /src/l.cpp:5\n",
            ["ns::pass::{lambda}::operator()", "visit_all"],
        ),
        (
            "    #0 0x1 in operator() /src/l.cpp:9\n    #1 0x2 in g /src/l.cpp:5\n"
            "    #2 0x2 in visit<f(int)::<lambda()> > /src/l.cpp:5\n",
            ["operator()", "g", "visit"],
        ),
        (
            "    #0 0x1 in operator() /src/l.cpp:9\n    #1 0x2 in g::<lambda()> /src/l.cpp:5\n",
            ["operator()", "g"],
        ),
        (
            "    #0 0x1 in look::{lambda()#1}::operator()() const /src/l.cpp:9\n"
            "    #1 0x2 in bsearch /usr/include/x86_64-linux-gnu/bits/stdlib-bsearch.h:33:23\n"
            "    #2 0x2 in look /src/l.cpp:5\n",
            ["look::{lambda}::operator()", "look"],
        ),
    ],
)  # fmt: skip
def test_gcc_names_the_scope_of_a_lambda_among_template_arguments(
    stack: str, frames: list[str]
) -> None:
    """gcc 12 and 16 with line numbers; the lambda's own frame is `operator()`."""
    assert names(stack) == frames


DOCKER = '{{"log":"{}\\n","stream":"stderr","time":"2026-11-28T23:55:22.107069273Z"}}\n'


def test_lines_of_a_docker_log() -> None:
    """`/var/lib/docker/containers/ID/ID-json.log` of Docker 28.2."""
    stack = "    #0 0x1 in std::less\\u003cint\\u003e::operator()(int) const /src/l.cpp:9"
    lines = [r"a \u001b[1mb\u001b[0m \"q\"", HEADER.strip(), stack, "    #1 0x2 in main /src/a.c:5"]
    text = "".join(map(DOCKER.format, [*lines, "", SUMMARY.strip()]))
    reading = read_crash(text)
    assert reading.crash is not None and reading.problem == ""
    assert [frame.function for frame in reading.crash.frames] == ["main"]
    assert reading.crash.summary == "heap-buffer-overflow (/p/prog+0x4da35) in f"


@pytest.mark.parametrize(
    "line", ['{"log":"a', '{"log":5}', '{"log":"' + "[" * 3000, '{"log":null,"a":1}']
)
def test_a_line_that_is_no_docker_log_stays_as_it_is(line: str) -> None:
    assert plain_line(line) == line


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
    assert names(f"    #0 0x7f82e7e5c699 in {frame}\n{PROJECT}") == [*first, "use", "main"]


def test_what_calls_a_fuzz_target_is_a_driver() -> None:
    """AFL++ 4.04c and 5.02c."""
    stack = (
        "    #0 0x1 in overflow /src/t.c:6\n    #1 0x1 in LLVMFuzzerTestOneInput /src/t.c:13\n"
        "    #2 0x1 in ExecuteFilesOnyByOne /src/aflpp_driver/aflpp_driver.c:255\n"
        "    #3 0x1 in LLVMFuzzerRunDriver /src/aflpp_driver/aflpp_driver.c:361\n"
        "    #4 0x1 in main /src/aflpp_driver/aflpp_driver.c:317\n"
    )
    assert names(stack) == ["overflow", "LLVMFuzzerTestOneInput", "main"]
