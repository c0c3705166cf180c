"""Bytes to text: what a hostile program can print must not reach a parser or a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import reports
from parsers.reports._collect import Collector, compile_lines
from parsers.text import MAX_LINES, decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"ok 1 - a\n", "ok 1 - a\n"),
        (b"\xef\xbb\xbfok 1\n", "ok 1\n"),
        (b"\x1b[0;31mFAIL\x1b[m: bad.sh\r\n", "FAIL: bad.sh\n"),
        (b"not ok 1\x1b[2K\rok 1\n", "not ok 1\nok 1\n"),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"),
        (b"\x1b[999999999", "[999999999"),
        (b"a\x00b\x07c\x7fd\x0ce", "abcde"),
        (b"a\xff\xc3(b", "a\ufffd\ufffd(b"),
        ("a\u2028b\u202ec\x85d\ufeff".encode(), "abcd"),
        (b"tab\tkept", "tab\tkept"),
        ("\ufeffok 1 - \u00e4\r\n".encode("utf-16-le"), "ok 1 - \u00e4\n"),
        ("\ufeffok 1 - \u00e4\n".encode("utf-16-be"), "ok 1 - \u00e4\n"),
        (b"\xff\xfea", "\ufffd"),
    ],
)
def test_decode(data: bytes, text: str) -> None:
    assert decode(data).text == text
    assert not decode(data).truncated


def test_what_is_beyond_the_limits_is_left_out_and_said() -> None:
    assert decode(b"abcdef", 3).text == "abc"
    assert decode(b"abcdef", 3).truncated
    assert not decode(b"abc", 3).truncated
    many = decode(b"x\n" * (MAX_LINES + 5))
    assert many.truncated
    assert many.text.count("\n") == MAX_LINES
    assert not decode(b"x\n" * (MAX_LINES - 1)).truncated


@given(st.binary(max_size=300))
def test_no_control_character_is_left(data: bytes) -> None:
    text = decode(data).text
    assert all(c in "\t\n" or c.isprintable() or ord(c) > 0xA0 - 1 for c in text)
    assert "\x1b" not in text


def test_scan_lines_takes_each_line_once_and_passes_over_the_others() -> None:
    pattern = compile_lines(r"(?!ok )[^\n]*+", r"ok (?P<name>\w+)")
    text = "\nok a\nok -\n not ok b\nx\n\nok c, ok d\nok a\nx\nok e"
    names = [match["name"] for match in Collector().scan_lines(pattern, text + "\n")]
    assert names == ["a", "a", "e"]
    assert [m["name"] for m in Collector().scan_lines(pattern, text)] == ["a", "a", "e"]
    assert [m["name"] for m in Collector().scan_lines(pattern, "x\n\n")] == []
    assert [m["name"] for m in Collector().scan_lines(pattern, "")] == []


@pytest.mark.parametrize(
    ("format", "lines"),
    [
        ("check", "note: 9%\n100%: done\n{}a:5:P\n:1:Q:a:b:0: x\nx:y:1:P:a:b:0: Passed\n"),
        (
            "ctest",
            " Test of 5\n{}1/9 of it\nTest #\n\t3 -\n7% tests\nx Test #3: a ....   Passed 0 sec\n",
        ),
    ],
)
def test_lines_of_a_log_hide_no_result_behind_them(format: str, lines: str) -> None:
    results = {
        "check": ["100%: Checks: 1, Failures: 0, Errors: 0\n", "t.c:3:P:limits:t_ok:0: Passed\n"],
        "ctest": ["1/1 Test #1: t_ok ....   Passed    0.00 sec\n", "100% tests passed out of 1\n"],
    }[format]
    log = lines.format(results[0]) + lines.format(results[1]) + lines.format("")
    report = reports.parse(format, {"log": log.encode()}, 0)
    assert (list(report.outcomes.values()), report.complete) == (["passed"], True)
