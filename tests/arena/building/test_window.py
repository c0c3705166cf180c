"""What a report's range of revisions leaves of a history, and in which order a search asks it."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building import confirm
from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Case
from arena.building.window import in_order, taken_in
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from szz.repository import Repository
from tests.szz.conftest import Made, Maker, history  # noqa: F401 - a fixture
from tests.szz.synthetic import Row, World, flip_at, name


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


def test_names_that_are_no_commits_are_passed_over(history: Maker) -> None:  # noqa: F811
    repository, ids = daily(history, 4)
    with repository:
        assert taken_in(repository, ["0" * 40, ids[0], ids[3]], a_range(1, 2)) == {*ids[0:2]}


@given(st.text(max_size=30) | st.from_regex(r"\d{12}:\d{12}", fullmatch=True))
def test_whatever_a_report_says_is_a_range_or_nothing(told: str) -> None:
    assert taken_in(Repository.__new__(Repository), [], told) == frozenset()


def test_candidates_in_the_range_are_asked_before_all_else() -> None:
    order = in_order(["old", "in"], frozenset({"in", "beside"}), frozenset({"in", "beside", "far"}))
    assert list(order.first) == ["in"]
    assert list(order.then) == [("regressed", ["beside", "in"]), ("candidates", ["old"])]
    assert list(order.likely) == [{"in", "beside"}, {"in", "beside", "far"}]


def test_without_a_range_nothing_changes() -> None:
    order = in_order(["old"], frozenset(), frozenset({"far"}))
    assert (list(order.first), list(order.then)) == (["old"], [])
    assert list(order.likely) == [{"far"}]


def test_a_range_saves_the_builds_of_a_wrong_candidate_and_of_a_bisect() -> None:
    told = frozenset(name(n) for n in range(1500, 1520))
    touching = frozenset(name(n) for n in range(0, 3000, 7))
    order = in_order([name(200)], told, touching)
    world = flip_at(1513, 3000)
    proof = world.prove([3000], further=order.then, likely=order.likely)
    assert (proof.vic, proof.how) == (name(1513), "bisect")
    with_range = len(world.asked)
    world = flip_at(1513, 3000)
    world.prove([3000], [200], likely=[touching])
    assert with_range <= 2 + 6 + 5 < len(world.asked)


def test_a_range_that_is_wrong_costs_few_builds() -> None:
    told = frozenset(name(n) for n in range(1500, 1520))
    order = in_order([], told, frozenset({name(1507)}))
    world = flip_at(640, 3000)
    assert world.prove([3000], further=order.then, likely=order.likely).vic == name(640)
    assert len(world.asked) <= 2 + 2 + 6 + 13


@pytest.mark.parametrize("blind", [3, 700])
def test_what_does_not_build_elsewhere_leaves_the_hope(blind: int) -> None:
    flips = flip_at(1512, 3000).does
    world = World(Row(3001), lambda n: "B" if n == blind else flips(n))
    proof = world.prove([3000], [blind], likely=[{name(n) for n in range(1500, 1520)}])
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
    monkeypatch.setattr(confirm, "furnished", lambda case, *_: case)
    monkeypatch.setattr(confirm, "SandboxWitness", lambda *_: nullcontext(Mock()))
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
    assert (list(asked["first"]), asked["likely"][0]) == ([], {*ids[4:7]})
    lots = [*islice(asked["further"], 2)]
    assert lots == [("regressed", sorted(ids[4:7])), ("candidates", [ids[10]])]
