"""Why gold has no outcomes: from what broke the reference, or the runs of a suite in which nothing passes."""

from __future__ import annotations

from collections.abc import Sequence

from arena.building.oracle.result import OracleProblem
from harness.grade.building import Failed, ending
from harness.grade.decide import Decided
from harness.grade.testing import NothingPasses, SuiteRun
from harness.grade.verdict import TaskBroken
from parsers.outcomes import Outcome

CODE_OF_STEP = {
    "build": "gold-does-not-build",
    "tests": "tests-do-not-build",
    "poc": "poc-does-not-build",
}


def cause(broken: TaskBroken) -> OracleProblem:
    """The problem behind a TaskBroken of `harness.grade.reference`."""
    behind = broken.__cause__
    if isinstance(broken, NothingPasses):
        return _from_runs(broken.runs, broken)
    if isinstance(behind, Failed):
        return OracleProblem(CODE_OF_STEP[behind.step], str(broken))
    if isinstance(behind, Decided):
        return OracleProblem("gold-does-not-apply", str(broken))
    return OracleProblem("poc-cannot-run", str(broken))


def _from_runs(runs: Sequence[SuiteRun], broken: TaskBroken) -> OracleProblem:
    # A limit comes first: a suite that was ended reports few tests, and "not found" would hide why.
    stopped = next((run.done for run in runs if run.done.stopped), None)
    outcomes = {outcome for run in runs for outcome in run.report.outcomes.values()}
    problem = "; ".join(runs[0].report.problems[:2])
    if stopped is not None:
        return OracleProblem("timeouts", f"the suite {ending(stopped)}")
    if not outcomes:
        return OracleProblem("tests-not-found", problem or str(broken))
    if Outcome.PASSED in outcomes:
        return OracleProblem("flaky-only", f"no test passes in every run: {broken}")
    return OracleProblem("no-test-passes", problem or str(broken))
