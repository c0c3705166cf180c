"""A stated VIC is checked by its three commits, and nothing is searched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from szz.proof.result import Proof
from szz.proof.stated import StatedVic, prove_stated
from szz.proof.witness import BuildBudget
from tests.szz.synthetic import BUG, ELSE, World, name, row, same

FREE = BuildBudget()


def stated(
    world: World,
    vic: int,
    vfc: int,
    pvic: int | None = None,
    report: Mapping[str, Any] | None = None,
    seen: Mapping[str, Any] | None = None,
    budget: BuildBudget = FREE,
    neighbours: bool = False,
) -> Proof:
    claim = StatedVic(name(vic), name(vic - 1 if pvic is None else pvic), name(vfc), seen)
    return prove_stated(world.graph, claim, world.replay, same, report, budget, neighbours)


def test_three_builds_confirm_it() -> None:
    world = row("CCXXXXC")
    proof = stated(world, 2, 6)
    assert (proof.confirmed, proof.how, proof.lost, proof.reason) == (True, "stated", "", "")
    assert (proof.pvic, proof.vic, proof.vfc) == (name(1), name(2), name(6))
    assert world.asked == [6, 2, 1] and proof.monotone and proof.same_signature == "unstated"
    world.hold(proof)


@pytest.mark.parametrize(
    ("does", "vic", "vfc", "asked", "reason"),
    [
        ("CCXXX", 2, 4, [4], "the fix 000000000004 crashes with the PoC"),
        ("CCXXB", 2, 4, [4], "the fix 000000000004 does not build"),
        ("CCCXC", 2, 4, [4, 2], "the VIC 000000000002 does not crash with the PoC"),
        ("CCBXC", 2, 4, [4, 2], "the VIC 000000000002 does not build: no rule to make target"),
        ("CCUXC", 2, 4, [4, 2], "the VIC 000000000002 gives no clear answer"),
        ("CXXXC", 2, 4, [4, 2, 1], "the PVIC 000000000001 crashes with the PoC"),
        ("COXXC", 2, 4, [4, 2, 1], "the PVIC 000000000001 crashes with the PoC"),
        ("CBXXC", 2, 4, [4, 2, 1], "the PVIC 000000000001 does not build"),
    ],
)
def test_what_does_not_hold_is_told_and_not_searched(
    does: str, vic: int, vfc: int, asked: list[int], reason: str
) -> None:
    world = row(does)
    proof = stated(world, vic, vfc, report=BUG)
    assert (proof.lost, proof.vic, proof.confirmed) == ("stated-vic", None, False)
    assert proof.reason.startswith(reason) and world.asked == asked
    world.hold(proof)


def test_a_parent_without_a_function_of_the_crash_counts_as_clean() -> None:
    proof = stated(row("CAXXC"), 2, 4, report=BUG)
    assert proof.confirmed and proof.pvic == name(1)


@pytest.mark.parametrize(
    ("does", "report", "seen", "asked", "lost"),
    [
        ("CXXC", BUG, None, 3, ""),
        ("CXXC", ELSE, None, 4, ""),  # the report is of another build: what was fixed counts
        ("CXXC", ELSE, BUG, 3, ""),  # as it is stated beside the VIC
        ("CXOC", ELSE, None, 3, "stated-vic"),  # the VIC shows neither
    ],
)
def test_the_crash_is_the_reports_the_claims_or_that_before_the_fix(
    does: str,
    report: Mapping[str, Any],
    seen: Mapping[str, Any] | None,
    asked: int,
    lost: str,
) -> None:
    world = row(does)
    proof = stated(world, 1, 3, report=report, seen=seen)
    assert (proof.lost, len(world.asked)) == (lost, asked)
    assert not lost or proof.reason == (
        "the VIC 000000000001 crashes in another way: heap-buffer-overflow"
    )


@pytest.mark.parametrize(
    ("vic", "vfc", "pvic", "reason"),
    [
        (77, 4, 1, "proof.vic: 000000000077 is no commit here"),
        (2, 77, 1, "proof.vfc: 000000000077 is no commit here"),
        (2, 4, 0, "proof.pvic: 000000000002's first parent is 000000000001"),
        (4, 2, 3, "proof.vic: 000000000004 is not in the past of 000000000002"),
    ],
)
def test_commits_that_cannot_be_it_are_not_built(
    vic: int, vfc: int, pvic: int, reason: str
) -> None:
    world = row("CCXXC")
    proof = stated(world, vic, vfc, pvic)
    assert (proof.lost, proof.reason, world.asked) == ("stated-vic", reason, [])


def test_a_budget_that_is_too_small_is_told() -> None:
    proof = stated(row("CCXXC"), 2, 4, budget=BuildBudget(2))
    assert proof.lost == "budget" and "2 builds" in proof.reason


def test_neighbours_are_replayed_where_they_are_asked_for() -> None:
    world = row("CCXXC")
    proof = stated(world, 2, 4, neighbours=True)
    assert proof.confirmed and proof.neighbours == (name(3), name(0))
    assert world.asked == [4, 2, 1, 3, 0]
