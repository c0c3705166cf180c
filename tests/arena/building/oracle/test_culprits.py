"""Bisection of changes that break tests, with a runner that knows which break what."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.oracle.culprits import Broken, leave_out_culprits


class Runner:
    """Breaks test `t<n>` when all changes of rule n are there, none when `mended` is there too."""

    def __init__(self, rules: Sequence[frozenset[int]]) -> None:
        self.rules, self.runs = rules, 0

    def find_broken(self, changes: list[int]) -> Broken:
        self.runs += 1
        return frozenset(f"t{n}" for n, rule in enumerate(self.rules) if rule <= {*changes})


def left(
    groups: list[list[int]], rules: list[set[int]], max_runs: int = 1000
) -> tuple[list[int], int]:
    runner = Runner([frozenset(rule) for rule in rules])
    return leave_out_culprits(groups, runner.find_broken, max_runs), runner.runs


@pytest.mark.parametrize(
    ("groups", "rules", "expected"),
    [
        ([], [], []),
        ([[]], [], []),
        ([[1, 2, 3]], [], [1, 2, 3]),
        ([[1, 2, 3, 4]], [{3}], [1, 2, 4]),
        ([[1, 2, 3, 4]], [{1}, {2}, {3}, {4}], []),
        ([[1, 2, 3, 4], [5, 6]], [{2}, {6}], [1, 3, 4, 5]),
        ([[1, 2, 3, 4, 5, 6, 7, 8]], [{3}, {7}], [1, 2, 4, 5, 6, 8]),
    ],
)
def test_what_breaks_a_test_alone_is_left_out_and_all_else_stays(
    groups: list[list[int]], rules: list[set[int]], expected: list[int]
) -> None:
    assert sorted(left(groups, rules)[0]) == expected


def test_of_a_pair_that_breaks_a_test_together_one_stays() -> None:
    found, _ = left([[1, 2, 3, 4, 5, 6]], [{2, 5}])
    assert len(found) == 5 and {1, 3, 4, 6} < {*found}


def test_of_groups_that_break_a_test_only_together_one_stays() -> None:
    assert left([[1, 2], [3]], [{1, 3}])[0] == [1, 2]


def test_a_single_culprit_of_many_takes_few_runs() -> None:
    found, runs = left([[*range(64)]], [{41}])
    assert sorted(found) == [n for n in range(64) if n != 41]
    assert runs <= 2 + 2 * 6 + 1


def test_groups_are_searched_in_the_same_runs() -> None:
    groups = [[*range(n, n + 16)] for n in range(0, 160, 16)]
    _, runs = left(groups, [{group[5]} for group in groups])
    _, of_one = left(groups[:1], [{5}])
    assert runs <= of_one + len(groups)


@pytest.mark.parametrize("max_runs", range(12))
def test_where_the_runs_end_what_was_shown_to_be_harmless_is_taken(max_runs: int) -> None:
    found, runs = left([[*range(16)]], [{3}, {12}], max_runs)
    assert not {3, 12} & {*found}
    assert runs <= 2 * max_runs + 2


def test_changes_that_break_one_test_each_by_itself_are_left_out() -> None:
    """To leave out only one of them mends nothing."""

    def find_broken(changes: list[int]) -> Broken:
        return frozenset({"t"} if {1, 6} & {*changes} else ())

    groups = [[1, 2, 3, 4, 5, 6, 7, 8], [9]]
    assert sorted(leave_out_culprits(groups, find_broken, 1000)) == [2, 3, 4, 5, 7, 8, 9]
    sizes = [len(leave_out_culprits(groups, find_broken, runs)) for runs in range(40)]
    assert sizes == sorted(sizes), "more runs never leave less"


def test_a_part_that_breaks_a_test_of_which_its_search_knew_nothing_is_not_lost() -> None:
    """`x` passes with all changes, and not with 1 alone once 4 is left out because of `c`."""

    def find_broken(changes: list[int]) -> Broken:
        there = {*changes}
        return frozenset(["c"] * (4 in there) + ["x"] * (len({1, 4} & there) == 1))

    found = leave_out_culprits([[1, 2, 3, 4], [5]], find_broken, 1000)
    assert sorted(found) == [2, 3, 5]


RULES = st.lists(st.sets(st.integers(0, 11), min_size=1, max_size=3), max_size=6)


@given(st.integers(1, 11), RULES, st.integers(0, 60))
def test_what_is_left_breaks_no_test(border: int, rules: list[set[int]], max_runs: int) -> None:
    groups = [[*range(border)], [*range(border, 12)]]
    found, runs = left(groups, rules, max_runs)
    assert not any(rule <= {*found} for rule in rules)
    assert runs <= 2 * max_runs + 2
    assert len(found) == len({*found}), "none twice"
