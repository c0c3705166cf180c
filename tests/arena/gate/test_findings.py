"""What is new at HEAD, and which of it blocks."""

from __future__ import annotations

from typing import Any

import pytest

from arena.gate.findings import (
    EFFECT,
    Effect,
    GateCause,
    GateFinding,
    compare_scans,
    compare_tests,
    describe_crash,
    effect_of,
    locate_crash,
)
from harness.command import ExecResult
from harness.grade.sast import NotScanned, SastEvidence
from harness.grade.testing import SuiteRun
from parsers import sarif
from parsers.crashes import Crash, StackFrame
from parsers.outcomes import Level, Outcome, TestReport

PASS, FAIL, SKIP = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
BASE: dict[str, Any] = {
    "outcomes": {"one": "passed", "two": "passed", "old": "failed"},
    "unstable": ["flaky"],
    "status": 1,
    "complete": True,
    "level": "cases",
}
GREEN = {**BASE, "outcomes": {"one": "passed", "two": "passed"}, "status": 0}
SAME = {"one": PASS, "two": PASS, "old": FAIL}


def run(
    outcomes: dict[str, Outcome], status: int = 1, complete: bool = True, stopped: str = ""
) -> SuiteRun:
    done = ExecResult(status, b"", 1.0, stopped)
    return SuiteRun(done, TestReport(outcomes, Level.CASES, complete, ()), {})


def causes(
    *runs: SuiteRun, base: dict[str, Any] = BASE, changed: tuple[str, ...] = ()
) -> list[Any]:
    found = compare_tests(base, runs, ("tests/**",), changed)
    return [(finding.cause, finding.subject) for finding in found]


def test_test_that_fails_at_base_already_is_reported() -> None:
    assert causes(run(SAME)) == [(GateCause.TEST_FAILS_AT_BASE, "old")]


def test_flaky_test_of_base_is_no_finding() -> None:
    assert causes(run({"one": PASS, "two": PASS, "flaky": FAIL})) == []


def test_test_that_fails_in_each_run_blocks() -> None:
    worse = run({**SAME, "two": FAIL})
    assert causes(worse, worse) == [
        (GateCause.TEST_FAILS, "two"),
        (GateCause.TEST_FAILS_AT_BASE, "old"),
    ]


def test_test_that_passes_in_one_run_is_unstable() -> None:
    found = causes(run({"one": PASS, "two": FAIL}), run({"one": PASS, "two": PASS}))
    assert found == [(GateCause.TEST_UNSTABLE, "two")]


def test_new_test_that_fails_blocks() -> None:
    assert causes(run({"one": PASS, "two": PASS, "new": FAIL})) == [(GateCause.TEST_FAILS, "new")]


@pytest.mark.parametrize(
    ("outcomes", "changed", "cause"),
    [
        ({"one": PASS}, ("src/a.c",), GateCause.TEST_FAILS),
        ({"one": PASS}, ("tests/run.sh",), GateCause.TEST_REMOVED),
        ({"one": PASS, "two": SKIP}, ("tests/run.sh",), GateCause.TEST_REMOVED),
        ({"one": PASS, "two": FAIL}, ("tests/run.sh",), GateCause.TEST_FAILS),
    ],
)
def test_only_a_change_to_test_files_removes_a_test(
    outcomes: dict[str, Outcome], changed: tuple[str, ...], cause: GateCause
) -> None:
    assert causes(run(outcomes), changed=changed) == [(cause, "two")]


@pytest.mark.parametrize(
    "cut",
    [
        run({"one": PASS}, status=0, complete=False),
        run({"one": PASS}, status=0, stopped="timeout"),
        run({"one": PASS}, status=139),
    ],
)
def test_suite_that_ends_early_removes_no_test(cut: SuiteRun) -> None:
    found = causes(cut, base=GREEN, changed=("tests/run.sh",))
    assert found == [(GateCause.TEST_FAILS, "two")]


@pytest.mark.parametrize(
    "odd",
    [
        run({"one": PASS, "two": PASS}, status=0, complete=False),
        run({"one": PASS, "two": PASS}, status=0, stopped="memory"),
        run({"one": PASS, "two": PASS}, status=2),
    ],
)
def test_suite_that_ends_otherwise_blocks_unless_another_run_is_well(odd: SuiteRun) -> None:
    assert causes(odd, odd, base=GREEN) == [(GateCause.SUITE_FAILS, "")]
    assert causes(odd, run({"one": PASS, "two": PASS}, status=0), base=GREEN) == []


def test_each_cause_has_an_effect() -> None:
    assert set(EFFECT) == set(GateCause)


@pytest.mark.parametrize(
    ("cause", "blocks", "effect"),
    [
        (GateCause.SAST_ERROR, "error", Effect.BLOCKS),
        (GateCause.SAST_WARNING, "error", Effect.STRICT),
        (GateCause.SAST_WARNING, "warning", Effect.BLOCKS),
        (GateCause.SAST_ERROR, "never", Effect.NOTE),
        (GateCause.CRASH, "never", Effect.BLOCKS),
        (GateCause.CRASH_AT_BASE, "warning", Effect.STRICT),
        (GateCause.TEST_FAILS_AT_BASE, "error", Effect.NOTE),
    ],
)
def test_effect_of_a_finding(cause: GateCause, blocks: str, effect: Effect) -> None:
    assert effect_of(GateFinding(cause, "", ""), blocks) is effect


def crash_in(*frames: tuple[str, str, int | None]) -> Crash:
    stack = tuple(StackFrame(*frame) for frame in frames)
    return Crash("address", "heap-buffer-overflow", "write", 1, None, stack, "CWE-122", "")


FILES = ("src/text.c", "lib/util.c", "other/util.c", "fuzz/fuzz.c")


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        ((("twice", "/src/mini/src/text.c", 26),), ("src/text.c", 26)),
        ((("twice", "src/text.c", None),), ("src/text.c", 1)),
        ((("memcpy", "/usr/lib/x.c", 3), ("twice", "../../src/text.c", 9)), ("src/text.c", 9)),
        ((("main", "fuzz.c", 4),), ("fuzz/fuzz.c", 4)),
        ((("put", "util.c", 4),), ("", 0)),
        ((("put", "", None),), ("", 0)),
        ((), ("", 0)),
    ],
)
def test_crash_is_located_in_a_file_of_the_repository(
    frames: tuple[tuple[str, str, int | None], ...], place: tuple[str, int]
) -> None:
    assert locate_crash(crash_in(*frames), "/src/mini", FILES) == place


def test_crash_in_words() -> None:
    assert describe_crash(crash_in(("", "", None), ("twice", "", None))) == (
        "heap-buffer-overflow (write) in twice"
    )
    assert describe_crash(Crash("signal", "timeout", "", None, None, (), None, "")) == "timeout"


def test_findings_and_gaps_of_a_scan() -> None:
    item = sarif.Finding("c-gets", "a.c", 3, 4, "gets(x)", "no bound", "error", ("CWE-242",))
    mild = sarif.Finding("c-rand", "a.c", 9, 9, "rand()", "weak", "warning")
    gaps = (
        NotScanned("b.c", (5, 6), "syntax", before=True),
        NotScanned("c.c", (), "syntax", before=True),
    )
    scan = SastEvidence((item, mild), gaps, (), ("a.c",), (), "semgrep", 65, 1.0)
    assert compare_scans(scan) == [
        GateFinding(
            GateCause.SAST_ERROR,
            "c-gets",
            "no bound",
            "a.c",
            3,
            4,
            {"cwe": ["CWE-242"], "code": "gets(x)"},
        ),
        GateFinding(
            GateCause.SAST_WARNING, "c-rand", "weak", "a.c", 9, 9, {"cwe": [], "code": "rand()"}
        ),
        GateFinding(GateCause.NOT_SCANNED, "b.c", "syntax", "b.c", 5, 5),
    ]
