"""Places whose third word makes a test fail: which are tried, which count, and those of the tiny task."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from arena.building.oracle.mismatches import find_newly_failing, list_places
from arena.building.oracle.other_values import NoOtherValues, search_mismatches
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend
from parsers.outcomes import Level, Outcome, TestReport
from tasks.loader import load_pack
from tasks.other_values import FILE, OtherValues, write
from tests.mini import BASE, END, MORE_SH, RUN_SH, TASK, VFC, VIC, Mini

CONTENTS = {"a.c": b'f("abc", "no", "abc9");', "b.c": b'g("abc"); g("XYZ"); g("abc");'}
VALUES = OtherValues(
    {"a.c": {"abc": "fgh", "no": "ts", "abc9": "fgh8"}, "b.c": {"abc": "fgh", "XYZ": "QRS"}}
)


def test_places_are_of_replaced_words_that_end_with_a_letter_each_file_in_turn() -> None:
    places = list(list_places(CONTENTS, VALUES, {"fga"}, Random(1)))
    assert sorted(places) == [
        ("a.c", 3, "fgb"),
        ("b.c", 3, "fgb"),
        ("b.c", 13, "QRA"),
        ("b.c", 23, "fgb"),
    ]
    assert {path for path, _, _ in places[:2]} == {"a.c", "b.c"}
    assert list(list_places(CONTENTS, VALUES, {"fga"}, Random(1))) == places


def report(complete: bool = True, **outcomes: str) -> TestReport:
    hows = {name: Outcome(how) for name, how in outcomes.items()}
    return TestReport(hows, Level.CASES, complete, ())


BEFORE = report(a="passed", b="passed", c="failed", d="passed", e="passed")


@pytest.mark.parametrize(
    ("after", "failing"),
    [
        (BEFORE, []),
        (report(a="failed", b="passed", c="failed", d="passed", e="passed"), ["a"]),
        (report(a="failed", b="error", c="failed", d="passed", e="passed"), ["a", "b"]),
        (report(a="failed", b="failed", c="failed", d="failed", e="failed"), []),
        (report(a="failed", b="skipped", c="failed", d="passed", e="passed"), []),
        (report(a="failed", b="passed", c="passed", d="passed", e="passed"), []),
        (report(a="failed", b="passed", c="failed", d="passed"), []),
        (report(False, a="failed", b="passed", c="failed", d="passed", e="passed"), []),
    ],
    ids=["alike", "one", "two", "many", "a skip too", "one passes now", "one is gone", "cut off"],
)
def test_a_place_counts_where_few_tests_fail_and_nothing_else_differs(
    after: TestReport, failing: list[str]
) -> None:
    assert find_newly_failing(BEFORE, after) == failing


LITERALS = """\
check "doubled" "twice" "server" "serverserver"
check "raised" "upper" "server" "SERVER"
"""


@pytest.fixture
def pack(tmp_path: Path) -> Mini:
    run_sh = RUN_SH + MORE_SH + LITERALS + END
    steps = [BASE, {**VIC, "tests/run.sh": run_sh}, {**VFC, "tests/run.sh": run_sh}]
    return Mini(tmp_path, steps, TASK)


@pytest.mark.slow
@pytest.mark.local
def test_mismatches_are_noticed_by_golds_tests(pack: Mini, local: Backend) -> None:
    (task,) = load_pack(pack.folder).tasks
    with pytest.raises(NoOtherValues, match="which mismatches are made of"):
        search_mismatches(local, task, MemoryCache())
    words = {"server": "wohmih", "SERVER": "WOHMIH", "serverserver": "wohmihwohmih"}
    (task.folder / FILE).write_bytes(write(OtherValues({"tests/run.sh": words})))
    (task,) = load_pack(pack.folder).tasks
    values = search_mismatches(local, task, MemoryCache())
    assert values.files == {"tests/run.sh": words}
    assert {*values.failing} == {"results: doubled", "results: raised"}
