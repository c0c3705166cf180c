"""Every crash report's examples, and what must not make a difference or must not be a crash."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import registry
from parsers.crashes import CrashExample, parse_crash

PACKAGE = "parsers.crashes"
FORMATS = {name: registry.lookup(PACKAGE, name) for name in registry.names(PACKAGE)}
REPORTS = [
    example
    for form in FORMATS.values()
    for example in form.examples
    if example.expected is not None and form.markers
]
NOISE = "0x602000000010 ok 12 - AddressSanitizer is on, runtime error handling == ERROR: none\n"


def check(example: CrashExample, text: str) -> None:
    crash = parse_crash(text, example.status)
    if example.expected is None:
        assert crash is None
        return
    assert crash is not None
    facts = {"address": crash.address, **crash.to_json()}
    assert {key: facts[key] for key in example.expected} == example.expected
    assert crash.summary.isprintable()


@pytest.mark.parametrize("name", FORMATS)
def test_examples(name: str) -> None:
    for example in FORMATS[name].examples:
        check(example, example.text)


@pytest.mark.parametrize("name", FORMATS)
def test_colours_and_crlf_make_no_difference(name: str) -> None:
    for example in FORMATS[name].examples:
        coloured = example.text.replace("==4242==", "\x1b[1m\x1b[31m==4242==").replace(
            "READ", "\x1b[1mREAD"
        )
        check(example, coloured.replace("\n", "\x1b[0m\r\n"))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_shows_a_crash(name: str) -> None:
    assert any(example.expected for example in FORMATS[name].examples)


def test_cut_examples_never_raise_and_keep_their_sanitizer() -> None:
    dice = random.Random(7)
    for example in REPORTS:
        whole = parse_crash(example.text)
        assert whole is not None
        for _ in range(25):
            crash = parse_crash(example.text[: dice.randrange(len(example.text))])
            assert crash is None or crash.sanitizer == whole.sanitizer


def test_header_and_some_frames_are_a_crash_but_a_header_alone_is_none() -> None:
    text = FORMATS["address"].examples[0].text
    frames = text.index("    #2 ")
    assert parse_crash(text[:frames]) is not None
    assert parse_crash(text[: text.index("    #0 ")]) is None


def test_found_in_ten_megabytes_of_noise_within_a_second() -> None:
    text = NOISE * (5_000_000 // len(NOISE))
    started = time.process_time()
    crash = parse_crash(text + REPORTS[0].text + text)
    assert crash is not None and crash.kind == REPORTS[0].expected["kind"]
    assert time.process_time() - started < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n",
        "==1==ERROR: libFuzzer: deadly signal\n",
        "x.py:1: runtime error: nothing known\n",
        "a.c:1:1: runtime error: " + "x" * 5000 + "\n",
        "WARNING: ThreadSanitizer: data race (pid=1)\n",
        "ERROR: AddressSanitizer: " * 200,
        "==1==ERROR: MemorySanitizer: " + "(" * 3000 + "\n    #x\n",
    ],
)
def test_headers_without_a_report_neither_hang_nor_hide_a_crash_at_the_end(line: str) -> None:
    text = line * (4_000_000 // len(line)) + "\n" * 2000 + REPORTS[0].text
    started = time.process_time()
    assert parse_crash(text) is not None
    assert time.process_time() - started < 10


@pytest.mark.slow
def test_hostile_frames_are_read_in_linear_time() -> None:
    names = (
        "<" * 4000,
        "operator<" * 400,
        "a::" * 1300,
        "(" * 4000 + ")" * 90,
        "x (" * 1300,
        "1:" * 2000,
    )
    for name in names:
        stack = "".join(f"    #{n} 0x1 in {name} /a.c:{n}\n" for n in range(300))
        started = time.process_time()
        crash = parse_crash(
            "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n" + stack
        )
        assert crash is not None and len(crash.frames) <= 64
        assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "log",
    [
        "PASS: AddressSanitizer reports heap-buffer-overflow\nSUMMARY: 3 tests passed\n",
        'in log: "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address"\n    #0 0x1 in f a.c\n',
        "==1==WARNING: AddressSanitizer failed to allocate 0xffffff bytes\n    #0 0x1 in f /a.c:1\n",
        "    #0 0x55d in main /src/a.c:3\n    #1 0x55e in _start\nSUMMARY: AddressSanitizer: 0 bytes\n",
        "AddressSanitizer:DEADLYSIGNAL\n",
        "panic: runtime error: index out of range [5] with length 3\n",
        "==12== Memcheck, a memory error detector\n==12== ERROR SUMMARY: 0 errors from 0 contexts\n",
    ],
)
def test_a_log_that_mentions_sanitizers_is_no_crash(log: str) -> None:
    assert parse_crash(log, 0) is None


def test_of_two_reports_the_first_that_ends_the_program_counts() -> None:
    incomplete = "==1==ERROR: AddressSanitizer: double-free on 0x1\n"
    ubsan = "a.c:1:2: runtime error: division by zero\n"
    address = FORMATS["address"].examples[0].text
    freed = address.replace("heap-buffer-overflow on", "heap-use-after-free on")
    for text in (incomplete + ubsan + address, address + ubsan, ubsan * 3 + address + freed):
        crash = parse_crash(text)
        assert crash is not None and crash.kind == "heap-buffer-overflow"
        assert crash.to_json()["frames"] == ["heap_read", "main"]
    crash = parse_crash(ubsan + ubsan.replace("division by zero", "shift exponent 40 is too large"))
    assert crash is not None and crash.kind == "divide-by-zero"


@pytest.mark.slow
def test_noise_beyond_the_bounds_does_not_hide_the_crash_at_the_end() -> None:
    ubsan = "a.c:1:2: runtime error: division by zero\n"
    crash = parse_crash(ubsan * 10_500 + REPORTS[0].text)
    assert crash is not None and crash.sanitizer == "address"
    crash = parse_crash(ubsan * 10_500)
    assert crash is not None and crash.kind == "divide-by-zero"


DEADLY = (
    "==1== ERROR: libFuzzer: deadly signal\n"
    "    #0 0x1 in __sanitizer_print_stack_trace (/f+0x1)\n"
    "    #1 0x2 in abort stdlib/./stdlib/abort.c:79:7\n{frames}"
    "SUMMARY: libFuzzer: deadly signal\n"
)


@pytest.mark.parametrize(
    ("frames", "kind"),
    [
        ("    #2 0x3 in check /src/a.c:9:3\n", "deadly-signal"),
        (
            "    #2 0x3 in __ubsan_handle_shift_out_of_bounds_abort (/f+0x3)\n    #3 0x4 in f /src/a.c:1:2\n",
            "shift-exponent",
        ),
        (
            "    #2 0x3 in __sanitizer::Die() (/f+0x3)\n    #3 0x4 in f /src/a.c:1:2\n",
            "shift-exponent",
        ),
        ("    #2 0x3  (/f+0x3)\n", "shift-exponent"),
    ],
)
def test_an_abort_after_ubsans_line_is_ubsans_own_or_the_programs(frames: str, kind: str) -> None:
    noise = "a.c:7:2: runtime error: division by zero\n"
    line = "a.c:1:2: runtime error: shift exponent 40 is too large for 32-bit type 'int'\n"
    crash = parse_crash(noise + line + DEADLY.format(frames=frames))
    assert crash is not None and crash.kind == kind


def test_a_warning_of_threads_does_not_hide_what_ends_the_program() -> None:
    race = FORMATS["thread"].examples[0].text
    crash = parse_crash(race + REPORTS[0].text)
    assert crash is not None and crash.sanitizer == "address"
    crash = parse_crash(race)
    assert crash is not None and crash.kind == "data-race"


def test_a_report_does_not_borrow_the_frames_of_the_next() -> None:
    text = "a.c:1:2: runtime error: division by zero\nok\n" + (
        "b.c:1:2: runtime error: division by zero\n    #0 0x1 in f /b.c:1:2\n"
    )
    crash = parse_crash(text)
    assert crash is not None and crash.to_json()["frames"] == []


def test_warnings_of_the_runtime_do_not_end_a_report() -> None:
    text = FORMATS["address"].examples[0].text
    noisy = text.replace(
        "    #0 ", "==4242==WARNING: invalid path to external symbolizer!\n    #0 ", 1
    )
    crash, plain = parse_crash(noisy), parse_crash(text)
    assert crash is not None and plain is not None and crash.frames == plain.frames


def test_the_history_of_the_memory_is_no_stack_of_the_crash() -> None:
    text = FORMATS["address"].examples[0].text
    start, end = text.index("    #0 "), text.index("0x60200000001a is located")
    crash = parse_crash(text[:start] + text[end:])
    assert crash is not None and crash.to_json()["frames"] == ["heap_read"]  # the SUMMARY's


def test_a_jump_to_null_has_no_project_frame() -> None:
    text = (
        "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x0 bp 0x1 sp 0x2 T0)\n"
        "==1==Hint: pc points to the zero page.\n"
        "==1==The signal is caused by a READ memory access.\n"
        "    #0 0x0  (<unknown module>)\n"
        "    #1 0x7f in __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16\n"
    )
    crash = parse_crash(text)
    assert crash is not None and (crash.frames, crash.cwe, crash.access) == ((), "CWE-476", "read")


def test_unsymbolised_frames_keep_their_module() -> None:
    text = (
        "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n"
        "    #0 0x55  (/lib/x86_64-linux-gnu/libc.so.6+0x3c04f)\n"
        "    #1 0x56  (/srv/lib/libdemo.so.1+0x12) (BuildId: 00)\n"
    )
    crash = parse_crash(text)
    assert crash is not None
    assert [(f.function, f.file, f.line) for f in crash.frames] == [
        ("", "/srv/lib/libdemo.so.1+0x12", None)
    ]


@pytest.mark.parametrize("status", [0, 1, 77, 124, 137, 143, 128, -9, -15, 255, 10**9, -(10**9)])
def test_other_exit_statuses_are_no_crash(status: int) -> None:
    assert parse_crash("done\n", status) is None


def test_a_report_counts_before_the_signal() -> None:
    crash = parse_crash(FORMATS["address"].examples[0].text, 134)
    assert crash is not None and crash.sanitizer == "address"


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [line for example in REPORTS for line in example.text.split("\n")][:900]
            ),
            st.text(max_size=40),
        ),
        max_size=15,
    ),
    st.one_of(st.none(), st.integers(-300, 300)),
)
def test_shuffled_reports_never_raise(lines: list[str], status: int | None) -> None:
    crash = parse_crash("\n".join(lines), status)
    if crash is not None:
        assert crash.kind and set(crash.to_json()) == {
            "kind",
            "access",
            "size",
            "frames",
            "sanitizer",
            "cwe",
        }
        assert crash.access in {"", "read", "write"}
