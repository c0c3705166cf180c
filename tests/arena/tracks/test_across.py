"""Across the kinds: who avoids, mends and reproduces, of units that are really paired."""

from __future__ import annotations

import pytest

from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.tracks.repo.across import across_kinds, columns_of
from arena.tracks.repo.track import RepoTrack
from tasks.kinds import TaskKind

GOOD = {TaskKind.WRITE: "C&S", TaskKind.REPAIR: "C&S", TaskKind.REPRODUCE: "reproduced"}
BAD = {TaskKind.WRITE: "CV", TaskKind.REPAIR: "IC", TaskKind.REPRODUCE: "no crash"}
FACTS = {
    f"{case}-{kind}": TaskFacts(f"{case}-{kind}", details={"kind": str(kind), "case": case})
    for case in ("one", "two", "three", "four")
    for kind in TaskKind
}


def made(case: str, agent: str = "a", replicate: int = 0, **good: bool | None) -> list[Attempt]:
    """Attempts of kinds at a case: True is good, False is not, None has no label."""
    kinds = {"write": TaskKind.WRITE, "repair": TaskKind.REPAIR, "reproduce": TaskKind.REPRODUCE}
    return [
        Attempt(
            f"{case}-{name}-{agent}-{replicate}",
            "r",
            AttemptKey(f"{case}-{kinds[name]}", agent, replicate=replicate),
            label=None if well is None else (GOOD if well else BAD)[kinds[name]],
        )
        for name, well in good.items()
    ]


ALL = [
    *made("one", write=True, repair=True, reproduce=True),
    *made("two", write=False, repair=True, reproduce=True),
    *made("three", write=False, repair=True, reproduce=False),
    *made("four", write=True, repair=None, reproduce=False),
    *made("four", replicate=1, write=False),
]


def test_what_comes_together_is_counted_in_cases_that_have_all_three() -> None:
    _, together, _ = across_kinds(ALL, FACTS)
    (row,) = together.rows
    counted = dict(zip(together.columns, row, strict=True))
    assert counted["n"] == 3, "the fourth has no label in one kind"
    assert {
        name: count for name, count in counted.items() if count and name not in ("agent", "n")
    } == {
        "avoids, mends, reproduces": 1,
        "not avoids, mends, reproduces": 1,
        "not avoids, mends, not reproduces": 1,
    }


def test_shares_are_of_all_labelled_attempts_of_a_kind() -> None:
    shares, _, _ = across_kinds(ALL, FACTS)
    row = dict(zip(shares.columns, shares.rows[0], strict=True))
    assert row["avoids %"] == pytest.approx(40.0)
    assert row["mends %"] == pytest.approx(100.0)
    assert row["reproduces %"] == pytest.approx(50.0)
    assert row["end to end %"] is None


def test_differences_are_paired() -> None:
    _, _, differences = across_kinds(ALL, FACTS)
    rows = {row[1]: row for row in differences.rows}
    assert rows["avoids - mends"][2] == pytest.approx(-200 / 3)
    assert rows["avoids - mends"][4:7] == (0, 2, 3)
    assert rows["avoids - reproduces"][4:7] == (1, 1, 4)


def test_replicates_are_units_of_their_own_and_columns_stay_apart() -> None:
    found = columns_of([*ALL, *made("one", agent="b", write=True, repair=False)], FACTS)
    assert [column.name for column in found] == ["a", "b"]
    assert ("four", 1) in found[0].good["write"]
    assert found[1].shared_units(("write", "repair")) == [("one", 0)]


def test_one_kind_alone_has_no_such_table() -> None:
    assert across_kinds(made("one", write=True) + made("two", write=False), FACTS) == []
    assert across_kinds([], {}) == []
    assert len(RepoTrack.tables(ALL, FACTS)) == 3
