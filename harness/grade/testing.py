"""Step `tests`: run the suite, read its report, and compare the outcomes with gold's."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from harness.command import Command, ExecResult
from harness.grade.attack import options, replay_environment, room
from harness.grade.buildable import Buildable
from harness.grade.building import build, ending, last_lines, run_grader_command, summary
from harness.grade.decide import Cause
from harness.grade.evidence import SuiteEvidence, SuiteOutcomes, TestCounts, TestsEvidence
from harness.grade.filtering import filtered_report, run_filter
from harness.grade.ports import ResultCache
from harness.grade.suite_reports import read_report
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from parsers.outcomes import BAD, Outcome, TestReport, coarsest
from tasks.loader import Task
from tasks.schema import SuiteSpec

# The sanitizers' exit code in tests: no test runner takes it for a skipped test.
SANITIZER_STATUS = 86
# Maximum number of test names in the evidence for each kind of failure.
MAX_LISTED = 50
# Failing names that are compared with gold's; a suite can print any number.
MAX_COMPARED_NAMES = 1000
# A test that passes unexpectedly under a new name does not speak against the patch.
FAILING = BAD - {Outcome.XPASSED}
# Addresses and counters in a test's name change from run to run, and make no new test of it.
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|[0-9]+")
# Runs that tell a suite that fails now and then from one that always fails.
MIN_RUNS = 2


@dataclass(frozen=True)
class SuiteRun:
    """The run of a suite: the execution, its report, and its evidence."""

    done: ExecResult
    report: TestReport
    evidence: SuiteEvidence


def run_suite(
    backend: Backend,
    box: Sandbox,
    task: Buildable,
    cache: ResultCache,
    suite: SuiteSpec | None = None,
    env: Mapping[str, str] | None = None,
) -> SuiteRun:
    """Run a suite once in `box`, by default the task's, and its filter in a fresh sandbox.

    Reports that are there before it begins are removed first.
    """
    suite, workdir = suite or task.spec.tests, task.spec.environment.workdir
    globs = " ".join(_glob(pattern) for pattern in suite.report)
    # A report that a build of the patch left behind would otherwise be read for this run's.
    line = f"rm -rf -- {globs}\n{suite.command}" if globs else suite.command
    done = box.exec(Command(line, workdir, suite.timeout, dict(env or replay_environment())))
    parts: dict[str, object] = {}
    if suite.filter:
        filtered = run_filter(backend, task, suite.filter, done.output)
        parts["filter"] = summary(filtered, cache)
        report = filtered_report(suite.parser, filtered, done.status)
    else:
        files = (
            # Nothing more is requested from a sandbox that the outer clock ended: it may never answer.
            _collect(box, globs, workdir) if globs and not done.over else {"output": done.output}
        )
        report = read_report(suite.parser, files, done.status, prefixed=bool(globs))
        if globs:
            parts["reports"] = {name: cache.keep(data) for name, data in sorted(files.items())}
    parts |= {"problems": list(report.problems[:MAX_LISTED]), "complete": report.complete}
    return SuiteRun(done, report, cast(SuiteEvidence, {**summary(done, cache), **parts}))


def tests_evidence(run: SuiteRun, counts: TestCounts) -> TestsEvidence:
    """The evidence of a run, with the counts that `judge` returns."""
    return cast(TestsEvidence, {**run.evidence, **counts})


def build_target_tests(box: Sandbox, task: Task, cache: ResultCache) -> None:
    """Build the tests as the fuzz target is built, where that was built. Raises Failed, TaskBroken."""
    suite = _suite_of_target(task)
    if suite.build:
        what = "the target is not what was tested: the tests do not build as it is built"
        build(box, task, suite.build, "poc", what, cache, Cause.DIFFERS_FROM_TESTED)


def run_target_tests(backend: Backend, box: Sandbox, task: Task, cache: ResultCache) -> SuiteRun:
    """Run the tests of `build_target_tests`. Raises TaskBroken."""
    # Only the tests' outcomes are read here, and no frame of a report, so nothing needs symbols.
    env = options(task.spec.poc.sanitizer, room(), SANITIZER_STATUS, symbolize=False)
    return run_suite(backend, box, task, cache, _suite_of_target(task), env)


def _suite_of_target(task: Task) -> SuiteSpec:
    if task.spec.poc.tests is None:
        raise TaskBroken(f"{task.id}: it has no [poc.tests]")
    return task.spec.poc.tests


def _glob(pattern: str) -> str:
    """A shell word in which only `*` and `?` are special."""
    # Not `shlex.quote`, which would quote `*` and `?` as well; `./` keeps a leading `-` from being an option.
    return "".join(c if c in "*?/" or c.isalnum() else shlex.quote(c) for c in f"./{pattern}")


def _collect(box: Sandbox, globs: str, workdir: str) -> dict[str, bytes]:
    listed = run_grader_command(box, f"for f in {globs}; do printf '%s\\n' \"$f\"; done", workdir)
    names = [name.removeprefix("./") for name in listed.splitlines()]
    return archive.unpack(box.get(names, workdir))


def stable_outcomes(runs: Sequence[TestReport]) -> tuple[dict[str, str], list[str]]:
    """Outcomes that are the same in every run, and the names of the tests for which they are not."""
    names = {name for run in runs for name in run.outcomes}
    stable, unstable = {}, []
    for name in sorted(names):
        run_outcomes = {run.outcomes.get(name) for run in runs}
        only = run_outcomes.pop() if len(run_outcomes) == 1 else None
        if only is None:
            unstable.append(name)
        else:
            stable[name] = str(only)
    return stable, unstable


def regressions(gold: Mapping[str, str], run: TestReport) -> dict[str, list[str]]:
    """Tests that gold passes and this run does not, by outcome ("missing" if absent)."""
    worse: dict[str, list[str]] = {}
    for name, outcome in gold.items():
        if outcome != Outcome.PASSED:
            continue
        now = run.outcomes.get(name)
        if now is not Outcome.PASSED:
            worse.setdefault(str(now) if now else "missing", []).append(name)
    return worse


def find_torn_names(suite: SuiteOutcomes, run: TestReport) -> list[str]:
    """Tests that gold passes, and whose failure another name ends with that no run of gold's has.

    A runner's line (`part > name`) has before it what the tested code left on the line.
    """
    gold_names = {*suite["outcomes"], *suite["unstable"]}
    failing = [name for name, how in run.outcomes.items() if name not in gold_names and how in BAD]
    parts = (name.rpartition(" > ") for name in failing[:MAX_COMPARED_NAMES])
    torn_parts = [(part, tail) for part, mark, tail in parts if mark]
    wanted = [
        name for name, how in suite["outcomes"].items() if how == Outcome.PASSED and torn_parts
    ]
    ends = [(name, *name.rpartition(" > ")[::2]) for name in wanted]
    return [
        name
        for name, part, tail in ends
        if any(p == part and t.endswith(tail) for p, t in torn_parts)
    ]


def failing_unknown(suite: SuiteOutcomes, run: TestReport) -> list[str]:
    """Tests that fail under a name that no run of gold's has.

    A report may give a test another name when it fails (TAP of Check: `name: why it failed`), while
    a second test of its name passes. Left out are names that differ between gold's runs in their
    numbers only, and lines of a part (`part > line`) that passes by its exit status.
    """
    gold_names = {*suite["outcomes"], *suite["unstable"]}
    varying = {_NUMBERS.sub("#", name) for name in suite["unstable"]}
    failing = (
        name for name, how in run.outcomes.items() if how in FAILING and name not in gold_names
    )
    return [
        name
        for name in failing
        if _NUMBERS.sub("#", name) not in varying
        and run.outcomes.get(name.partition(" > ")[0]) is not Outcome.PASSED
    ]


class NothingPasses(TaskBroken):
    """Gold passes no test in each of `runs`, or a limit ended a run."""

    def __init__(self, message: str, log: bytes = b"", runs: Sequence[SuiteRun] = ()) -> None:
        super().__init__(message, log)
        self.runs = tuple(runs)


def accept_run() -> None:
    """Nothing speaks against more runs."""


def outcomes_of(
    task: Buildable, run: Callable[[], SuiteRun], worth: Callable[[], None] = accept_run
) -> SuiteOutcomes:
    """The combined outcomes of gold's runs of a suite, `tests.runs` of them.

    `worth` is called once the first has passed a test; what it raises ends them.

    Raises NothingPasses as soon as a run did not finish, since what it did not reach would be expected of
    nobody, or when no test has passed in all of MIN_RUNS or more: another run would not change that.
    """
    runs: list[SuiteRun] = []
    outcomes: dict[str, str] = {}
    unstable: list[str] = []
    for left in reversed(range(task.spec.tests.runs)):
        runs.append(run())
        done = runs[-1].done
        # A gold run that a limit cut short would lower what is expected of every patch (law 2).
        if done.stopped:
            raise NothingPasses(f"{task.id}: gold: the suite {ending(done)}", done.output, runs)
        outcomes, unstable = stable_outcomes([run.report for run in runs])
        if Outcome.PASSED not in outcomes.values() and (len(runs) >= MIN_RUNS or not left):
            problems, output = "; ".join(runs[0].report.problems[:2]), runs[0].done.output
            why = f"gold passes no test in every run ({problems}){last_lines(output)}"
            raise NothingPasses(f"{task.id}: {why}", output, runs)
        if len(runs) == 1 and left and Outcome.PASSED in outcomes.values():
            worth()
    return {
        "outcomes": outcomes,
        "unstable": unstable,
        # A single failing status among gold's runs is enough that no patch is required to end with 0.
        "status": max(run.done.status for run in runs),
        "complete": all(run.report.complete for run in runs),
        "level": str(coarsest([run.report.level for run in runs])),
    }


def judge(gold: SuiteOutcomes, run: SuiteRun, plus: Collection[str] = ()) -> tuple[str, TestCounts]:
    """Reason why the run is incorrect ("" when it is not), and the counts for the evidence.

    plus: of gold's tests those that came with a fix, which are counted apart.
    """
    outcomes = gold["outcomes"]
    wanted = [name for name, outcome in outcomes.items() if outcome == Outcome.PASSED]
    worse = regressions(outcomes, run.report)
    already = {name for names in worse.values() for name in names}
    if behind := [name for name in find_torn_names(gold, run.report) if name not in already]:
        worse["failed behind other output"] = behind
    counts: TestCounts = {
        "wanted": len(wanted),
        "passed": len(wanted) - sum(len(names) for names in worse.values()),
        "unstable": list(gold["unstable"]),
        "not_passed": {kind: names[:MAX_LISTED] for kind, names in worse.items()},
    }
    if unknown := [name for name in failing_unknown(gold, run.report) if not worse]:
        counts["not_passed"] = {"unknown to gold": unknown[:MAX_LISTED]}
    if plus:
        lost_plus = sorted({*plus} & {name for names in worse.values() for name in names})
        counts["plus"] = {"wanted": len(plus), "not_passed": lost_plus[:MAX_LISTED]}
    if worse:
        kind, names = next(iter(sorted(worse.items())))
        lost = sum(len(test_names) for test_names in worse.values())
        reason = f"{lost} of {len(wanted)} tests that gold passes are lost ({names[0]}: {kind})"
        unread = "filter" in run.evidence and not run.report.outcomes
        return f"{reason}: {run.report.problems[0]}" if unread else reason, counts
    if run.done.stopped:
        return f"the suite {ending(run.done)}", counts
    if unknown:
        return f"tests fail that gold does not have: {len(unknown)} ({unknown[0]})", counts
    # The tests' process is the patch's: it can print passes and exit, but then closing lines are missing.
    if gold["complete"] and not run.report.complete:
        return f"the report is not whole: {'; '.join(run.report.problems[:2]) or 'cut off'}", counts
    if gold["status"] == 0 and run.done.status != 0:
        return f"the suite ended with {ending(run.done)}; with gold it ends with 0", counts
    return "", counts
