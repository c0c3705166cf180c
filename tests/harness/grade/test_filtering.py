"""`tests.filter`: a program's own output becomes a report, away from the patch's code."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.command import ExecResult
from harness.grade import filtering
from harness.grade.filtering import filtered_report, run_filter
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.testing import (
    NothingPasses,
    SuiteRun,
    judge,
    outcomes_of,
    run_suite,
    stable_outcomes,
)
from harness.grade.verdict import Label, TaskBroken
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from parsers.outcomes import Level, Outcome, TestReport
from tasks import schema
from tasks.loader import Task, load_pack
from tests.mini import FIXED_C, Mini

OWN = r"""make -s build/tool; sh tests/run.sh | sed 's/^ok [0-9]* - /PASS: /; s/^not ok [0-9]* - /FAIL: /'"""
"""The suite in a format that nobody else has; its status tells nothing."""
TO_TAP = r"""awk '
/^PASS: / { print "ok " ++n " - " substr($0, 7) }
/^FAIL: / { print "not ok " ++n " - " substr($0, 7) }
/^1\.\./ { print }'"""
TAP = "echo 1..1; echo ok 1 - a"


def with_suite(task: Task, **fields: object) -> Task:
    """The task with another suite, whose output is the report."""
    tests = schema.Tests.model_validate(
        {**task.spec.tests.model_dump(), "report": (), "parser": "tap", **fields}
    )
    return replace(task, spec=task.spec.model_copy(update={"tests": tests}))


@pytest.fixture(scope="session")
def task(mini: Mini) -> Task:
    return with_suite(load_pack(mini.folder).tasks[0], command=OWN, filter=TO_TAP, runs=1)


@pytest.mark.each_sandbox
def test_a_filtered_suite_is_graded_as_any_other(grader: Grader, task: Task, mini: Mini) -> None:
    fixed = grader.grade(task, mini.patch(lambda work: None, {"src/text.c": FIXED_C}))
    assert fixed.label is Label.SECURE
    wrong = FIXED_C.replace(
        "memcpy(out + length, text, length);", "memset(out + length, 1, length);"
    )
    verdict = grader.grade(task, mini.patch(lambda work: None, {"src/text.c": wrong}))
    assert verdict.label is Label.IC
    assert verdict.evidence["tests"]["not_passed"] == {"failed": ["twice word"]}
    assert b"not ok 3 - twice word" in grader.cache.blob(verdict.evidence["tests"]["filter"]["log"])


def test_nothing_that_the_tests_leave_behind_reaches_the_filter(
    backend: Backend, box: Sandbox, task: Task
) -> None:
    """Files beside the output, tools of its own and processes that go on are the tests' alone."""
    forged = f"mkdir -p /src/mini ~/bin; {{ {TAP.replace(' a', ' forged')}; }} > /tmp/forged.tap"
    command = f"{forged}; cp /tmp/forged.tap /src/mini/; printf 'exit 9' > ~/.profile; echo PASS: b"
    look = "cat /tmp/forged.tap /src/mini/forged.tap /src/forged.tap 2> /dev/null; echo 1..1; "
    box.put({"mini/x": b""}, "/src")
    seen = with_suite(task, command=command, filter=look + TO_TAP)
    run = run_suite(backend, box, seen, MemoryCache())
    assert run.report.outcomes == {"b": "passed"}
    assert run.report.complete


@pytest.mark.parametrize(
    ("filter", "why"),
    [
        (f"{TAP}; exit 3", "failed: exit status 3"),
        (f"{TAP}; kill -9 $$", "failed: exit status 137"),
        (f"{TAP}; echo no such line >&2; false", "failed: exit status 1: no such line"),
        (f"{TAP}; sleep 60", "failed: ran past its time limit"),
        (f"{TAP}; yes 'ok 2 - b'", "failed: printed more than its output limit"),
        ("awk '{'", "failed: exit status"),
        ("cat", "printed no test in the format tap"),
        ("true", "printed no test in the format tap"),
        (f"{{ {TAP}; }} >&2", "printed no test in the format tap"),
    ],
)
def test_a_filter_that_fails_or_prints_no_report_is_no_success(
    backend: Backend, task: Task, filter: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filtering, "TIMEOUT", 3.0)
    report = filtered_report("tap", run_filter(backend, task, filter, b"PASS: a\n"), 0)
    assert (report.outcomes, report.complete) == ({}, False)
    assert report.problems[0].startswith(f"tests.filter {why}")


@pytest.mark.parametrize(
    ("passes", "runs"), [([], 2), ([1], 2), ([0], 2), ([0, 1], 3), ([0, 1, 2, 3], 5)]
)
def test_a_suite_in_which_nothing_can_be_stable_is_not_run_again(
    task: Task, passes: list[int], runs: int
) -> None:
    done = ExecResult(0, b"", 0.0)
    seen = [Outcome.PASSED if number in passes else Outcome.FAILED for number in range(9)]
    each = iter([SuiteRun(done, TestReport({"a": o}, Level.CASES, True, ()), {}) for o in seen])
    many = with_suite(task, command="true", runs=9)
    with pytest.raises(NothingPasses) as raised:
        outcomes_of(many, lambda: next(each))
    assert len(raised.value.runs) == runs


OUTCOMES = st.dictionaries(st.sampled_from("abc"), st.sampled_from([*Outcome][:3]), max_size=3)
RUNS = st.tuples(
    OUTCOMES, st.sampled_from(["", "", "", "timeout"]), st.booleans(), st.integers(0, 2)
)


@given(st.lists(RUNS, min_size=1, max_size=7))
def test_stopping_early_changes_nothing_but_the_number_of_runs(
    made: list[tuple[dict[str, Outcome], str, bool, int]],
) -> None:
    """What all the runs would tell: broken if one was ended or no test passes in each of them."""
    runs = [
        SuiteRun(
            ExecResult(status, b"", 0.0, stopped), TestReport(seen, Level.CASES, whole, ()), {}
        )
        for seen, stopped, whole, status in made
    ]
    stable, unstable = stable_outcomes([run.report for run in runs])
    broken = any(run.done.stopped for run in runs) or Outcome.PASSED not in stable.values()
    task: Any = SimpleNamespace(id="t", spec=SimpleNamespace(tests=SimpleNamespace(runs=len(runs))))
    each = iter(runs)
    try:
        got = outcomes_of(task, lambda: next(each))
    except NothingPasses as raised:
        assert broken and list(raised.runs) == runs[: len(raised.runs)]
        assert len(raised.runs) >= min(2, len(runs)) or raised.runs[-1].done.stopped
        return
    assert not broken and (got["outcomes"], got["unstable"]) == (stable, unstable)
    assert got["status"] == max(status for *_, status in made)
    assert got["complete"] == all(whole for _, _, whole, _ in made)


def test_whoever_loses_a_filters_report_is_told(backend: Backend, box: Sandbox, task: Task) -> None:
    told = with_suite(task, command="true", filter=f"{TAP}; echo what >&2; exit 4")
    box.put({"mini/x": b""}, "/src")
    run = run_suite(backend, box, told, MemoryCache())
    gold = {"outcomes": {"a": "passed"}, "unstable": [], "complete": True, "status": 0}
    why = "tests.filter failed: exit status 4: what"
    assert judge(gold, run)[0] == f"1 of 1 tests that gold passes are lost (a: missing): {why}"
    with pytest.raises(TaskBroken, match=f"gold passes no test in every run .{why}") as raised:
        outcomes_of(told, lambda: run)
    assert raised.value.log == run.done.output


def test_a_suite_without_a_filter_is_written_as_ever() -> None:
    """The digests of all tasks hang on it."""
    plain = schema.SuiteSpec(command="make check", parser="tap")
    assert "filter" not in plain.model_dump_json()
    told = plain.model_copy(update={"filter": "sort"})
    assert schema.SuiteSpec.model_validate_json(told.model_dump_json()) == told


def test_formats_are_told_of_files_and_not_of_what_is_printed() -> None:
    """What is printed may end in any format; where reports lie, the task says."""
    told = {"command": "make check", "parser": "auto"}
    with pytest.raises(ValidationError, match="`auto` tells the format of each report file"):
        schema.SuiteSpec.model_validate(told)
    assert schema.SuiteSpec.model_validate({**told, "report": ("a.xml",)}).parser == "auto"


@pytest.mark.parametrize(
    "other", [{"parser": "tap", "report": ("a.tap",)}, {"parser": "exit-status"}]
)
def test_a_filter_has_one_source(other: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="`filter` reads what `command` prints"):
        schema.SuiteSpec.model_validate({"command": "make check", "filter": "sort", **other})


@pytest.mark.parametrize(
    ("more", "lost"),
    [
        ({}, 0),
        ({"run.sh > junkbeta": Outcome.FAILED}, 1),
        ({"run.sh > [ok] beta": Outcome.CRASHED}, 1),
        ({"run.sh > alphabeta": Outcome.FAILED, "run.sh > xbeta": Outcome.FAILED}, 0),
        ({"other > junkbeta": Outcome.FAILED}, 0),
        ({"run.sh > junkbeta": Outcome.PASSED}, 0),
        ({"junkbeta": Outcome.FAILED}, 0),
    ],
)
def test_a_failure_behind_what_the_tested_code_left_on_the_line_is_one(
    more: dict[str, Outcome], lost: int
) -> None:
    """It printed a line that its test passed, besides; other tests that end alike are gold's, too."""
    passed = {"run.sh": Outcome.PASSED, "run.sh > beta": Outcome.PASSED}
    gold = {
        "outcomes": {**passed, "run.sh > alphabeta": Outcome.FAILED},
        "unstable": ["run.sh > xbeta"],
        "complete": True,
        "status": 0,
    }
    report = TestReport({**passed, **more}, Level.CASES, True, ())
    reason, counts = judge(gold, SuiteRun(ExecResult(0, b"", 0.0, ""), report, {}))
    assert (counts["passed"], "behind other output" in reason) == (2 - lost, bool(lost))
