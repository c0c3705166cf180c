"""Which candidates are asked, in which order, and what is asked behind a find in doubt."""

from __future__ import annotations

import pytest

from szz.proof.witness import BuildBudget
from tests.szz.synthetic import (
    BRANCH,
    BUG,
    Graph,
    World,
    branch,
    days,
    doubt_all,
    flip_at,
    lots,
    name,
    row,
)


def test_candidates_are_left_when_they_cost_as_much_as_a_bisect() -> None:
    """Six builds for three wrong ones, and log2 of the 40 commits left is six: the right one is not asked."""
    world = flip_at(20, 64)
    proof = world.prove([64], [60, 50, 40, 20])
    assert (proof.vic, proof.how) == (name(20), "bisect")
    assert world.asked[:9] == [64, 63, 60, 59, 50, 49, 40, 39, 19]


def test_the_commits_left_count_from_the_newest_clean_one() -> None:
    world = flip_at(950, 1000)
    proof = world.prove([1000], [900], further=lots([990, 980, 970, 960, 950]))
    assert (proof.vic, proof.how) == (name(950), "bisect")
    assert world.asked[:11] == [1000, 900, 999, 990, 989, 980, 979, 970, 969, 960, 959]


def test_a_candidate_may_be_the_fixs_parent() -> None:
    world = row("CCXC")
    proof = world.prove([3], [0, 2])
    assert (proof.vic, proof.how, world.asked) == (name(2), "candidates", [3, 2, 1])


def test_candidates_newer_than_the_oldest_crash_are_passed_over() -> None:
    world = flip_at(300, 1000)
    proof = world.prove([1000], further=lots([700, 500], [600, 300]))
    assert (proof.vic, proof.how) == (name(300), "anchors")
    assert world.asked == [1000, 999, 700, 699, 500, 499, 300, 299]


def test_what_a_clean_merge_contains_is_not_asked() -> None:
    world = World(Graph([*BRANCH, [9], [10]]), "CCCCCCCCXXXC".__getitem__)
    proof = world.prove([11], [7, 5])
    assert (proof.vic, proof.how, world.asked) == (name(8), "bisect", [11, 10, 7, 8])


def test_candidates_are_sorted_by_when_they_joined_the_line() -> None:
    """1 is on a branch that 5 merged, after 2 and 3."""
    world = World(Graph([[], [0], [0], [2], [3], [4, 1], [5], [6]]), "CCCXXXXC".__getitem__)
    proof = world.prove([7], [3, 1])
    assert (proof.vic, proof.how, world.asked) == (name(3), "candidates", [7, 6, 1, 3, 2])


def test_a_merge_among_several_candidates_is_left_to_the_bisect() -> None:
    world = branch("CCCCXXXXXC")
    proof = world.prove([9], [7, 1])
    assert (proof.vic, proof.how, proof.notes) == (name(4), "bisect", ())


def test_days_without_the_flip_leave_it_to_further_candidates() -> None:
    world = flip_at(950, 1000)
    proof = world.prove([1000], dated=days(900, 901), further=lots([950]))
    assert (proof.vic, proof.how) == (name(950), "anchors")
    assert world.asked == [1000, 999, 901, 950, 949]


@pytest.mark.parametrize(
    ("text", "dated", "lost"), [("XXXC", 0, "no-safe-ancestor"), ("CCOXXC", 3, "other-crash")]
)
def test_days_that_end_at_no_clean_commit_prove_nothing(text: str, dated: int, lost: str) -> None:
    proof = row(text).prove([len(text) - 1], dated=days(dated))
    assert (proof.vic, proof.lost) == (None, lost)


def test_a_candidate_that_the_first_fuzz_targets_merge_contains_is_not_too_old() -> None:
    """8 merges 6 and 7 and has the fuzz target first; 1 to 5 do not build."""
    parents = [[], [0], [1], [2], [3], [4], [0], [6], [5, 7], [8], [9]]
    world = World(Graph(parents), "CBBBBBCXXXC".__getitem__)
    proof = world.prove([10], [2, 1], oldest=name(8), further=lots([7]))
    assert (proof.vic, proof.how, world.asked) == (name(7), "anchors", [10, 9, 2, 5, 7, 6])


def test_a_first_fuzz_target_that_does_not_build_makes_no_candidate_too_old() -> None:
    world = row("BBCXXBXXC")
    proof = world.prove([8], [5, 3], oldest=name(5))
    assert (proof.vic, proof.how, world.asked) == (name(3), "candidates", [8, 7, 5, 3, 2])


# The crash comes with 3, with 10 and with 80; the fix is 100.
TWICE = "CCCXXC" + "C" * 4 + "XXX" + "C" * 67 + "X" * 20 + "C"


@pytest.mark.parametrize(
    ("further", "vic"),
    [
        ([], 80),
        ([[90, 3]], 3),
        ([[3, 10]], 10),  # the newest first
        ([[3], [10]], 3),  # lot by lot
        ([[1, 2, 4]], 80),  # none that does not flip
        ([[80]], 80),  # the bisected commit is not behind itself
        ([[0], [79, 70, 60, 3]], 3),  # neither a root nor what is clean already takes a turn
        ([[70, 60, 50, 3]], 80),  # three at most
        ([[4], [4], [4], [4], [4], [3]], 3),  # each takes one turn
    ],
)
def test_behind_a_find_in_doubt(further: list[list[int]], vic: int) -> None:
    proof = row(TWICE).prove([100], dated=days(79, 80), further=lots(*further), doubts=doubt_all)
    expected = ("bisect", "") if vic == 80 else ("anchors", name(80))
    assert (proof.vic, proof.how, proof.again) == (name(vic), *expected)


@pytest.mark.parametrize(
    ("text", "further", "vic"),
    [
        ("CXXCCCXXC", [1, 2], 1),  # 1 joined the line later than 2
        ("CXCCCCXXC", [1], 1),
        ("CCCCXCXXC", [4], 6),  # a merge that flips
    ],
)
def test_behind_a_find_in_doubt_by_when_they_joined(
    text: str, further: list[int], vic: int
) -> None:
    """main: 0 2 3 4 5 6 7 8, of which 4 merges 1; the crash comes again with 6."""
    world = World(Graph([[], [0], [0], [2], [3, 1], [4], [5], [6], [7]]), text.__getitem__)
    proof = world.prove([8], dated=days(5, 6), further=lots(further), doubts=doubt_all)
    assert (proof.vic, proof.again) == (name(vic), "" if vic == 6 else name(6))


def test_a_branch_merged_right_before_a_find_in_doubt_is_behind_it() -> None:
    """main: 0 2 3 4 5 6, of which 3 merges 1; the crash comes again with 4."""
    world = World(Graph([[], [0], [0], [2, 1], [3], [4], [5]]), "CXCCXXC".__getitem__)
    proof = world.prove([6], dated=days(3, 4), further=lots([1]), doubts=doubt_all)
    assert (proof.vic, proof.again) == (name(1), name(4))


def test_a_crash_below_a_clean_commit_is_asked_about_again() -> None:
    """3 crashed as 4's parent, before 5 turned out clean."""
    further = [*lots([1, 0]), *lots([3], how="beneath")]
    world = row("BBCXXCXC")
    proof = world.prove([7], [4], BUG, further=further, oldest=name(6), doubts=doubt_all)
    assert (proof.vic, proof.how, proof.again) == (name(3), "beneath", name(6))
    assert world.asked == [7, 4, 3, 1, 5, 0, 6, 2]


def test_behind_a_find_in_doubt_the_first_candidates_go_first() -> None:
    proof = row("CXCXCCCCXXC").prove(
        [10], [6, 3], dated=days(7, 8), further=lots([1]), doubts=doubt_all
    )
    assert (proof.vic, proof.how, proof.again) == (name(3), "candidates", name(8))


def test_another_crash_bounds_what_is_left_until_it_is_looked_behind() -> None:
    proof = row("CXOOOOOOXXXC").prove([11], budget=BuildBudget(4))
    assert (proof.lost, proof.gap, proof.clean, proof.crash) == ("budget", 2, name(7), name(10))
