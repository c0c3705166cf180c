"""Step `poc`: the fuzz target attacked with the PoC and inputs near it.

Everything is built before the first replay, since what runs could rewrite what is built next.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.grade import symbols
from harness.grade.apply import Applied
from harness.grade.attack import NotRun, attack_of, historical, replay
from harness.grade.building import Failed, build_target
from harness.grade.control import is_control_reported
from harness.grade.decide import (
    Cause,
    judge_build,
    judge_control,
    judge_neighbours,
    judge_other_values,
    judge_poc,
    judge_target_tests,
    judge_wrong_passes,
)
from harness.grade.evidence import ControlEvidence, Evidence
from harness.grade.guard import watch
from harness.grade.job import GradingJob
from harness.grade.neighbours import observe_neighbours
from harness.grade.other_values import bring_other_values, evidence_of, put_renewed
from harness.grade.testing import build_target_tests, judge, run_target_tests, tests_evidence
from harness.protocols import Sandbox


def attack_target(job: GradingJob, applied: Applied, evidence: Evidence) -> None:
    """Build and attack the fuzz target in a separate sandbox. Raises Decided, a SandboxFault."""
    with job.sandboxes.open() as box:
        job.bring(box, applied)
        true_files = _build(box, job, applied, evidence)
        try:
            _replay(box, job, evidence)
        except NotRun as error:
            raise Failed("poc", f"the fuzz target was not built: {error}", {}) from error
        if job.gold.suite_of_target is not None:
            _run_tests(box, job, true_files, evidence)


def _build(box: Sandbox, job: GradingJob, applied: Applied, evidence: Evidence) -> dict[str, bytes]:
    """Build the fuzz target, then the tests in the same way; the facts of both builds.

    Returns the tests' files with changed values as they were before, path -> content.
    """
    task, gold = job.task, job.gold
    guard = watch(box, task, gold.files, applied.tracked)
    build_target(box, task, "the fuzz target does not build with it", job.cache)
    news = symbols.find_new_names(box, task, gold.symbols, job.libc, gold.calls_of_fix)
    evidence["symbols"], evidence["unbounded"] = news.suspects, news.unbounded
    evidence["imports"] = news.imports
    true_files: dict[str, bytes] = {}
    if gold.suite_of_target is not None:
        # These tests are built straight with the changed values, which costs no further build.
        if gold.suite_of_other_values is not None:
            evidence["tampering"] = guard.touched_paths(gold.self_touched)
            judge_build(evidence["tampering"], Cause.POC_TAMPERED)
            true_files = bring_other_values(box, task)
            guard = watch(box, task, gold.files, applied.tracked)  # what we wrote is no tampering
        build_target_tests(box, task, job.cache)
    evidence["tampering"] = guard.touched_paths(gold.self_touched)
    judge_build(evidence["tampering"], Cause.POC_TAMPERED)
    return true_files


def _run_tests(
    box: Sandbox, job: GradingJob, true_files: Mapping[str, bytes], evidence: Evidence
) -> None:
    """Run the tests built like the target, with changed values where the task has some. Raises Decided.

    Where those fail, the tests are built and run as they were: a patch that passes them then knows their
    values.
    """
    task, gold = job.task, job.gold
    lost_values = ""
    if gold.suite_of_other_values is not None:
        run = run_target_tests(job.backend, box, task, job.cache)
        lost_values, counts = judge(gold.suite_of_other_values, run)
        others = evidence_of(task, gold.suite_of_other_values, run, counts)
        evidence["other_values"] = others
        if not lost_values:
            judge_wrong_passes(others["wrong_passes"])
            return
        # Tests that fail with their true values too show no table: the target is not what was tested then.
        put_renewed(box, task.spec.environment.workdir, true_files)
        build_target_tests(box, task, job.cache)
    assert gold.suite_of_target is not None  # noqa: S101 - asked by the caller
    run = run_target_tests(job.backend, box, task, job.cache)
    lost, counts = judge(gold.suite_of_target, run)
    evidence["tests_of_target"] = tests_evidence(run, counts)
    judge_target_tests(lost)
    judge_other_values(lost_values)


def _replay(box: Sandbox, job: GradingJob, evidence: Evidence) -> None:
    """Replay the PoC and the inputs near it, with the control before and after. Raises Decided, NotRun."""
    gold, attack = job.gold, attack_of(job.task)
    preload = gold.control.preload()
    crash, replay_evidence = replay(box, attack, job.cache, gold.poc_via == "output", preload)
    is_historical = crash is not None and historical(job.task, crash)
    replay_evidence["crash"] = crash.to_json() if crash else None
    if crash:
        replay_evidence["historical"] = is_historical
    evidence["poc"] = replay_evidence
    judge_poc(crash, is_historical, evidence["symbols"], replay_evidence["status"], _endings(job))
    control: ControlEvidence = {"available": bool(preload.files), "reported": []}
    evidence["control"] = control
    _check_control(box, job, control)
    evidence["neighbours"] = observe_neighbours(box, job.task, gold.around, preload, gold.leak_free)
    judge_neighbours(evidence["neighbours"], repair=job.repairs)
    _check_control(box, job, control)


def _check_control(box: Sandbox, job: GradingJob, control: ControlEvidence) -> None:
    if control["available"]:
        take = is_control_reported(box, attack_of(job.task), job.gold.control, job.cache)
        control["reported"].append(take)
        judge_control(control["reported"])


def _endings(job: GradingJob) -> frozenset[int]:
    """The statuses that a target may end with on the PoC: those of the fixed program.

    A repair may refuse an input that the fix takes, and vice versa: there, all statuses of the fixed program.
    """
    if job.gold.poc_ending is None:
        return frozenset()
    # The statuses that the fix uses for anything near the PoC: refused or taken, both are legitimate there.
    around = (status for status, _ in job.gold.around if status is not None)
    return frozenset((job.gold.poc_ending, *(around if job.repairs else ())))
