"""How the step `tests` runs a suite and reads its report, against a sandbox that answers from a script."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.grade import testing
from harness.grade.building import Failed
from harness.grade.ports import MemoryCache
from harness.grade.testing import MAX_LISTED, SANITIZER_STATUS, SuiteRun, _glob, judge, run_suite
from harness.grade.verdict import TaskBroken
from tasks.schema import SuiteSpec
from tests.harness.grade.suite_runs import ScriptedSandbox, ended, task_of

TAP_OK = b"1..2\nok 1 - a\nok 2 - b\n"


def run(
    box: ScriptedSandbox, suite: SuiteSpec, cache: MemoryCache | None = None, **more: Any
) -> SuiteRun:
    """Run a suite in a scripted sandbox; a filter runs in it as well."""
    backend: Any = SimpleNamespace(resolve=lambda image: image, create=lambda image, limits: box)
    return run_suite(backend, box, task_of(suite), cache or MemoryCache(), **more)  # type: ignore[arg-type]


# running a suite


def test_a_suite_without_report_files_is_read_from_its_output() -> None:
    box, cache = ScriptedSandbox([ended(0, TAP_OK)]), MemoryCache()
    suite = run(box, SuiteSpec(command="make check", parser="tap", timeout=7), cache)
    assert suite.report.outcomes == {"a": "passed", "b": "passed"}
    assert suite.done.output == TAP_OK
    [command] = box.commands
    assert (command.line, command.workdir, command.timeout) == ("make check", "/src/t", 7)
    assert command.env["ASAN_OPTIONS"].endswith("/report:symbolize=1:exitcode=77")
    log = cache.keep(TAP_OK)
    summary = {"status": 0, "stopped": "", "seconds": 1.235, "cpu": 0.988, "log": log}
    assert suite.evidence == {**summary, "problems": [], "complete": True}
    assert cache.blob(log) == TAP_OK


def test_the_status_of_a_suite_counts_against_its_report() -> None:
    suite = run(ScriptedSandbox([ended(3, TAP_OK)]), SuiteSpec(command="c", parser="tap"))
    assert suite.evidence["problems"] == [
        "the test command ended with status 3, though no test failed"
    ]
    assert suite.evidence["status"] == 3


def test_problems_in_the_evidence_are_bounded_and_an_incomplete_report_is_marked() -> None:
    lines = b"1..99\n" + b"".join(b"Bail out! %d\n" % number for number in range(3))
    suite = run(ScriptedSandbox([ended(0, lines)]), SuiteSpec(command="c", parser="tap"))
    assert suite.evidence["complete"] is False
    assert suite.evidence["problems"] == list(suite.report.problems[:MAX_LISTED])
    assert MAX_LISTED == 50


def test_reports_that_were_there_before_are_removed_and_new_ones_are_collected() -> None:
    listed = ended(0, b"./build/b.tap\n./build/a.tap\n")
    reports = {"build/b.tap": b"1..1\nok 1 - x\n", "build/a.tap": b"1..1\nok 1 - x\n"}
    box, cache = ScriptedSandbox([ended(), listed], reports), MemoryCache()
    suite = run(box, SuiteSpec(command="c", parser="tap", report=("build/*.tap", "x y")), cache)
    globs = "./build/*.tap ./x' 'y"
    assert [command.line for command in box.commands] == [
        f"rm -rf -- {globs}\nc",
        f"for f in {globs}; do printf '%s\\n' \"$f\"; done",
    ]
    assert box.commands[1].workdir == "/src/t"
    assert box.collected == [(("build/b.tap", "build/a.tap"), "/src/t")]
    assert suite.report.outcomes == {"b: x": "passed", "a: x": "passed"}
    kept = {name: cache.keep(data) for name, data in reports.items()}
    assert list(suite.evidence["reports"].items()) == sorted(kept.items())


def test_a_single_report_file_prefixes_its_names_too() -> None:
    """The number of files may differ between gold's run and a patch's."""
    box = ScriptedSandbox([ended(), ended(0, b"./a.tap\n")], {"a.tap": b"1..1\nok 1 - x\n"})
    suite = run(box, SuiteSpec(command="c", parser="tap", report=("a.tap",)))
    assert suite.report.outcomes == {"a: x": "passed"}


def test_nothing_is_collected_from_a_sandbox_that_is_over() -> None:
    box = ScriptedSandbox([ended(137, TAP_OK, "memory", over=True)])
    suite = run(box, SuiteSpec(command="c", parser="tap", report=("a.tap",)))
    assert len(box.commands) == 1
    assert suite.report.outcomes == {"output: a": "passed", "output: b": "passed"}, (
        "no name of gold's"
    )
    assert judge({"outcomes": {"a: a": "passed"}, "unstable": []}, suite)[0].startswith(
        "1 of 1 tests"
    )


def test_what_a_filter_prints_is_the_report() -> None:
    box, cache = (
        ScriptedSandbox([ended(4, b"PASS: a"), ended(0, b"1..1\nok 1 - a\n")]),
        MemoryCache(),
    )
    suite = run(box, SuiteSpec(command="c", parser="tap", filter="sed s/x/y/"), cache)
    assert suite.report.outcomes == {"a": "passed"}
    assert suite.report.problems == ("the test command ended with status 4, though no test failed",)
    assert "sed s/x/y/" in box.commands[1].line
    assert [*box.files.values()] == [b"PASS: a"]
    assert suite.evidence["filter"]["log"] == cache.keep(b"1..1\nok 1 - a\n")
    assert suite.evidence["status"] == 4, "the suite's own status"
    assert "reports" not in suite.evidence


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        ("build/*.tap", "./build/*'.'tap"),
        ("a b/?", "./a' 'b/?"),
        ("$(x)", "./'$''('x')'"),
        ("é1", "./é1"),
    ],
)
def test_only_stars_and_question_marks_are_special_in_a_report_pattern(
    pattern: str, word: str
) -> None:
    assert _glob(pattern).replace("'.'", ".") == word.replace("'.'", ".")


# the tests, built as the fuzz target is


AS_TARGET = SuiteSpec(command="check-as-target", build="build-as-target", parser="tap")


def as_target(box: ScriptedSandbox, suite: SuiteSpec | None) -> SuiteRun:
    task = task_of(SuiteSpec(command="c", parser="tap"), suite)
    backend: Any = SimpleNamespace(resolve=lambda image: image, create=lambda image, limits: box)
    testing.build_target_tests(box, task, MemoryCache())  # type: ignore[arg-type]
    return testing.run_target_tests(backend, box, task, MemoryCache())  # type: ignore[arg-type]


def test_the_tests_are_built_and_run_with_the_targets_own_sanitizer_options() -> None:
    box = ScriptedSandbox([ended(), ended(0, TAP_OK)])
    suite = as_target(box, AS_TARGET)
    assert suite.report.outcomes == {"a": "passed", "b": "passed"}
    built, ran = box.commands
    assert (built.line, ran.line) == ("build-as-target", "check-as-target")
    options = ran.env["ASAN_OPTIONS"].split(":")
    assert SANITIZER_STATUS == 86, "no runner takes it for a skipped test"
    assert {"exitcode=86", "symbolize=0", "detect_leaks=1"} <= set(options)
    assert options[0].startswith("log_path=/tmp/")


def test_tests_that_are_built_already_are_only_run() -> None:
    box = ScriptedSandbox([ended(0, TAP_OK)])
    as_target(box, AS_TARGET.model_copy(update={"build": ""}))
    assert [command.line for command in box.commands] == ["check-as-target"]


def test_the_targets_tests_may_have_a_filter() -> None:
    box = ScriptedSandbox([ended(), ended(0, b"x"), ended(0, TAP_OK)])
    filtered = AS_TARGET.model_copy(update={"filter": "sort"})
    assert as_target(box, filtered).report.outcomes == {"a": "passed", "b": "passed"}


def test_tests_that_do_not_build_as_the_target_decide() -> None:
    with pytest.raises(Failed) as failed:
        as_target(ScriptedSandbox([ended(2, b"no such file\n")]), AS_TARGET)
    assert (failed.value.step, failed.value.cause, failed.value.label) == (
        "poc",
        "differs-from-tested",
        "CV",
    )
    why = "the target is not what was tested: the tests do not build as it is built: exit status 2"
    assert failed.value.reason == why


def test_a_task_without_tests_of_its_target_is_broken() -> None:
    with pytest.raises(TaskBroken, match=r"^t: it has no \[poc\.tests\]$"):
        as_target(ScriptedSandbox([]), None)
