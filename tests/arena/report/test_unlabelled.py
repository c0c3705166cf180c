"""An agent that ends without a label more often than chance explains is told."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from arena.report.board.data import board
from arena.report.statistics import fisher
from arena.report.unlabelled import list_unlabelled, warnings
from tests.arena.conftest import Arena, finish
from tests.arena.report.made import row, rows

OK, LOST = "C&S", None


def some(agent: str, good: int, lost: int) -> list[list[str | None]]:
    return [[label] for label in (*[OK] * good, *[LOST] * lost)]


@pytest.mark.parametrize(
    "table",
    [(3, 1, 1, 3), (4, 0, 0, 4), (0, 5, 0, 9), (0, 5, 3, 9), (8, 2, 1, 5), (50, 950, 400, 8_600)],
)
def test_fisher(table: tuple[int, int, int, int]) -> None:
    a, b, c, d = table
    ways = [comb(a + b, k) * comb(c + d, a + c - k) for k in range(a, min(a + b, a + c) + 1)]
    assert fisher(*table) == pytest.approx(Fraction(sum(ways), comb(a + b + c + d, a + c)))


def test_an_agent_with_more_than_the_others_is_told() -> None:
    found = [*rows("sly", some("sly", 4, 6)), *rows("fair", some("fair", 38, 2))]
    fair, sly = list_unlabelled(found)
    assert (sly.agent, sly.ended, sly.unlabelled, sly.others, sly.more) == ("sly", 10, 6, (2, 40), True)  # fmt: skip
    assert (fair.more, fair.warning) == (False, "")
    (line,) = warnings(found)
    assert line.startswith(
        "sly (repo): 6 of 10 attempts ended without a label, 2 of 40 of the other"
    )
    assert board(found, [], live=False)["warnings"] == [line]


def test_faults_that_all_meet_alike_are_the_machines() -> None:
    assert not warnings([*rows("a", some("a", 30, 4)), *rows("b", some("b", 30, 5))])
    assert not warnings(rows("alone", some("alone", 0, 9)))


def test_the_level_is_shared_among_the_agents_that_are_looked_at() -> None:
    """Of twenty agents one has more by chance."""
    pair = [*rows("a", some("a", 3, 3)), *rows("b", some("b", 60, 5))]
    assert warnings(pair)
    crowd = [one for n in range(20) for one in rows(f"c{n}", some("c", 3, 0))]
    found = list_unlabelled([*pair, *crowd])[0]
    assert found.p is not None and 0.05 / 22 < found.p < 0.05 / 2 and not found.more


def test_what_is_open_or_was_cancelled_did_not_end() -> None:
    assert not list_unlabelled([row(None, health=""), row(None, health="cancelled")])


def test_a_name_holds_no_escapes() -> None:
    found = [*rows("a\x1b[2J", some("a", 0, 9)), *rows("b", some("b", 40, 0))]
    assert warnings(found) and "\x1b" not in warnings(found)[0]


@pytest.mark.slow
def test_reports_tell_it(arena: Arena) -> None:
    from arena.store.store import AttemptKey, Store, attempt_id
    from harness.grade.verdict import Label

    store = Store()
    keys = {(a, n): AttemptKey(f"t{n}", a) for a in ("sly", "fair") for n in range(12)}
    run = store.open_run("starter", keys.values(), {})
    for (agent, number), key in keys.items():
        lost = agent == "sly" and number < 9
        finish(store, attempt_id(run, key), None if lost else Label.SECURE)
    found = arena("report", run, "--json").json
    assert [one["unlabelled"] for one in found["unlabelled"]] == [0, 9]
    assert len(found["warnings"]) == 1
    assert "warning: sly (repo): 9 of 12 attempts" in arena("report", run).err
    assert "\nWarning: sly (repo): 9 of 12" in arena("report", run, "--md").out
