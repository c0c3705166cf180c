"""Test reports of hostile suites, read in a process with limits."""

from __future__ import annotations

from collections.abc import Mapping

from harness.bounded import OverLimit, run_bounded
from parsers import reports
from parsers.outcomes import Level, TestReport


def read_report(
    parser: str, files: Mapping[str, bytes], status: int | None, prefixed: bool
) -> TestReport:
    """What `parsers.reports.parse` reads; a report without tests where that takes too long."""
    try:
        return run_bounded(reports.parse, parser, files, status, prefixed=prefixed)
    except OverLimit as limit:
        why = f"the report cannot be told: it takes too long to read: {limit.reason}"
        return TestReport({}, Level.CASES, False, (why,))
