"""Step `tests`: gold's suite on the patch, and whether the patch could have falsified its report."""

from __future__ import annotations

from collections.abc import Callable

from harness.grade import symbols
from harness.grade.building import Failed, build
from harness.grade.decide import Cause, judge_build, judge_rewriting, judge_test_objects
from harness.grade.evidence import Evidence
from harness.grade.guard import TamperGuard
from harness.grade.job import GradingJob
from harness.grade.other_values import run_suite_with_other_values
from harness.grade.preprocessed import find_bends
from harness.grade.rewriting import rewritten_unlike_gold, watch_suite
from harness.grade.testing import judge, run_suite, tests_evidence
from harness.protocols import Sandbox


def run_tests(
    box: Sandbox,
    job: GradingJob,
    guard: TamperGuard,
    evidence: Evidence,
    begin: Callable[[], None],
) -> None:
    """Build and run the suite where the product was built. Raises Decided IC.

    begin: called when everything is built, and the tests begin.
    """
    task, gold = job.task, job.gold
    if task.spec.tests.build:
        what = "the tests do not build against it"
        build(box, task, task.spec.tests.build, "tests", what, job.cache)
    evidence["tampering"] = guard.touched_paths(gold.self_touched)
    judge_build(evidence["tampering"], Cause.TESTS_TAMPERED)
    news = symbols.find_new_names(box, task, gold.symbols_of_tests, job.libc, gold.calls_of_fix)
    evidence["unbounded"] = news.unbounded
    borrowed = symbols.list_borrowed_names(gold.symbols_of_tests)
    suspects = news.suspects + find_bends(
        box, task, gold.tests, job.patch.paths, gold.words, borrowed
    )
    evidence["symbols"] = suspects
    begin()
    watched = watch_suite(box, task.spec.environment.workdir, guard)
    run = run_suite(job.backend, box, task, job.cache)
    reason, counts = judge(gold.suite, run, gold.plus)
    evidence["tests"] = tests_evidence(run, counts)
    if reason:
        raise Failed("tests", reason, evidence["tests"], Cause.TESTS_FAILED)
    judge_test_objects(suspects)
    evidence["rewritten"] = rewritten_unlike_gold(watched, job)
    judge_rewriting(evidence["rewritten"])
    if gold.suite_of_other_values is not None and gold.suite_of_target is None:
        run_suite_with_other_values(
            box, job.backend, task, gold.suite_of_other_values, job.cache, evidence
        )
