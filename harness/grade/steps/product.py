"""Step `product`: a patch that edits build files must build what ships from what is attacked."""

from __future__ import annotations

from harness.grade.apply import Applied
from harness.grade.decide import judge_comparison
from harness.grade.evidence import Evidence
from harness.grade.job import GradingJob
from harness.grade.product import compare_variants, newly_different


def compare_product(job: GradingJob, applied: Applied, evidence: Evidence) -> None:
    """Compare the product's sources with the variants'. Raises Decided, a SandboxFault."""
    changed = job.patch.paths
    with job.sandboxes.open() as box:
        job.bring(box, applied)
        after = compare_variants(box, job.task, changed)
    differing: list[str] = []
    if any(each.sources for each in after):
        with job.sandboxes.open() as box:  # without the patch: a variant may be meant to differ
            before = compare_variants(box, job.task, changed)
        differing = newly_different(before, after)
    evidence["differing"] = differing
    judge_comparison(differing)
