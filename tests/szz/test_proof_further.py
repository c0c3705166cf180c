"""What is tried between the first candidates and a bisect, and where a bisect looks first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from szz.proof.probe import likely_probe
from szz.proof.result import How
from tests.szz.synthetic import (
    BUG,
    Graph,
    Row,
    World,
    days,
    doubt_all,
    flip_at,
    log2,
    lots,
    name,
    row,
)


def test_a_fix_without_candidates_is_settled_by_its_anchors_in_four_builds() -> None:
    world = flip_at(494, 500)
    proof = world.prove([500], further=[*lots([], how="all-files"), *lots([494, 12])])
    assert (proof.vic, proof.how, len(world.asked)) == (name(494), "anchors", 4)


@pytest.mark.parametrize(
    ("candidates", "dated", "how"), [([400], [], "b-szz"), ([], days(399, 400), "bisect")]
)
def test_further_candidates_are_not_asked_for_when_what_comes_first_holds(
    candidates: list[int], dated: list[set[str]], how: How
) -> None:
    def never() -> Iterator[tuple[How, list[str]]]:
        raise AssertionError("asked for")
        yield

    proof = flip_at(400, 1000).prove([1000], candidates, dated=dated, further=never())
    assert (proof.vic, proof.how) == (name(400), how)


def test_a_wrong_first_candidate_is_followed_by_the_next_lot() -> None:
    world = flip_at(300, 1000)
    proof = world.prove([1000], [900], further=lots([300, 900], how="all-files"))
    assert (proof.vic, proof.how) == (name(300), "all-files")
    assert world.asked.count(900) == 1


def test_all_lots_together_cost_no_more_than_a_bisect() -> None:
    world = flip_at(1, 1000)
    wrong = [[n, n - 100] for n in range(990, 500, -10)]
    proof = world.prove([1000], further=lots(*wrong))
    assert (proof.vic, proof.how) == (name(1), "bisect")
    assert len(world.asked) <= 2 + 2 * log2(1000) + 2


@pytest.mark.slow
@pytest.mark.parametrize("vic", [7, 1500, 2993])
def test_a_bisect_finds_a_likely_commit_sooner(vic: int) -> None:
    likely = {7, 100, 1500, 2900, 2993}
    world = flip_at(vic, 3000)
    proof = world.prove([3000], likely={name(n) for n in likely})
    assert (proof.vic, proof.how) == (name(vic), "bisect")
    assert len(world.asked) <= 2 + 3 + 1


def test_a_flip_elsewhere_than_hoped_is_found_as_well() -> None:
    world = flip_at(640, 1000)
    assert world.prove([1000], likely={name(3), name(990)}).vic == name(640)


def test_a_likely_commit_that_does_not_build_ends_the_hope() -> None:
    world = row("CCCCXBXXXXXC")
    assert world.prove([11], likely={name(5), name(4)}).vic == name(4)


@given(st.integers(1, 300), st.sets(st.integers(0, 299)))
def test_whatever_is_hoped_the_flip_is_found(vic: int, hoped: set[int]) -> None:
    world = flip_at(min(vic, 299), 300)
    proof = world.prove([300], likely={name(n) for n in hoped})
    assert proof.vic == name(min(vic, 299))
    assert len(world.asked) <= 2 + 2 * (log2(300) + 2)


def test_nothing_is_hoped_of_a_lot_in_which_something_could_not_be_judged() -> None:
    assert likely_probe(0, 10, [], [5]) == 5
    assert likely_probe(0, 10, [7], [5]) == 5
    assert likely_probe(0, 10, [4], [5]) is None
    assert likely_probe(0, 10, [5], [4, 6]) is None
    assert likely_probe(5, 10, [], [10]) == 9
    assert likely_probe(9, 10, [], [10]) is None


def test_a_crash_as_old_as_the_fuzz_target_is_lost_soon_and_with_that_reason() -> None:
    world = World(Row(3001), lambda n: "C" if n == 3000 else "X" if n >= 2000 else "B")
    proof = world.prove([3000], oldest=name(2000))
    assert (proof.lost, world.asked) == ("before-the-harness", [3000, 2999, 2000, 1999])
    assert "the first with the fuzz target" in proof.reason


def test_candidates_older_than_the_fuzz_target_are_left_once_nothing_so_old_builds() -> None:
    world = World(Row(3001), lambda n: "C" if n == 3000 else "X" if n >= 2000 else "B")
    old = [1500, 1200, 900, 600, 300]
    proof = world.prove([3000], old, oldest=name(2000), further=lots([1000, 700]))
    assert proof.lost == "before-the-harness"
    assert world.asked == [3000, 2999, 1500, 1999, 2000]


@pytest.mark.parametrize("dead", [1500, 1999])
def test_one_that_builds_with_a_later_fuzz_target_is_still_found(dead: int) -> None:
    """Where only the candidate does not build, or only what is right before the fuzz target."""
    world = World(Row(3001), lambda n: "C" if n == 3000 or n < 900 else "B" if n == dead else "X")
    proof = world.prove([3000], [1500, 900], oldest=name(2000))
    assert (proof.vic, proof.how) == (name(900), "candidates")


@pytest.mark.parametrize("vic", [1, 700, 1999, 2000, 2001, 2998])
def test_the_fuzz_targets_age_costs_two_builds_at_most(vic: int) -> None:
    world = flip_at(vic, 3000)
    proof = world.prove([3000], oldest=name(2000))
    assert (proof.vic, proof.how) == (name(vic), "bisect")
    assert len(world.asked) <= 2 + log2(3000) + 2


def test_a_target_that_never_built_where_it_begins_is_no_end() -> None:
    world = World(Row(3001), lambda n: "C" if n in (2500, 3000) else "X" if n > 2500 else "B")
    proof = world.prove([3000], oldest=name(2000))
    assert proof.vic == name(2501)


def hidden() -> World:
    """The crash comes with 3, is hidden by 5, is let through again by 80, and is mended by 100."""
    return World(Row(101), lambda n: "X" if n in (3, 4) or 80 <= n < 100 else "C")


def test_a_hidden_crash_is_followed_to_an_older_candidate_than_a_clean_one() -> None:
    proof = hidden().prove([100], further=lots([60, 3]), doubts=doubt_all)
    assert (proof.vic, proof.how) == (name(3), "anchors")


@pytest.mark.parametrize(("text", "named", "vic"), [("CCXCXOXC", [4, 5], 2), ("CXUOXC", [3, 1], 1)])
def test_behind_another_crash_only_older_ones_are_asked(
    text: str, named: list[int], vic: int
) -> None:
    late = lots(named)
    proof = row(text).prove([len(text) - 1], stated=BUG, further=late, doubts=doubt_all)
    assert (proof.vic, proof.how, proof.again) == (name(vic), "bisect", "")


def test_one_that_the_bisected_does_not_contain_is_not_beneath_it() -> None:
    """10 is on another branch than 21, the VIC that a merge brought in."""
    graph = Graph([[], *([n] for n in range(20)), [0], [20, 21], [22]])
    world = World(graph, lambda n: "X" if n in (10, 21, 22) else "C")
    late = lots([10])
    proof = world.prove([23], dated=days(20, 22), further=late, doubts=doubt_all)
    assert (proof.vic, proof.again) == (name(21), "")


@pytest.mark.parametrize("text", ["CXAC", "CCXAC", "CXXAC"])
def test_a_fixs_parent_that_lacks_what_crashes_shows_nothing(text: str) -> None:
    assert row(text).prove([len(text) - 1]).lost == "parent-unbuilt"


def test_a_bisected_find_without_doubt_is_believed() -> None:
    world = hidden()
    late = lots([3])
    proof = world.prove(
        [100], dated=days(79, 80, 90), further=late, doubts=lambda seen: seen.commit != name(80)
    )
    assert (proof.vic, proof.how, 3 in world.asked) == (name(80), "bisect", False)
