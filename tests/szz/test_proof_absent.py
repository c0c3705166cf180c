"""A revision that lacks a function of the crash's own way cannot crash: the VIC is what brought it."""

from __future__ import annotations

from tests.szz.synthetic import BUG, name, row


def test_the_crash_is_not_where_its_way_is_not() -> None:
    proof = row("AAAAAAAAXXXXC").prove([12])
    assert (proof.vic, proof.pvic, proof.lost) == (name(8), name(7), "")
    assert f"has no {BUG['frames'][0]}(), which the crash goes through" in " ".join(proof.notes)


def test_it_takes_no_more_builds_than_a_clean_history() -> None:
    text = "A" * 500 + "X" * 500 + "C"
    absent, clean = (row(text.replace("A", letter)) for letter in "AC")
    assert absent.prove([1000]).vic == clean.prove([1000]).vic == name(500)
    assert len(absent.asked) == len(clean.asked)


def test_what_only_the_target_lacks_says_nothing_of_the_crash() -> None:
    proof = row("LLLLXXXXC").prove([8])
    assert (proof.vic, proof.lost) == (None, "no-safe-ancestor")


def test_frames_of_the_crash_that_was_seen_count_where_the_stated_one_is_another() -> None:
    assert row("AXC").prove([2], stated={**BUG, "frames": ["elsewhere"]}).vic == name(1)


def test_frames_of_what_was_seen_count_beside_the_stated_ones() -> None:
    """A report tells three frames, and the function that is not there yet may be the fourth."""
    proof = row("AAXXXXC").prove([6], [4], stated={**BUG, "frames": ["skip"]})
    assert (proof.vic, proof.pvic) == (name(2), name(1))
