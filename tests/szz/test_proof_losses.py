"""Every way in which a case is lost, with its code and a reason that a reader can use."""

from __future__ import annotations

import pytest

from szz.proof.prove import prove
from szz.proof.result import LOSSES, Proof
from szz.proof.witness import BuildBudget
from tests.szz.synthetic import ELSE, Row, World, flip_at, name, row, same

CASES = {
    # history, stated, code, part of the reason
    "the fix's parent is clean": ("CXXCC", None, "not-reproduced", "does not crash"),
    "the fix crashes": ("CXXX", None, "fix-crashes", "crashes with the PoC"),
    "the fix crashes otherwise": ("CXXO", None, "fix-crashes", "crashes with the PoC"),
    "the fix does not build": ("CXXB", None, "fix-unbuilt", "no rule to make target"),
    "the fix is flaky": ("CXXU", None, "unclear", "2 of 3 replays"),
    "the parent does not build, nor what is before": ("CXBBBC", None, "parent-unbuilt", "no rule"),
    "the parent does not build, the next is clean": ("CXCBC", None, "parent-unbuilt", "no rule"),
    "the parent is flaky": ("CXCUC", None, "unclear", "no clear answer"),
    "crashes since the root": ("XXXXC", None, "no-safe-ancestor", "the root 000000000000"),
    "crashes as far back as it builds": ("BBXXC", None, "no-safe-ancestor", "2 do not build"),
    "a gap": ("CCBBBXXC", None, "unbuildable-gap", "3 commits between clean 000000000001 and"),
    "a flaky commit before the crash": ("CCUXXC", None, "unclear", "(000000000002)"),
    "another crash before it": ("CCOXXC", None, "other-crash", "1 crash otherwise"),
    "another crash as far as the root": ("OOOXXC", ELSE, "other-crash", "beginning of history"),
    "the fix is the root": ("C", None, "fix-is-root", "has no parent"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_loss(case: str) -> None:
    text, stated, code, reason = CASES[case]
    proof = row(text).prove([len(text) - 1], [], stated)
    assert (proof.lost, proof.vic) == (code, None)
    assert reason in proof.reason


def test_an_endless_gap_is_given_up() -> None:
    world = World(Row(5002), lambda n: "C" if n in (0, 5001) else "B" if n < 5000 else "X")
    proof = world.prove([5001], [0], budget=BuildBudget(100))
    assert proof.lost == "unbuildable-gap" and proof.gap == 4999
    assert len(world.asked) <= 30 and "were not tried" in proof.reason


def test_another_crash_over_a_long_time_is_given_up() -> None:
    world = World(Row(1001), lambda n: "C" if n < 300 or n == 1000 else "O" if n < 700 else "X")
    proof = world.prove([1000])
    assert proof.lost == "other-crash" and proof.crash == name(700) and len(world.asked) <= 24


def test_the_budget_of_seconds() -> None:
    world = flip_at(300, 1000)
    assert world.prove([1000], budget=BuildBudget(40, seconds=2.5)).lost == "budget"
    assert len(world.asked) == 3


def test_an_unknown_fix_and_none_at_all() -> None:
    unknown = row("CXC").prove([77])
    assert unknown.lost == "fix-unknown" and "is not in the repository" in unknown.reason
    assert prove(Row(2), [], [], row("CC").replay, same) == Proof(
        reason="the case names no fix", lost="fix-unknown"
    )


def test_every_code_has_a_case() -> None:
    reached = {code for _, _, code, _ in CASES.values()}
    elsewhere = {"budget", "fix-unknown", "before-the-harness", "stated-vic"}  # tests of their own
    assert reached | elsewhere == set(LOSSES)


def test_a_line_that_was_clean_again_before_the_fix_is_not_monotone() -> None:
    proof = row("XXXCC").prove([4], [2])
    assert (proof.lost, proof.monotone) == ("not-reproduced", False)
    assert row("CCXCB").prove([4], [2]).monotone
