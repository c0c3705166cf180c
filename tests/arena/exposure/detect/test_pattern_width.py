"""How wide a regular expression is, told without running it."""

from __future__ import annotations

import re
import string
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.detect._pattern_width import only

WORDS = frozenset(string.ascii_letters + string.digits + "_")
PARTS = (
    "a",
    "[a-c]",
    r"\d",
    r"\w",
    ".",
    "[^b]",
    r"\W",
    "'",
    "(?:a|')",
    "(b)",
    "(?=a)",
    r"\s",
    "[ab;]",
)
COUNTS = ("", "+", "*", "?", "{1,2}")
TEXTS = ["".join(text) for size in range(4) for text in product("ab';\n", repeat=size)]


@given(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(COUNTS)), min_size=1, max_size=4))
def test_what_a_narrow_pattern_matches_is_narrow(parts: list[tuple[str, str]]) -> None:
    pattern = "".join(part + ("" if part.startswith("(?=") else count) for part, count in parts)
    if only(pattern, WORDS, "fullmatch"):
        assert all(set(text) <= WORDS for text in TEXTS if re.fullmatch(pattern, text))


@pytest.mark.parametrize(
    ("pattern", "function", "narrow"),
    [
        (r"^\w+$", "match", True),
        (r"^[A-Za-z_]\w{0,30}\Z", "match", True),
        (r"\w+", "fullmatch", True),
        (r"(?:a|b|\d+)", "fullmatch", True),
        (r"^\w+$", "search", True),
        (r"\w+", "match", False),
        (r"\w+$", "search", False),
        (r"^\w+$|'", "match", False),
        (r"^[^;]+$", "match", False),
        (r"^.*$", "match", False),
        (r"^\w+'?$", "match", False),
        (r"^\S+$", "match", False),
        ("(", "match", False),
        ("(" * 900 + ")" * 900, "fullmatch", False),
        ("a" * 3000, "fullmatch", False),
    ],
)
def test_anchors_and_classes(pattern: str, function: str, narrow: bool) -> None:
    assert only(pattern, WORDS, function) is narrow
