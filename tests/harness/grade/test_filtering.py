"""`tests.filter`: a program's own output becomes a report, away from the patch's code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from harness.grade import filtering
from harness.grade.filtering import filtered_report, run_filter
from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.grade.testing import judge, outcomes_of, run_suite
from harness.grade.verdict import Label, TaskBroken
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks import schema
from tasks.loader import Task, load_pack
from tests.mini import FIXED_C, Mini

# The suite in a format that nobody else has; its status says nothing.
OWN = r"""make -s build/tool; sh tests/run.sh | sed 's/^ok [0-9]* - /PASS: /; s/^not ok [0-9]* - /FAIL: /'"""
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


@pytest.mark.nightly("gold is taken anew for a task of its own")
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


@pytest.mark.by_day("awk '{'-failed: exit status", "true-printed no test in the format tap")
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
    monkeypatch.setattr(filtering, "TIMEOUT_S", 3.0)
    report = filtered_report("tap", run_filter(backend, task, filter, b"PASS: a\n"), 0)
    assert (report.outcomes, report.complete) == ({}, False)
    assert report.problems[0].startswith(f"tests.filter {why}")


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
