"""A list of fixes: the first that no longer crashes, while its parent does, is the VFC."""

from __future__ import annotations

import random

import pytest

from tests.szz.synthetic import Graph, World, flip_at, log2, name, row


@pytest.mark.parametrize("seed", range(6))
def test_the_fix_in_a_range_in_any_order(seed: int) -> None:
    shuffled = list(range(100, 157))
    random.Random(seed).shuffle(shuffled)
    vfc = 100 + 9 * seed
    world = flip_at(60, vfc)
    world.graph = type(world.graph)(200)
    proof = world.prove(shuffled, [60])
    assert (proof.vfc, proof.vic, proof.how) == (name(vfc), name(60), "b-szz")
    assert len(world.asked) <= 1 + log2(58) + 2


def test_fixes_that_still_crash_are_passed() -> None:
    assert row("CXXXXCC").prove([3, 6, 5]).vfc == name(5)


def test_a_fix_made_by_a_commit_that_is_not_listed() -> None:
    proof = row("CXXXCCC").prove([2, 6])
    assert proof.lost == "not-reproduced" and name(5)[:12] in proof.reason


def test_no_fix_of_the_list_fixes() -> None:
    proof = row("CXXXX").prove([3, 4])
    assert proof.lost == "fix-crashes" and proof.vfc is None


def test_the_fix_is_hidden_in_commits_that_do_not_build() -> None:
    assert row("CXXBC").prove([2, 3, 4]).lost == "parent-unbuilt"


def test_unknown_and_root_fixes_in_a_list_are_left_out() -> None:
    proof = row("CXXC").prove([99, 0, 3], [1])
    assert proof.confirmed and proof.vfc == name(3) and len(proof.notes) == 2


def test_fixes_on_two_lines_are_both_tried() -> None:
    # 0 C - 1 X - 2 X - 3 C(fix)      and a release branch that the fix never reached: 2 - 4 X - 5 X
    graph = Graph([[], [0], [1], [2], [2], [4]])
    world = World(graph, "CXXCXX".__getitem__)
    proof = world.prove([5, 3])
    assert (proof.vfc, proof.vic) == (name(3), name(1)) and "crashes with the PoC" in proof.notes[
        -1
    ]
    assert World(graph, "CXXXXX".__getitem__).prove([5, 3]).lost == "fix-crashes"


def test_the_last_of_fixes_that_do_not_help_gives_the_reason() -> None:
    assert row("CXBX").prove([2, 3]).lost == "fix-crashes"
    assert row("CXXB").prove([2, 3]).lost == "fix-unbuilt"
