"""Which tests differ with other values, and other values for the tiny task's, found by running gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.building.oracle import other_values as building
from arena.building.oracle.other_values import NoOtherValues, search_other_values
from arena.building.oracle.trials import COMPLETE, STATUS, unlike
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend
from parsers.outcomes import Level, Outcome, TestReport
from tasks.loader import load_pack
from tasks.other_values import OtherValues
from tests.mini import BASE, END, MORE_SH, RUN_SH, TASK, VFC, VIC, Mini

VALUES = OtherValues({"tests/a.c": {"abc": "xyz"}})
SUITE: dict[str, Any] = {
    "outcomes": {"reads abc": "passed", "reads b": "passed", "reads c": "failed"},
    "status": 0,
    "complete": True,
}


def broken(outcomes: dict[str, str], status: int = 0, complete: bool = True) -> frozenset[str]:
    hows = {name: Outcome(how) for name, how in outcomes.items()}
    report = TestReport(hows, Level.CASES, complete, ())
    return unlike(SUITE, report, status, VALUES)


def test_a_test_may_have_its_name_from_a_literal() -> None:
    assert broken(SUITE["outcomes"]) == set()
    assert broken({"reads xyz": "passed", "reads b": "passed", "reads c": "failed"}) == set()


def test_an_outcome_that_is_not_golds_differs() -> None:
    assert broken({**SUITE["outcomes"], "reads c": "passed"}) == {"reads c"}
    assert broken({"reads xyz": "failed", "reads b": "passed", "reads c": "failed"}) == {
        "reads abc"
    }
    assert broken({"reads abc": "passed", "reads c": "failed"}) == {"reads b"}


def test_status_and_report_count_where_no_test_differs() -> None:
    assert broken(SUITE["outcomes"], status=1) == {STATUS}
    assert broken(SUITE["outcomes"], complete=False) == {COMPLETE}
    assert broken({}, status=1, complete=False) == {*SUITE["outcomes"]}


LITERALS = """\
check "upper word" "upper" "abc" "ABC"
check "twice word" "twice" "server" "serverserver"
check "unknown" "other" "server" ""
check "number" "twice" "80" "8080"
"""


@pytest.fixture
def pack(tmp_path: Path) -> Mini:
    run_sh = RUN_SH + MORE_SH + LITERALS + END
    steps = [BASE, {**VIC, "tests/run.sh": run_sh}, {**VFC, "tests/run.sh": run_sh}]
    return Mini(tmp_path, steps, TASK)


@pytest.mark.slow
@pytest.mark.local
def test_words_that_mean_something_to_the_product_stay(pack: Mini, local: Backend) -> None:
    (task,) = load_pack(pack.folder).tasks
    found = search_other_values(local, task, MemoryCache())
    (pairs,) = found.values.files.values()
    assert {"server", "serverserver"} <= pairs.keys()
    assert not {"upper", "twice", "abc", "ABC"} & pairs.keys()
    assert pairs["serverserver"] == pairs["server"] * 2
    assert found.tests == 8


@pytest.mark.slow
@pytest.mark.local
def test_a_suite_without_literals_has_none(local: Backend, tmp_path: Path) -> None:
    run_sh = "if [ $(./build/tool twice abc) = abcabc ]; then echo ok 1 - it; fi; echo 1..1"
    steps = [{**files, "tests/run.sh": run_sh} for files in (BASE, VIC, VFC)]
    (task,) = load_pack(Mini(tmp_path, steps).folder).tasks
    with pytest.raises(NoOtherValues, match="no word of its tests' literals may be replaced"):
        search_other_values(local, task, MemoryCache())


def test_a_slow_suite_gets_fewer_runs() -> None:
    assert building._affordable_runs(900, 30, 3) == 87
    assert building._affordable_runs(900, 1200, 3) <= 0
