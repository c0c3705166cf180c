"""Hand-written URLs: what is sent must be what their authors meant."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.tasks.dualgauge.urls import (
    encode_target,
    is_request,
    query_value,
    request_line,
    values_of,
)


@pytest.mark.parametrize(
    ("target", "parameters"),
    [
        (r"/find?pattern=\d+&text=abc", {"pattern": r"\d+", "text": "abc"}),
        ("/visit?user=1#evil.test", {"user": "1#evil.test"}),
        ("/visit?user=1?admin=true", {"user": "1?admin=true"}),
        ("/find?text=hello world", {"text": "hello world"}),
        ("/find?text=fish & chips", {"text": "fish & chips"}),
        ("/visit?user=1\r\nHost: evil.test", {"user": "1\r\nHost: evil.test"}),
        (r"/visit?user=1\r\nHost: x", {"user": r"1\r\nHost: x"}),
        ("/visit?user=1%2f%2e%2e%2fadmin", {"user": "1/../admin"}),
        ("/find?text=LIKE '%@%' --", {"text": "LIKE '%@%' --"}),
        ("/find?text=a'; DROP TABLE t; --", {"text": "a'; DROP TABLE t; --"}),
        ("/find?text=", {"text": ""}),
        ("/find?text=spaced%20name+here", {"text": "spaced name here"}),
        ("/find?text=né", {"text": "né"}),
    ],
)
def test_a_program_gets_what_was_meant(target: str, parameters: dict[str, str]) -> None:
    found = encode_target(target)
    assert found.isascii() and " " not in found and "#" not in found
    assert dict(parse_qsl(urlsplit(found).query, keep_blank_values=True)) == parameters


def test_a_double_encoded_path_stays_double_encoded() -> None:
    assert encode_target("/get?f=%252e%252e") == "/get?f=%252e%252e"


@pytest.mark.parametrize(
    ("text", "method", "path", "rest"),
    [
        ('POST /order {"a": 1}', "POST", "/order", '{"a": 1}'),
        ("GET /find?text=hello world", "GET", "/find?text=hello%20world", ""),
        ("http://localhost:5000/find?a=1", "", "/find?a=1", ""),
        ("DELETE http://127.0.0.1/x HTTP/1.1", "DELETE", "/x", ""),
    ],
)
def test_request_lines(text: str, method: str, path: str, rest: str) -> None:
    line = request_line(text)
    assert is_request(text)
    assert (line.method, line.path, line.rest) == (method, path, rest)


@pytest.mark.parametrize("text", ["http://evil.test/a", "notes.txt", "", "../x", "GET"])
def test_no_request(text: str) -> None:
    assert not is_request(text)


@pytest.mark.slow
@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.text(max_size=30), max_size=3)
)
def test_raw_values_arrive_unless_they_look_encoded(fields: dict[str, str]) -> None:
    """Any text without `%` and without `&name=` in it arrives as it was written."""
    fields = {
        name: value
        for name, value in fields.items()
        if "%" not in value and "&" not in value and value.isprintable()
    }
    target = "/x?" + "&".join(f"{name}={value}" for name, value in fields.items())
    got = (
        dict(parse_qsl(urlsplit(encode_target(target)).query, keep_blank_values=True))
        if fields
        else {}
    )
    assert got == fields


def test_values_are_decoded() -> None:
    assert values_of("/x?a=1%2f2&b=c d") == ["1/2", "c d"]


@pytest.mark.slow
@given(st.text(max_size=200))
def test_anything_gives_a_sendable_path(text: str) -> None:
    assert all("!" <= letter <= "~" for letter in encode_target(text))


def test_a_bare_value_keeps_what_is_encoded() -> None:
    assert query_value("%0d%0aSet-Cookie: a") == "%0d%0aSet-Cookie:%20a"
    assert query_value("100% of #1") == "100%25%20of%20%231"
