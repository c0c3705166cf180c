"""Where reports are looked for: header lines, the bounds of the search, and the exit status."""

from __future__ import annotations

import re

import pytest

from parsers import crashes
from parsers.crashes import Crash, CrashFormat, StackFrame, parse_crash, signals
from parsers.crashes._lines import Lines

TAIL = 262_144
# Headers that lead to nothing, after which only the TAIL is searched.
MANY = 10_000


def crash(kind: str, size: int | None = None, summary: str = "") -> Crash:
    return Crash("address", kind, "", size, None, (), None, summary)


def read(match: re.Match[str], lines: Lines) -> Crash | None:
    """A report where the header has a name; where it is "none", 512 lines are read in vain."""
    if match[1] != "none":
        return crash(match[1])
    lines.first(512)
    return None


def read_header(match: re.Match[str], _lines: Lines) -> Crash | None:
    return None if match[1] == "none" else crash(match[1])


HEADER = re.compile(r"^BOOM (\w+)$")
BOOM = CrashFormat("boom", (), ("BOOM",), HEADER, read)
SHORT = CrashFormat("boom", (), ("BOOM",), HEADER, read_header)


def use_formats(monkeypatch: pytest.MonkeyPatch, *formats: CrashFormat) -> None:
    monkeypatch.setattr(crashes, "_formats", lambda: formats)


def kind_of(text: str, status: int | None = None) -> str:
    parsed = parse_crash(text, status)
    return parsed.kind if parsed else ""


def test_the_facts_as_plain_data() -> None:
    frames = (StackFrame("f", "a.c", 1), StackFrame("", "m+0x1", None), StackFrame("g", "", None))
    assert Crash("address", "segv", "read", 4, 16, frames, "CWE-125", "SEGV").to_json() == {
        "kind": "segv",
        "access": "read",
        "size": 4,
        "frames": ["f", "g"],
        "sanitizer": "address",
        "cwe": "CWE-125",
    }


def test_a_format_reads_nothing_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    matching = CrashFormat("b", (), ("BOOM",), re.compile("BOOM"))
    use_formats(monkeypatch, CrashFormat("a", (), ("BOOM",)), matching)
    assert parse_crash("BOOM\nBOOM\n", 139) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", ""),
        ("BOOM a", "a"),
        ("BOOM a\n", "a"),
        ("first\nsecond\nBOOM a\nlast\n", "a"),
        ("\nBOOM a\r\nBOOM b\n", "a"),
        ("BOOM none\nBOOM a\n", "a"),
        ("BOOM BOOM\nBOOM a\n", "BOOM"),
        ("no BOOM a\nBOOM b", "b"),
        ("BOOM\na\n", ""),
        ("\x1b[1mBOOM\x1b[0m a\n", "a"),
    ],
)
def test_the_first_header_with_a_report(
    text: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_formats(monkeypatch, BOOM)
    assert kind_of(text) == kind


def test_lines_with_a_marker_are_read_in_the_order_of_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once for each of its markers; those at the same position by the order of the formats."""
    headers: list[tuple[str, str]] = []

    def recorder(name: str, *markers: str) -> CrashFormat:
        def record(match: re.Match[str], lines: Lines) -> None:
            headers.append((name, f"{match.string}|{''.join(lines.first(1))}"))

        return CrashFormat(name, (), markers, re.compile(""), record)

    use_formats(monkeypatch, recorder("x", "BAD:", "AD: "), recorder("y", "BAD"))
    text = "BAD at first BAD\nBAD: BAD: 1\nnone of them\n2 BAD\n  AD: 3\nBAD: 4"
    assert parse_crash(text) is None
    assert headers == [
        ("y", "BAD at first BAD|BAD: BAD: 1"),
        ("x", "BAD: BAD: 1|none of them"),
        ("y", "BAD: BAD: 1|none of them"),
        ("x", "BAD: BAD: 1|none of them"),
        ("y", "2 BAD|  AD: 3"),
        ("x", "  AD: 3|BAD: 4"),
        ("x", "BAD: 4|"),
        ("y", "BAD: 4|"),
        ("x", "BAD: 4|"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "header", "rest"),
    [
        (1023, 9, "b" * 1023 + "BOOM" + "a" * 9, "next"),
        (1024, 9, "b" * 1024 + "BOOM" + "a" * 9, "next"),
        (1025, 9, "b" * 1024 + "BOOM" + "a" * 9, "next"),
        (5000, 9, "b" * 1024 + "BOOM" + "a" * 9, "next"),
        (0, 4091, "BOOM" + "a" * 4091, "next"),
        (9, 4092, "b" * 9 + "BOOM" + "a" * 4092, "next"),
        (9, 4093, "b" * 9 + "BOOM" + "a" * 4092, ""),
    ],
)
def test_of_a_long_line_only_what_is_near_the_marker_is_read(
    before: int, after: int, header: str, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines_read: list[tuple[str, str]] = []

    def record(match: re.Match[str], lines: Lines) -> None:
        lines_read.append((match.string, lines.first(1)[0]))

    use_formats(monkeypatch, CrashFormat("x", (), ("BOOM",), re.compile("BOOM"), record))
    assert parse_crash(f"above\n{'b' * before}BOOM{'a' * after}\nnext\n") is None
    assert lines_read == [(header, rest)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("headers", "padding", "kind"),
    [
        (MANY - 1, TAIL, "a"),  # the bound is not reached
        (MANY, TAIL, ""),
        (MANY, TAIL - len("BOOM a\n"), "a"),  # the report begins where the tail does
        (MANY, TAIL - len("BOOM a\n") + 1, ""),
    ],
)
def test_after_many_headers_in_vain_only_the_tail_is_searched(
    headers: int, padding: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_formats(monkeypatch, SHORT)
    text = "BOOM none\n" * headers + "BOOM a\n" + "." * padding
    assert kind_of(text) == kind
    assert kind_of(text, 139) == kind


def test_the_tail_is_searched_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    use_formats(monkeypatch, SHORT)
    assert kind_of("BOOM none\n" * (2 * MANY) + "BOOM a\n") == "a"


def test_the_tail_is_not_searched_where_all_of_the_text_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It begins within a line, which would then look like a header."""
    use_formats(monkeypatch, CrashFormat("boom", (), ("BOOM",), re.compile(r"^BOOM (\w+)"), read))
    text = "xBOOM a" + "." * (TAIL - 6)
    assert (kind_of(text), kind_of(text[1:])) == ("", "a")


@pytest.mark.parametrize(("lacking", "kind"), [(0, ""), (1, "a")])
def test_eight_mebibytes_read_in_vain_also_end_the_search(
    lacking: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four headers, each with 512 lines that its reader looks at: 2 MiB, but for the last newline."""
    use_formats(monkeypatch, BOOM)
    report = "BOOM none\n" + ("." * 4095 + "\n") * 511 + "." * 4086
    assert len(report) == 2 * 1024 * 1024
    last = report[: len(report) - lacking]
    text = "\n".join([report, report, report, last, "BOOM a", "." * TAIL])
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("status", "signal"),
    [(134, 6), (-6, 6), (139, 11), (-11, 11), (128, 0), (127, -1), (1, -127), (0, -128), (-1, 1)],
)
def test_without_a_report_the_exit_status_decides(
    status: int, signal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def from_status(text: str, signal: int) -> Crash:
        return crash("signal", signal, text)

    use_formats(monkeypatch, BOOM, CrashFormat("signals", (), from_status=from_status))
    text = "begin" + "." * (TAIL - 3) + "end"
    assert parse_crash(text, status) == crash("signal", signal, "." * (TAIL - 3) + "end")
    assert parse_crash(text) is None
    assert parse_crash("BOOM a", status) == crash("a")


def test_the_first_format_that_knows_a_signal_names_the_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def format_for(signal: int, kind: str) -> CrashFormat:
        return CrashFormat(kind, (), from_status=lambda _, n: crash(kind) if n == signal else None)

    kinds = ((6, "first"), (6, "second"), (11, "third"))
    use_formats(monkeypatch, *(format_for(*kind) for kind in kinds))
    assert [kind_of("", status) for status in (-6, 139, -7)] == ["first", "third", ""]


@pytest.mark.parametrize(
    ("signal", "kind"),
    [(4, "ill"), (5, "trap"), (6, "abrt"), (7, "bus"), (8, "fpe"), (11, "segv"), (9, ""), (15, "")],
)
def test_fatal_signals_are_crashes(signal: int, kind: str) -> None:
    assert kind_of("done\n", 128 + signal) == kind_of("done\n", -signal) == kind


UBSAN = "a.c:3:5: runtime error: {}\n"
OVERFLOW = "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"


@pytest.mark.parametrize(
    ("message", "status", "kind"),
    [
        (OVERFLOW, 139, "segv"),
        (OVERFLOW, -11, "segv"),
        (OVERFLOW, 136, "fpe"),
        (OVERFLOW, 0, "signed-integer-overflow"),
        (OVERFLOW, 137, "signed-integer-overflow"),  # killed from outside
        (OVERFLOW, 134, "signed-integer-overflow"),  # abort_on_error
        (OVERFLOW, 132, "signed-integer-overflow"),
        (OVERFLOW, 133, "signed-integer-overflow"),
        (OVERFLOW + "\nfree(): invalid pointer", 134, "invalid-free"),
        ("load of null pointer of type 'int'", 139, "null-pointer-use"),
        (
            "load of misaligned address 0x1 for type 'int', which requires",
            139,
            "misaligned-address",
        ),
        ("load of misaligned address 0x1 for type 'int', which requires", 136, "fpe"),
        ("division by zero", 136, "divide-by-zero"),
        ("division by zero", 139, "segv"),
        (
            "division of -2147483648 by -1 cannot be represented in type 'int'",
            136,
            "signed-integer-overflow",
        ),
        (
            "division of -2147483648 by -1 cannot be represented in type 'int'",
            139,
            "segv",
        ),
    ],
)
def test_a_program_that_dies_of_something_else_than_it_survived(
    message: str, status: int, kind: str
) -> None:
    """gcc's UBSan reports no signal: after its line, a bare death is all there is."""
    text = UBSAN.format(message)
    assert kind_of(text, status) == kind
    reading = crashes.read_crash(text, status)
    assert reading.crash is not None and reading.crash.kind == kind


def test_a_fatal_report_goes_before_the_signal() -> None:
    report = (
        "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x1 in f a.c:1\n"
    )
    assert kind_of(report, 139) == "heap-use-after-free"


def read_whole(match: re.Match[str], lines: Lines) -> Crash | None:
    """A report only where something follows its header."""
    return crash(match[1]) if lines.first(1) else None


WHOLE = CrashFormat("boom", (), ("BOOM",), HEADER, read_whole)
IS_CUT = "the report is cut: it has no SUMMARY"
NOTHING_FOLLOWS = "a report cannot be read: nothing follows its header"
UNREAD = "what looks like a report cannot be read"


@pytest.mark.parametrize(
    ("text", "status", "kind", "problem"),
    [
        ("", None, "", ""),
        ("nothing", 139, "segv", ""),
        ("main: Assertion `n' failed.", 134, "assertion-failed", ""),
        ("BOOM a\nSUMMARY: b\n", None, "a", ""),
        ("BOOM a\n    #0 0x1 in f a.c:1\nSUMMARY: b\n", None, "a", ""),
        ("BOOM a\n    #0 0x1 in f a.c:1\n", None, "a", IS_CUT),
        ("BOOM a\n    #0 0x1 in f a.c:1\n", 139, "a", IS_CUT),
        ("BOOM a", None, "a", NOTHING_FOLLOWS),
        ("BOOM a", 139, "segv", NOTHING_FOLLOWS),
        ("main: Assertion `n' failed.\nBOOM a", 134, "assertion-failed", NOTHING_FOLLOWS),
        ("==7==ERROR: NewSanitizer: a\n", None, "unknown-crash", UNREAD),
        ("==7==ERROR: NewSanitizer: a\n", 139, "segv", UNREAD),
    ],
)
def test_a_reading_says_why_it_is_not_sure(
    text: str, status: int | None, kind: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_formats(monkeypatch, WHOLE, signals.PLUGIN)
    reading = crashes.read_crash(text, status)
    assert (reading.crash.kind if reading.crash else "", reading.problem) == (kind, problem)


def test_a_report_of_no_format_is_known_by_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    use_formats(monkeypatch)
    text = "x\n==7==ERROR: NewSanitizer: q\x01 r\r\nfirst\n==8==ERROR: NewSanitizer: z\n"
    summary = "==7==ERROR: NewSanitizer: q? r"
    unread = Crash("unknown", "unknown-crash", "", None, None, (), None, summary)
    assert crashes.read_crash(text).crash == unread
    long = crashes.read_crash("==7==ERROR: NewSanitizer: " + "a" * 600).crash
    assert long is not None and len(long.summary) == 512
