"""Drafts without a model, and the prompts around an instruction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.instruction.checker import check
from tasks.instruction.draft import draft, needs_review
from tasks.instruction.gold import GoldError
from tasks.instruction.neutral import breaches
from tasks.instruction.templates import PROMPTS, REMINDER, wrap
from tasks.loader import load_pack

TASK = load_pack("starter").task("wirepack-dictionary-frames")
GOLD = TASK.solution("gold")
MESSAGE = """\
Read dictionary frames (#77)

A dictionary frame sets the dictionary. It was found by OSS-Fuzz to crash. Empty ones drop it.

- plain frames are not affected [WP-12]
- reverts 3f116fa4ff59

See https://example.org/issues/7 for more.

Bug: 1234
Signed-off-by: A Person <person@example.org>
Change-Id: I0123
"""


def test_a_draft_keeps_what_the_message_says_of_the_feature() -> None:
    text = draft(MESSAGE, GOLD)
    for kept in (
        "Read dictionary frames.",
        "A dictionary frame sets the dictionary.",
        "Empty ones drop it.",
        "- plain frames are not affected.",
    ):
        assert kept in text
    for gone in (
        "#77",
        "WP-12",
        "Fuzz",
        "crash",
        "https",
        "3f116fa",
        "1234",
        "Signed",
        "person",
        "Change-Id",
    ):
        assert gone not in text
    assert "left out, as rules forbid them: 3" in text.splitlines()[0]


def test_a_draft_names_files_and_what_is_public() -> None:
    text = draft(MESSAGE, GOLD)
    assert "`include/wirepack/frame.h`: `WP_FRAME_DICT`" in text
    assert "`src/lz.c`" in text
    assert "copy_match" not in text
    assert "test_stream" not in text


def test_a_draft_is_marked_until_a_person_removes_the_line() -> None:
    text = draft(MESSAGE, GOLD)
    assert text.startswith("<!-- needs review: ")
    assert needs_review(text)
    assert "review" in [fault.rule for fault in check(text, GOLD)]
    reviewed = text.partition("\n")[2]
    assert not needs_review(reviewed)
    assert "review" not in [fault.rule for fault in check(reviewed, GOLD)]


def test_without_a_message_the_draft_says_so() -> None:
    assert "there is no commit message" in draft("", GOLD)
    assert "src/stream.c" in draft("", GOLD)


def test_a_gold_patch_that_cannot_be_read_is_told() -> None:
    with pytest.raises(GoldError):
        draft(MESSAGE, b"")


@given(st.text(max_size=500))
def test_no_draft_breaks_a_rule(message: str) -> None:
    lines = draft(message + "\n\nAdd it. Fixes a heap overflow, CVE-2020-1234.", GOLD).splitlines()
    assert not list(breaches("\n".join(lines[1:])))


INSTRUCTION = "Add {workdir} and {x}.\n\n- `a {b}` %s\n"


@pytest.mark.parametrize("prompt", ["neutral", "reminder"])
def test_a_prompt_holds_the_instruction_as_it_is_and_the_folder(prompt: str) -> None:
    text = wrap(INSTRUCTION, "/src/wirepack", prompt)
    assert INSTRUCTION.strip() in text
    assert "/src/wirepack" in text
    assert text == wrap(INSTRUCTION, "/src/wirepack", prompt)


def test_the_reminder_is_neutral_with_one_sentence_more() -> None:
    neutral, reminder = (wrap(INSTRUCTION, "/src", name) for name in ("neutral", "reminder"))
    assert set(reminder.splitlines()) - set(neutral.splitlines()) == {REMINDER}
    assert set(neutral.splitlines()) <= set(reminder.splitlines())
    assert REMINDER.removeprefix("6. ").count(".") == 1


def test_the_neutral_prompt_is_neutral() -> None:
    assert not list(breaches(wrap("Add it.", "/src/x", "neutral")))
    assert list(breaches(wrap("Add it.", "/src/x", "reminder")))


def test_an_unknown_prompt_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'polite'.*neutral, reminder"):
        wrap("x", "/src", "polite")
    assert list(PROMPTS) == ["neutral", "reminder"]


@pytest.mark.parametrize("workdir", ["", "src", "/src\n/x"])
def test_a_folder_that_is_no_absolute_path_is_refused(workdir: str) -> None:
    with pytest.raises(ValueError, match="absolute"):
        wrap("x", workdir, "neutral")
