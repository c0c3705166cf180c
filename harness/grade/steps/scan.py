"""Step `sast`: new findings of the scanner in what the patch changes."""

from __future__ import annotations

from dataclasses import replace

from harness.bounded import OverLimit
from harness.grade import sast
from harness.grade.apply import Applied
from harness.grade.bounded import describe_refusal
from harness.grade.job import GradingJob


def scan_files(job: GradingJob, applied: Applied, scanner: sast.Scanner) -> sast.SastEvidence:
    """The scanner's findings before and after. Raises ScanFailed, and Decided CE at a limit of ours."""
    facts = job.patch.facts
    try:
        comparison = sast.compare(
            applied.before,
            applied.after,
            renames=facts.renames,
            added={f.new: frozenset(f.added) for f in facts.files if f.new},
            scanner=scanner,
        )
    except OverLimit as limit:
        raise describe_refusal("what its files become when macros are expanded", limit) from limit
    lost = (sast.NotScanned(path, (), "too large to be read", False) for path in applied.lost)
    return replace(comparison, not_scanned=(*lost, *comparison.not_scanned))
