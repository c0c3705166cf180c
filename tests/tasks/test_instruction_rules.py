"""The rules for wording: each finds and passes what it says, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.instruction import wording
from tasks.instruction.neutral import RULES, WordRule, breaches, normalise

ORDINARY = (
    "The hash table overflows into a list of buckets.",
    "A safe default is 80 columns.",
    "Return an error when the file is truncated or corrupt.",
    "The checker validates the schema; invalid input is refused with `E_INPUT`.",
    "Boundary lines separate the parts of a MIME message.",
    "`free_list` keeps nodes for later use after `list_free()`.",
    "A race between two runners ends in a tie.",
    "The stack holds at most 64 operands; a deeper one is `ERR_LIMIT`.",
    "An index past the end of the list gives null.",
)


def rules_of(text: str, allowed: tuple[str, ...] = ()) -> set[str]:
    return {rule.name for rule, _ in breaches(text, allowed)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_its_examples_and_lets_others_pass(rule: WordRule) -> None:
    assert {text for text in rule.finds if rule.name not in rules_of(text)} == set()
    assert {text for text in rule.passes if rules_of(text)} == set()


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_words_pass(text: str) -> None:
    assert not rules_of(text)


def test_every_rule_has_examples_of_both_kinds() -> None:
    assert all(rule.finds and rule.passes and rule.why for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    "text",
    [
        "a use\nafter   free",
        "a use-after-**free**",
        "vulner\u200bability",
        "\uff36\uff35\uff2c\uff2e\uff25\uff32\uff21\uff22\uff29\uff2c\uff29\uff34\uff39",
        "SECURITY",
    ],
)
def test_layout_does_not_hide_a_word(text: str) -> None:
    assert rules_of(text)


def test_a_name_in_the_code_base_may_be_allowed() -> None:
    text = "Call `check_bounds()` of the security module for each row."
    assert rules_of(text) == {"bounds", "security"}
    assert rules_of(text, ("check_bounds",)) == {"security"}
    assert not rules_of(text, ("check_bounds", "security  module"))


def test_an_allowed_word_allows_no_longer_one() -> None:
    assert rules_of("An insecure module.", ("secure",))
    assert rules_of("crashes", ("crash",))
    assert rules_of("Security is a must.", ("security module",))
    assert rules_of("security", ("", " "))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "fuz",
        "0a",
        "read ",
        "prevent a ",
        "https://a/",
        "saniti",
        "the the ",
        "safely handle ",
        "** ",
    ],
)
def test_time_is_linear(piece: str) -> None:
    """Ten times the text may take ten times as long, not a hundred."""

    def seconds(text: str) -> float:
        before = time.process_time()
        list(breaches(text))
        return time.process_time() - before

    small, large = piece * (6_000 // len(piece)), piece * (60_000 // len(piece))
    assert seconds(large) < max(40 * seconds(small), 1.0)


@given(st.text(max_size=200), st.sampled_from([text for rule in RULES for text in rule.finds[:1]]))
def test_what_stands_around_it_hides_nothing(around: str, bad: str) -> None:
    """Letters and digits directly beside it could make another word of it, so blanks are between."""
    assert rules_of(f"{around}\n\n{bad}\n\n.")


@pytest.mark.slow
@given(st.text(max_size=300))
def test_folding_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert "\n" not in once
    assert "  " not in once


def test_length_counts_words() -> None:
    text = "one two\nthree\tfour"
    assert not list(wording.length(text, 4, 4))
    assert list(wording.length(text, 5, 9)) == ["4 words; 5 to 9 are wanted"]
    assert list(wording.length(text, 1, 3)) == ["4 words; 1 to 3 are wanted"]
    assert list(wording.length(" \n", 1, 3)) == ["the text is empty"]


@pytest.mark.parametrize(
    "char", ["\x00", "\x1b", "\x7f", "\x85", "\u200b", "\u202e", "\ud800", "\ufffd"]
)
def test_invisible_characters_are_found(char: str) -> None:
    assert list(wording.characters(f"a{char}b"))


def test_plain_characters_pass() -> None:
    assert not list(wording.characters("tab\there\r\nä “x” ≤ 3\n"))
    assert list(wording.characters("over\rwritten"))


@pytest.mark.parametrize(
    "text",
    [
        "Sure, here is the text.",
        "Certainly! Add it.",
        "Here's the requirement description: add it.",
        "**Requirement:** add it.",
        "Description: add it.",
        "I'm sorry, but I cannot help.",
        "Add it. Let me know if more is needed.",
        "```\nAdd it.\n```",
        "<think>hm</think> Add it.",
    ],
)
def test_talk_of_a_chat_is_found(text: str) -> None:
    assert list(wording.chat(text))


@pytest.mark.parametrize(
    "text",
    [
        "Here strings begin with three quotes.",
        "Ok is a key.",
        "The description: a text.",
        "Greatest common divisors are added.",
        "```\na\n```\nAdd it.\n```\nb\n```",
    ],
)
def test_plain_openings_pass(text: str) -> None:
    assert not list(wording.chat(text))


@pytest.mark.parametrize(
    "text",
    ["Add the", "Add it, and", "Add it,", "Add a thing (like", "Add:\n```\ncode", "- a\n- of the"],
)
def test_a_missing_end_is_found(text: str) -> None:
    assert list(wording.signs_of_cut(text))


@pytest.mark.parametrize(
    "text",
    [
        "Add it.",
        "Add:\n\n- one\n- two",
        "Add:\n\n    a = b",
        "Add:\n```\na\n```",
        "It is `x`",
        "| a | b |",
    ],
)
def test_a_whole_text_passes(text: str) -> None:
    assert not list(wording.signs_of_cut(text))
