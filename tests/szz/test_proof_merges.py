"""A flip at a merge: the VIC is sought within the branches that it merged."""

from __future__ import annotations

from collections.abc import Sequence

from szz.proof.lineage import child_towards, joins, line_to, new_line
from tests.szz.synthetic import BRANCH, Graph, World, log2, name


def inheriting(
    parents: Sequence[Sequence[int]], vic: int, broken: dict[int, str] | None = None
) -> World:
    """A crash in each commit that contains `vic`, but for the last, which is the fix."""
    graph, last = Graph(parents), len(parents) - 1
    truth = [
        "X" if graph.is_ancestor(name(vic), name(n)) and n < last else "C" for n in range(last + 1)
    ]
    return World(graph, lambda n: (broken or {}).get(n, truth[n]))


def test_each_commit_of_a_branch_is_found() -> None:
    for vic in (3, 4, 5, 6):
        proof = inheriting(BRANCH, vic).prove([9])
        assert (proof.vic, proof.confirmed, proof.monotone) == (name(vic), True, True)


def test_the_merge_itself_when_its_branch_does_not_crash() -> None:
    assert inheriting(BRANCH, 7).prove([9]).vic == name(7)


def test_a_candidate_on_a_branch_is_tested_by_itself() -> None:
    world = inheriting(BRANCH, 4)
    assert world.prove([9], [4]).how == "b-szz" and world.asked == [9, 4, 3]
    several = inheriting(BRANCH, 4)
    assert several.prove([9], [3, 1, 4, 5, 2]).how == "candidates"
    assert several.asked == [9, 8, 5, 4, 3]


def test_neighbours_on_a_branch() -> None:
    assert inheriting(BRANCH, 4).prove([9], [4], neighbours=True).neighbours == (name(5), name(1))
    assert inheriting(BRANCH, 6).prove([9], [6], neighbours=True).neighbours == (name(7), name(4))


def test_a_branch_that_does_not_build_leaves_the_merge() -> None:
    world = inheriting(BRANCH, 4, {4: "B", 3: "U"})
    proof = world.prove([9])
    assert (proof.vic, proof.pvic, proof.confirmed) == (name(7), name(2), True)
    assert "stands for it" in proof.notes[0]


def test_a_branch_that_starts_from_a_crash_leaves_the_merge() -> None:
    # main was cured by 2, the wrong candidate, before the branch brought the crash of 1 back
    world = World(Graph(BRANCH), "CXCXXXXXXC".__getitem__)
    proof = world.prove([9], [2])
    assert (proof.vic, proof.confirmed, proof.monotone) == (name(7), True, False)


def test_an_octopus() -> None:
    # main 0 1 8 9 ; branches 1-2-3, 1-4-5, 1-6-7, all merged by 8
    octopus = [[], [0], [1], [2], [1], [4], [1], [6], [1, 3, 5, 7], [8], [9]]
    for vic in range(2, 9):
        assert inheriting(octopus, vic).prove([10]).vic == name(vic)
    flaky = inheriting(octopus, 7, {7: "U"}).prove([10])
    assert flaky.vic == name(8) and flaky.notes


def test_a_branch_that_had_merged_main_back() -> None:
    # main 0 1 2 3 8 9 ; branch 1-4-5(merges 3)-6-7 ; merged by 8 : main's 2 and 3 are not searched
    sync = [[], [0], [1], [2], [1], [4, 3], [5], [6], [3, 7], [8], [9]]
    for vic in (4, 5, 6, 7, 8):
        world = inheriting(sync, vic)
        assert world.prove([10]).vic == name(vic)
        assert not {2, 3} & set(world.asked[world.asked.index(8) :])


def test_a_merge_of_an_unrelated_history() -> None:
    assert inheriting([[], [0], [], [2], [1, 3], [4], [5]], 3).prove([6]).vic == name(3)
    rooted = inheriting([[], [0], [], [2], [1, 3], [4], [5]], 2).prove([6])
    assert rooted.vic == name(4) and "stands for it" in rooted.notes[0]


def test_a_branch_costs_no_more_than_its_commits_in_a_row() -> None:
    """Thirty-one merges of 31 commits each are nearly 1,000 commits: still twelve builds."""
    parents: list[list[int]] = [[]]
    for _ in range(31):
        main = len(parents) - 1
        parents += [[main]] + [[n] for n in range(main + 1, main + 31)]
        parents += [[main, len(parents) - 1]]
    parents += [[len(parents) - 1]]
    for vic in (1, 2, 31, 32, 33, 500, 512, 900, 991, 992):
        world = inheriting(parents, vic)
        assert world.prove([993]).vic == name(vic)
        assert len(world.asked) <= 2 + log2(1024)


def test_lines_through_a_history() -> None:
    graph = Graph(BRANCH)
    line = line_to(graph, name(8))
    assert line.commits == tuple(map(name, (0, 1, 2, 7, 8)))
    assert [joins(graph, line, name(n)) for n in (2, 4, 7, 9)] == [2, 3, 3, None]
    assert new_line(graph, name(6), [name(2)]).commits == tuple(map(name, (3, 4, 5, 6)))
    assert new_line(graph, name(1), [name(2)]).commits == ()
    assert child_towards(graph, name(2), name(4)) is None
    assert child_towards(graph, name(4), name(4)) is None


def test_what_a_clean_commit_contains_is_not_searched_from_within_a_branch() -> None:
    # main 0 .. 40 ; branch 1-41-42(merges 30)-43 ; merged by 44, the fix is 46; the merge 42 flips
    parents = [[n - 1] if n else [] for n in range(41)] + [
        [1],
        [41, 30],
        [42],
        [40, 43],
        [44],
        [45],
    ]
    world = inheriting(parents, 42)
    assert world.prove([46]).vic == name(42)
    assert not set(range(2, 41)) & set(world.asked[world.asked.index(44) + 1 :])


def test_the_branches_of_an_octopus_that_did_nothing_cost_one_build_each() -> None:
    # main 0 1 ; from 1 four branches of 32 commits, merged by 130 ; the fix is 132
    branches = [[1] if n % 32 == 2 else [n - 1] for n in range(2, 130)]
    parents = [[], [0], *branches, [1, 33, 65, 97, 129], [130], [131]]
    for vic in (2, 40, 100, 129):
        world = inheriting(parents, vic)
        assert world.prove([132], neighbours=True).vic == name(vic)
        assert len(world.asked) <= 2 + 2 + 4 + log2(32) + 2
    assert child_towards(Graph(parents), name(97), name(132)) == name(130)
    assert child_towards(Graph(parents), name(96), name(132)) == name(97)
