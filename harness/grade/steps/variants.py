"""Step `variants`: each variant of the fuzz target, with the project's programs, attacked apart."""

from __future__ import annotations

from harness.grade.apply import Applied
from harness.grade.decide import judge_entries, judge_variant
from harness.grade.evidence import Evidence
from harness.grade.job import GradingJob
from harness.grade.preprocessed import touches_build_files
from harness.grade.variants import VariantReference, build_and_replay
from tasks.schema import BuildVariant


def usable_variants(job: GradingJob) -> list[tuple[BuildVariant, VariantReference]]:
    """The variants of the task that stand all inputs with the fix."""
    pairs = zip(job.task.spec.poc.variants, job.gold.variants, strict=False)
    return [(variant, fixed) for variant, fixed in pairs if not fixed.why_not]


def attack_variant(
    job: GradingJob,
    applied: Applied,
    variant: BuildVariant,
    fixed: VariantReference,
    evidence: Evidence,
) -> None:
    """Build and attack a variant in a separate sandbox. Raises Decided, a SandboxFault."""
    with job.sandboxes.open() as box:
        job.bring(box, applied)
        whole = touches_build_files(job.task, job.patch.paths)
        replay = build_and_replay(box, job.task, variant, fixed, job.cache, whole)
        evidence["variants"] = [replay]
    judge_variant(replay)
    if job.repairs:
        judge_entries(replay)
