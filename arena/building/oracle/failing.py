"""Why gold has no outcomes: from what broke the reference, or from two more runs of the suite."""

from __future__ import annotations

from arena.building.oracle.result import OracleProblem
from harness.grade.apply import apply_gold, examine
from harness.grade.attack import NotRun
from harness.grade.building import Failed, build, ending, prepare_build
from harness.grade.decide import Decided
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.ports import ResultCache
from harness.grade.testing import SuiteRun, run_suite
from harness.grade.verdict import TaskBroken
from harness.sandbox.base import Backend
from parsers.outcomes import Outcome
from tasks.loader import Task

CODE_OF_STEP = {
    "build": "gold-does-not-build",
    "tests": "tests-do-not-build",
    "poc": "poc-does-not-build",
}
LOOKS = 2


def cause(
    backend: Backend, task: Task, environment: Environment, cache: ResultCache, broken: TaskBroken
) -> OracleProblem:
    """The problem behind a TaskBroken of `harness.grade.reference`. Raises a SandboxFault."""
    behind = broken.__cause__
    if isinstance(behind, Failed):
        return OracleProblem(CODE_OF_STEP[behind.step], str(broken))
    if isinstance(behind, NotRun):
        return OracleProblem("poc-cannot-run", str(broken))
    if isinstance(behind, Decided):
        return OracleProblem("gold-does-not-apply", str(broken))
    try:
        return _from_runs(_look(backend, task, environment, cache), broken)
    except Failed as failed:  # it was built a moment ago
        return OracleProblem(CODE_OF_STEP[failed.step], f"only now and then: {failed.reason}")


def _look(
    backend: Backend, task: Task, environment: Environment, cache: ResultCache
) -> list[SuiteRun]:
    """Gold's suite again: grading keeps no single run of a suite in which nothing is stable."""
    with sandbox(backend, environment.image, limits_of(task)) as box:
        apply_gold(box, task, examine(task.solution("gold")))
        prepare_build(box, task)
        build(box, task, task.spec.environment.build, "build", "does not build", cache)
        if task.spec.tests.build:
            build(box, task, task.spec.tests.build, "tests", "tests do not build", cache)
        return [run_suite(backend, box, task, cache) for _ in range(LOOKS)]


def _from_runs(runs: list[SuiteRun], broken: TaskBroken) -> OracleProblem:
    stopped = next((run.done for run in runs if run.done.stopped), None)
    outcomes = {outcome for run in runs for outcome in run.report.outcomes.values()}
    said = "; ".join(runs[0].report.problems[:2])
    if stopped is not None:
        return OracleProblem("timeouts", f"the suite {ending(stopped)}")
    if not outcomes:
        return OracleProblem("tests-not-found", said or str(broken))
    if Outcome.PASSED in outcomes:
        return OracleProblem("flaky-only", f"no test passes in every run: {broken}")
    return OracleProblem("no-test-passes", said or str(broken))
