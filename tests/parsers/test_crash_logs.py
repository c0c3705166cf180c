"""Reports of crashes in logs: behind prefixes, in Docker's JSON, cut, or not to be read."""

from __future__ import annotations

import itertools
import time

import pytest

from parsers.crashes import parse_crash, read_crash
from parsers.crashes._lines import plain_line
from parsers.crashes.address import EXAMPLES
from parsers.crashes.zig import EXAMPLES as ZIG
from parsers.log_prefix import Prefix, find_prefix
from tests.parsers.stack_reports import HEADER, SUMMARY

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
        find_prefix(line) for line in ("a.c:1:2: runtime error: x", "BAD: x", "ERROR: x", "")
    ] == [""] * 4
    assert find_prefix("WARNING: ThreadSanitizer: data race") == ""
    prefix = Prefix("fuzz-1 | 03:04 ")
    assert [prefix.strip_from(line) for line in ("fuzz-1 | 12:59   x", "y", "fuzz-2 | z", "fuzz-1 |")] == [
        "  x", "y", None, None
    ]  # fmt: skip


def test_long_prefixes_are_read_in_linear_time() -> None:
    started = time.process_time()
    for piece in ("1: ", "a | ", "[a] ", "a-1 ", "[ 1.1] "):
        parse_crash((piece * 1300 + "ERROR: AddressSanitizer: x\n") * 300)
    assert time.process_time() - started < 10


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
