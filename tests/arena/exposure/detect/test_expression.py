"""Trying a pattern says what `re` says, and no pattern makes it slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.detect._expression import Expression, Untriable

PARTS = (
    "a", "b", ".", r"\.", "[ab]", "[^a]", r"\w", r"\W", r"\d", r"\s", r"\b", "^", "$", r"\A", r"\Z", "(a|b)",
    "(?:ab)*", "a+", "b*?", "a?", "(?i:A)", "a{1,2}", "(?=b)", "(?!a)", "(?<=a)", "(?<!b)", "(a|ab)(c|bc)", "/",
)  # fmt: skip
HOWS = ("match", "search", "fullmatch")


@given(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=6),
    st.text("abcA1./\n ", max_size=8),
    st.sampled_from(HOWS),
    st.sampled_from((0, re.IGNORECASE, re.MULTILINE, re.DOTALL)),
)
def test_it_says_what_re_says(parts: list[str], text: str, how: str, flags: int) -> None:
    pattern = "".join(parts)
    wanted = getattr(re.compile(pattern, flags), how)(text) is not None
    assert Expression(pattern, flags).accepts(text, how) == wanted


@given(st.text(r"ab.*+?()[]{}|\^$1,", max_size=30), st.text("ab", max_size=10))
def test_any_text_is_a_pattern_or_untriable(pattern: str, text: str) -> None:
    try:
        expression = Expression(pattern)
        expression.accepts(text, "search")
        assert all(isinstance(sample, str) for sample in expression.samples())
    except Untriable:
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$", "((a*)*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a|a)*b", "(a|aa)+$", "(a{1,1000}){1,1000}b",
        "(?:(?:(?:a{0,60}){0,60}){0,60}){0,60}b", "(a?){60}a{60}b", "(?=(a+)+$)(a+)+b",
    ],
)  # fmt: skip
def test_a_hostile_pattern_ends_soon(pattern: str) -> None:
    begun = time.process_time()
    expression = Expression(pattern)
    try:
        for _ in range(1000):
            assert not expression.accepts("a" * 60 + "!", "fullmatch")
    except Untriable:
        pass
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("pattern", ["(", "a" * 3000, "(" * 5000, "(a", r"(a)\1", "[b-a]", "*"])
def test_what_is_not_tried_says_so(pattern: str) -> None:
    with pytest.raises(Untriable):
        Expression(pattern).accepts("aa", "match")


def test_samples_show_each_alternative_without_and_with_optional_parts() -> None:
    samples = Expression(r"^https?://(www\.)?example\.(com|org)[/?#]").samples()
    assert {
        "http://example.com/", "https://www.example.org/"
    } <= set(samples)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_samples_are_few_and_short(parts: list[str]) -> None:
    samples = Expression("".join(parts)).samples()
    assert len(samples) <= 24 and all(len(one) < 500 for one in samples)
