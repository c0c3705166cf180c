"""Steps `apply` and `build`: the patch in a fresh sandbox, and what the developers ship built of it."""

from __future__ import annotations

from harness.grade.apply import Applied, apply
from harness.grade.building import build, prepare_build
from harness.grade.evidence import Evidence
from harness.grade.guard import TamperGuard, watch
from harness.grade.job import GradingJob
from harness.protocols import Sandbox


def apply_patch(box: Sandbox, job: GradingJob, evidence: Evidence) -> Applied:
    """Apply the patch, with the oracle's files in gold's state. Raises Decided CE."""
    applied = apply(box, job.task, job.patch, job.gold.files)
    evidence["apply"] = {
        **job.patch.notes,
        "files": job.patch.paths,
        "problems": list(job.patch.facts.problems),
        "left_out": list(applied.left_out),
    }
    evidence["oracle"] = {"touched": list(applied.oracle_touched)}
    return applied


def build_product(
    box: Sandbox, job: GradingJob, applied: Applied, evidence: Evidence
) -> TamperGuard:
    """Build what ships; returns the guard of the oracle's files. Raises Failed CE."""
    prepare_build(box, job.task)
    guard = watch(box, job.task, job.gold.files, applied.tracked)
    line = job.task.spec.environment.build
    evidence["build"] = build(box, job.task, line, "build", "does not compile", job.cache)
    return guard
