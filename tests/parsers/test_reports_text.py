"""Bytes to text: what a hostile program can print must not reach a parser or a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
