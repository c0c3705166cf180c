"""What a proof reports: every field of it, literally."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from tests.szz.synthetic import BUG, World, branch, doubt_all, flip_at, name, row


@dataclass
class Case:
    """A history, what `prove` is asked about it, and its whole answer but for the runs."""

    world: Callable[[], World]
    fixes: Sequence[int]
    proof: Proof
    candidates: Sequence[int] = ()
    options: dict[str, Any] = field(default_factory=dict)


CASES = {
    "a candidate with its neighbours": Case(
        lambda: flip_at(5, 10),
        [10],
        Proof(
            vfc=name(10),
            vic=name(5),
            pvic=name(4),
            how="b-szz",
            confirmed=True,
            same_signature="yes",
            clean=name(4),
            crash=name(5),
            neighbours=(name(6), name(3)),
        ),
        [5],
        {"stated": BUG, "neighbours": True},
    ),
    "a merge as the only candidate": Case(
        lambda: branch("CCCCCCCXXC"),
        [9],
        Proof(
            vfc=name(9),
            vic=name(7),
            pvic=name(2),
            how="b-szz",
            confirmed=True,
            same_signature="unstated",
            clean=name(2),
            crash=name(7),
            notes=("the VIC 000000000007 is a merge, whose branches were not searched",),
        ),
        [7],
    ),
    "candidates that cannot be, and a right one": Case(
        lambda: row("CXXCC"),
        [3],
        Proof(
            vfc=name(3),
            vic=name(1),
            pvic=name(0),
            how="b-szz",
            confirmed=True,
            same_signature="unstated",
            clean=name(0),
            crash=name(1),
            notes=(
                f"the candidate '{name(99)}' is not in the repository",
                "the candidate 000000000004 is not in the past of the fix",
            ),
        ),
        [99, 4, 1],
    ),
    "a PVIC without the function that crashes": Case(
        lambda: row("CCAXXC"),
        [5],
        Proof(
            vfc=name(5),
            vic=name(3),
            pvic=name(2),
            how="b-szz",
            confirmed=True,
            same_signature="yes",
            clean=name(2),
            crash=name(3),
            notes=(
                "000000000002 does not build with the fuzz target: "
                "it has no parse(), which the crash goes through",
            ),
        ),
        [3],
    ),
    "a crash on a branch without the VIC": Case(
        lambda: branch("CCXCXXCXXC"),
        [9],
        Proof(
            vfc=name(9),
            vic=name(2),
            pvic=name(1),
            how="bisect",
            confirmed=True,
            same_signature="yes",
            monotone=False,
            clean=name(1),
            crash=name(2),
        ),
        [5],
    ),
    "a crash that hid the crash in question": Case(
        lambda: row("CXOOOOOOXXXC"),
        [11],
        Proof(
            vfc=name(11),
            vic=name(1),
            pvic=name(0),
            how="bisect",
            confirmed=True,
            same_signature="yes",
            clean=name(0),
            crash=name(1),
        ),
    ),
    "a gap": Case(
        lambda: row("CCBBBXXC"),
        [7],
        Proof(
            vfc=name(7),
            reason="the flip is among the 3 commits between clean 000000000001 and crashing 000000000005: "
            "3 do not build (000000000002, 000000000003, 000000000004)",
            lost="unbuildable-gap",
            gap=3,
            clean=name(1),
            crash=name(5),
        ),
    ),
    "a fix that crashes": Case(
        lambda: row("CXXX"),
        [3],
        Proof(
            vfc=name(3),
            reason="the fix 000000000003 crashes with the PoC",
            lost="fix-crashes",
        ),
    ),
    "a budget for the fix alone": Case(
        lambda: flip_at(300, 1000),
        [1000],
        Proof(vfc=name(1000), reason="the budget of 1 builds is used up", lost="budget"),
        [],
        {"budget": BuildBudget(1)},
    ),
    "a budget that ends within the bisect": Case(
        lambda: flip_at(300, 1000),
        [1000],
        Proof(
            vfc=name(1000),
            reason="the budget of 5 builds is used up; "
            "124 commits were left between 000000000249 and 000000000374",
            lost="budget",
            gap=124,
            clean=name(249),
            crash=name(374),
        ),
        [],
        {"budget": BuildBudget(5)},
    ),
    "a budget that ends behind another crash": Case(
        lambda: row("CXOOOOOOXXXC"),
        [11],
        Proof(
            vfc=name(11),
            reason="the budget of 7 builds is used up; "
            "8 commits were left between the beginning of history and 000000000008",
            lost="budget",
            gap=8,
            crash=name(8),
        ),
        [],
        {"budget": BuildBudget(7)},
    ),
    "a budget that ends within a merge": Case(
        lambda: branch("CCCCXXXXXC"),
        [9],
        Proof(
            vfc=name(9),
            vic=name(7),
            pvic=name(2),
            how="bisect",
            reason="the budget of 5 builds is used up; "
            "the flip at the merge 000000000007 was not followed to its end",
            lost="budget",
            same_signature="yes",
            clean=name(2),
            crash=name(7),
        ),
        [],
        {"budget": BuildBudget(5)},
    ),
    "an older candidate behind a find in doubt": Case(
        lambda: row("CCXCCCCXXC"),
        [9],
        Proof(
            vfc=name(9),
            vic=name(2),
            pvic=name(1),
            how="candidates",
            again=name(7),
            confirmed=True,
            same_signature="yes",
            monotone=False,
            clean=name(6),
            crash=name(7),
        ),
        [5, 2],
        {"doubts": doubt_all},
    ),
    "a budget that ends behind a find in doubt": Case(
        lambda: row("CCXCCCCXXC"),
        [9],
        Proof(
            vfc=name(9),
            vic=name(7),
            pvic=name(6),
            how="bisect",
            confirmed=True,
            same_signature="yes",
            clean=name(6),
            crash=name(7),
            notes=(
                "not all candidates before 000000000007 were asked: the budget of 5 builds is used up",
            ),
        ),
        [5, 2],
        {"doubts": doubt_all, "budget": BuildBudget(5)},
    ),
    "a clean commit above the only crash, and a parent that does not build": Case(
        lambda: row("CBXXCXBC"),
        [7],
        Proof(
            vfc=name(7),
            vic=name(5),
            pvic=name(4),
            how="bisect",
            confirmed=True,
            same_signature="yes",
            monotone=False,
            clean=name(4),
            crash=name(5),
            notes=("the fix's parent could not be judged; 000000000005 stands for it",),
        ),
        [3],
        {"stated": BUG, "oldest": name(5), "further": [("anchors", [name(1), name(0)])]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_whole_proof(case: str) -> None:
    expected = CASES[case]
    proof = expected.world().prove(expected.fixes, expected.candidates, **expected.options)
    assert replace(proof, runs=()) == expected.proof
