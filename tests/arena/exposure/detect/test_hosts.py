"""Patterns that are meant to accept one domain: which of them let another one through."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.detect._hosts import (
    HostOutcome,
    Part,
    keeps_inside,
    parse_host,
    try_pattern,
)


@pytest.mark.parametrize(
    ("pattern", "how", "part", "passed"),
    [
        (r"^https://www.example\.com/", "match", "url", "https://wwwxexample.com/"),
        (r"^https://example\.com", "match", "url", "https://example.com.evil.org"),
        (r"https://example\.com/", "search", "url", "https://evil.org/https://example.com/"),
        (r"^https://[^/]*example\.com/", "match", "url", "https://evilexample.com/"),
        (r"^https://[^/]*\.example\.com/", "match", "url", "https://evil.org?.example.com/"),
        (r"^https://.*\.example\.com/", "match", "url", "https://evil.org/.example.com/"),
        (r"^https://example\.com[/@:]", "match", "url", "https://example.com@evil.org"),
        (r"example\.com", "match", "host", "example.com.evil.org"),
        (r"example\.com$", "search", "host", "evilexample.com"),
        (r"www.example\.com", "fullmatch", "host", "wwwxexample.com"),
        (r"https?://example\.co.uk/", "match", "url", None),
        (r"https?://example.co\.uk/", "match", "url", "https://examplexco.uk/"),
        (r"(www|beta).example\.com/", "match", "url", "wwwxexample.com/"),
    ],
)
def test_what_a_loose_pattern_lets_through(
    pattern: str, how: str, part: Part, passed: str | None
) -> None:
    found = try_pattern(pattern, 0, how, part)
    assert (found.outcome is HostOutcome.LOOSE) == (passed is not None)
    if passed is not None:
        assert getattr(re, how)(pattern, passed)
        assert getattr(re, how)(pattern, found.passed)


@pytest.mark.parametrize(
    ("pattern", "how", "part"),
    [
        (r"^https?://([\w-]+\.)*example\.com(/|$)", "match", "url"),
        (r"https://example\.com(:\d+)?[/?#]", "match", "url"),
        (r"^https://example.com/", "match", "url"),
        (r"example\.com", "match", "url"),
        (r"(.+\.)?example\.com", "fullmatch", "host"),
        (r"(^|\.)example\.com$", "search", "host"),
    ],
)
def test_a_strict_pattern(pattern: str, how: str, part: Part) -> None:
    assert try_pattern(pattern, 0, how, part).outcome is HostOutcome.STRICT


def test_flags_count() -> None:
    pattern = r"^ https://example\.com/ # the shop"
    assert try_pattern(pattern, re.VERBOSE, "match", "url").outcome is HostOutcome.STRICT
    assert try_pattern("HTTPS://EXAMPLE\\.COM", re.I, "match", "url").outcome is HostOutcome.LOOSE


@pytest.mark.parametrize("pattern", [r"^[^@]+@[^@]+\.[a-z]+$", "^/", r"\d+", "https?://", "("])
def test_a_pattern_that_names_no_host(pattern: str) -> None:
    assert try_pattern(pattern, 0, "match", "url").outcome is HostOutcome.NO_HOST


def test_what_cannot_be_tried_is_looked_at() -> None:
    assert (
        try_pattern(r"(h)ttps://www.example\.com/\1", 0, "match", "url").outcome
        is HostOutcome.LOOSE
    )
    assert (
        try_pattern(r"(h)ttps://www\.example\.com/\1", 0, "match", "url").outcome
        is HostOutcome.STRICT
    )


@pytest.mark.parametrize(
    ("pattern", "how", "inside"),
    [
        (r"/[a-z0-9][a-z0-9/-]*", "fullmatch", True),
        (r"^/[^/\\]", "match", True),
        (r"^[\w-]+$", "match", True),
        (r"^/", "match", False),
        (r"^https?://", "match", False),
        (r"^/[^/]", "match", False),
    ],
)
def test_a_pattern_for_paths_of_this_site(pattern: str, how: str, inside: bool) -> None:
    assert keeps_inside(pattern, 0, how) is inside


@pytest.mark.parametrize(
    ("text", "dotted", "ended"),
    [
        ("example.com", False, False),
        (".example.com", True, False),
        ("https://example.com", False, False),
        ("https://example.com/", False, True),
        ("//shop.example.org/a?b", False, True),
        ("http://localhost:5000/", False, True),
        ("https://intern.corp", False, False),
    ],
)
def test_a_text_that_names_a_host(text: str, dotted: bool, ended: bool) -> None:
    found = parse_host(text)
    assert found is not None and (found.dotted, found.ended) == (dotted, ended)


@pytest.mark.parametrize(
    "text", ["", "/", "http", "https://", ".png", "index.html", "a b.com", "\\"]
)
def test_a_text_that_names_none(text: str) -> None:
    assert parse_host(text) is None


@given(st.sampled_from(("example.com", "shop.example.org", "example.co.uk")))
def test_what_is_escaped_and_ended_is_strict(host: str) -> None:
    assert (
        try_pattern(f"https://{re.escape(host)}/", 0, "match", "url").outcome is HostOutcome.STRICT
    )
    assert try_pattern(f"https://{re.escape(host)}", 0, "match", "url").outcome is HostOutcome.LOOSE


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+example.com$", "(((a*)*)*.)*example\\.com", "a-" * 900 + "example.com", "(a|b)" * 380],
)
def test_a_hostile_pattern_ends_soon(pattern: str) -> None:
    begun = time.process_time()
    for part in ("url", "host"):
        assert try_pattern(pattern, 0, "search", part).outcome in HostOutcome
    assert time.process_time() - begun < 10
