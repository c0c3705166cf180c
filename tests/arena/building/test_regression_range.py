"""What a report's range of revisions leaves of a history, and in which order a search asks it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building import confirm
from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Case
from arena.building.regression_range import order_candidates, taken_in
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from szz.repository import Repository
from tests.szz.conftest import Made, Maker, history  # noqa: F401 - a fixture
from tests.szz.synthetic import Graph, Row, World, flip_at, log2, name, row


def a_range(first: int, last: int) -> str:
    """From the noon of one day of a history to that of another."""
    stamps = (1_600_000_000 + 86_400 * day for day in (first, last))
    return ":".join(f"{datetime.fromtimestamp(stamp, UTC):%Y%m%d%H%M}" for stamp in stamps)


def daily(history: Maker, days: int) -> tuple[Repository, list[str]]:  # noqa: F811
    path, ids = history(*(Made({b"f.c": b"%d\n" % day}, day=day) for day in range(days)))
    return Repository(path), ids


def test_what_came_between_two_builds_and_a_day_before(history: Maker) -> None:  # noqa: F811
    repository, ids = daily(history, 12)
    with repository:
        # the range's minutes lose the seconds of the commits: day 7 ends before commit 7
        assert taken_in(repository, [ids[11]], a_range(5, 7)) == {*ids[4:7]}
        assert taken_in(repository, [ids[6]], a_range(5, 9)) == {*ids[4:6]}
        assert taken_in(repository, [ids[11], ids[3]], a_range(2, 3)) == {*ids[1:3]}
        assert taken_in(repository, [ids[11]], a_range(0, 2)) == {*ids[0:2]}


def test_a_branch_that_was_merged_meanwhile_came_with_its_merge(history: Maker) -> None:  # noqa: F811
    path, ids = history(
        Made({b"f.c": b"0"}, day=0),
        Made({b"f.c": b"1"}, day=1),
        Made({b"f.c": b"0", b"g.c": b"2"}, parents=[0], day=1),
        Made({b"f.c": b"1", b"g.c": b"2"}, parents=[1, 2], day=8),
        Made({b"f.c": b"4", b"g.c": b"2"}, day=9),
    )
    with Repository(path) as repository:
        assert taken_in(repository, [ids[4]], a_range(8, 10)) == {ids[2], ids[3]}


@pytest.mark.parametrize(
    "told",
    ["", "1:2", "209913990000:209913990000", "202001010000", "..", "202301010000:202301020000"],
)
def test_a_range_that_tells_nothing(history: Maker, told: str) -> None:  # noqa: F811
    repository, ids = daily(history, 3)
    with repository:
        assert taken_in(repository, [ids[2]], told) == frozenset()


def test_a_crash_that_came_with_the_fuzz_target_may_be_older(history: Maker) -> None:  # noqa: F811
    repository, ids = daily(history, 9)
    with repository:
        assert taken_in(repository, [ids[8]], a_range(4, 6), ids[4]) == frozenset()
        assert taken_in(repository, [ids[8]], a_range(4, 6), ids[2]) == {*ids[3:6]}


def skewed(history: Maker, *days: int) -> tuple[Repository, list[str]]:  # noqa: F811
    made = (Made({b"f.c": b"%d\n" % n}, day=day) for n, day in enumerate(days))
    path, ids = history(*made)
    return Repository(path), ids


def test_a_clock_that_is_slow_hides_nothing(history: Maker) -> None:  # noqa: F811
    repository, ids = skewed(history, *range(8), -300, 9, 10, 11)
    with repository:
        assert taken_in(repository, [ids[11]], a_range(5, 7)) == {*ids[4:7]}
        assert taken_in(repository, [ids[11]], a_range(7, 10)) == {*ids[6:10]}


def test_a_commit_that_has_a_day_by_mistake_takes_no_history_along(history: Maker) -> None:  # noqa: F811
    repository, ids = skewed(history, 5, *range(20, 40), 5, 41)
    with repository:
        assert taken_in(repository, [ids[22]], a_range(4, 6)) == {ids[0], ids[21]}


def test_neither_a_fix_nor_a_range_that_ends_before_it_begins(history: Maker) -> None:  # noqa: F811
    repository, ids = daily(history, 9)
    with repository:
        assert taken_in(repository, [ids[2], ids[4]], a_range(2, 5)) == {ids[1], ids[3]}
        assert taken_in(repository, [ids[8]], a_range(5, 4)) == frozenset()


def test_names_that_are_no_commits_are_passed_over(history: Maker) -> None:  # noqa: F811
    repository, ids = daily(history, 4)
    with repository:
        assert taken_in(repository, ["0" * 40, ids[0], ids[3]], a_range(1, 2)) == {ids[1]}


@given(st.text(max_size=30) | st.from_regex(r"\d{12}:\d{12}", fullmatch=True))
def test_whatever_a_report_says_is_a_range_or_nothing(told: str) -> None:
    assert taken_in(Repository.__new__(Repository), [], told) == frozenset()


def test_a_sole_candidate_is_asked_whatever_the_range_says() -> None:
    order = order_candidates(["old"], frozenset({"in", "beside"}), frozenset({"in", "far"}))
    assert (list(order.first), list(order.then)) == (["old"], [])
    assert list(order.dated) == [{"in"}, {"in", "beside"}]


def test_of_several_candidates_those_in_the_range_are_asked_and_none_passes_for_the_only_one() -> (
    None
):
    order = order_candidates(
        ["old", "in"], frozenset({"in", "beside"}), frozenset({"beside", "far"})
    )
    assert (list(order.first), list(order.then)) == (
        [],
        [("candidates", ["old"]), ("candidates", ["in"])],
    )
    assert list(order.dated) == [{"in"}, {"beside"}, {"in", "beside"}]


def test_without_a_range_nothing_changes() -> None:
    order = order_candidates(["old", "new"], frozenset(), frozenset({"far"}))
    assert (list(order.first), list(order.dated), list(order.then)) == (["old", "new"], [], [])


def asked_by(world: World, named: list[int], told: Iterable[int], touching: Iterable[int]) -> Proof:
    lots = [frozenset(map(name, numbers)) for numbers in (told, touching)]
    order = order_candidates([*map(name, named)], *lots)
    first = [int(commit[:12]) for commit in order.first]
    return world.prove(
        [len(world.graph.above) - 1],
        first,
        dated=order.dated,
        further=order.then,
        likely=order.likely,
    )


@pytest.mark.parametrize("vic", [1512, 1513, 1500, 1519])
def test_a_range_saves_the_builds_of_wrong_candidates_and_of_a_bisect(vic: int) -> None:
    touching = range(0, 3000, 7)
    world = flip_at(vic, 3000)
    proof = asked_by(world, [200, 2900], range(1500, 1520), touching)
    assert (proof.vic, proof.how) == (name(vic), "bisect")
    assert len(world.asked) <= 2 + 3 + 5
    without = flip_at(vic, 3000)
    without.prove([3000], [200, 2900], likely={name(n) for n in touching})
    assert len(world.asked) + 3 <= len(without.asked)


def test_a_range_that_is_wrong_costs_few_builds() -> None:
    world = flip_at(640, 3000)
    assert asked_by(world, [], range(1500, 1520), [1507]).vic == name(640)
    assert len(world.asked) <= 2 + 2 + 2 + 13


@given(st.integers(1, 299), st.sets(st.integers(0, 299)), st.sets(st.integers(0, 299)), st.data())
def test_whatever_a_report_says_the_flip_is_found(
    vic: int, told: set[int], touching: set[int], data: st.DataObject
) -> None:
    named = data.draw(st.lists(st.integers(0, 299), max_size=3, unique=True))
    world = flip_at(vic, 300)
    assert asked_by(world, named, told, touching).vic == name(vic)
    assert len(world.asked) <= 2 + 2 * 3 + 3 * (log2(300) + 2)


def test_what_a_wrong_range_leaves_is_asked_of_the_other_candidates() -> None:
    """Between the candidate and the range nothing builds, so that no bisect would come there."""
    world = World(
        Row(201), lambda n: "C" if n in (60, 200) else "X" if n == 61 or n >= 150 else "B"
    )
    named, told = [61, 20], range(160, 170)
    assert asked_by(world, named, told, told).vic == name(61)


def test_a_merge_in_the_range_is_searched_though_it_is_the_only_candidate_there() -> None:
    graph = Graph([[], [0], [0], [2], [1, 3], [4], [5]])
    world = World(graph, lambda n: "X" if n in (3, 4, 5) else "C")
    assert asked_by(world, [4, 1], [2, 3, 4], []).vic == name(3)


def test_another_crash_in_the_range_is_not_taken_for_this_one() -> None:
    proof = asked_by(row("COCXXC"), [1, 3], [1], [])
    assert (proof.vic, proof.same_signature) == (name(3), "yes")


@pytest.mark.parametrize("blind", [3, 1400, 1498, 1521, 1600, 2500])
def test_what_does_not_build_elsewhere_leaves_the_hope(blind: int) -> None:
    flips = flip_at(1512, 3000).does
    world = World(Row(3001), lambda n: "B" if n == blind else flips(n))
    proof = world.prove([3000], [blind], dated=[{name(n) for n in range(1500, 1520)}])
    assert proof.vic == name(1512)
    assert len(world.asked) <= 2 + 2 + 7


def test_a_confirmation_asks_what_the_report_tells(
    history: Maker,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository, ids = daily(history, 12)
    asked: dict[str, Any] = {}

    def prove(*given: Any, **options: Any) -> Proof:
        asked.update(options, first=given[2])
        return Proof()

    monkeypatch.setattr(confirm, "prove", prove)
    monkeypatch.setattr(confirm, "DatedRecipeWitness", lambda *_: Mock())
    facts = {
        "schema": 1,
        "id": "1",
        "project": "p",
        "repository": "r",
        "fix": (ids[11],),
        "oss_fuzz": {"regressed": a_range(5, 7)},
        "environment": {"image": "i", "build": "make"},
        "poc": {"command": "t {poc}", "file": "poc"},
    }
    (tmp_path / "poc").write_bytes(b"x")
    with repository:
        case = LoadedCase(tmp_path, Case.model_validate(facts), Path(repository.path))
        confirm.confirm(case, Mock(), Mock(), BuildBudget())
    assert (list(asked["first"]), asked["dated"][1]) == ([ids[10]], {*ids[4:7]})
