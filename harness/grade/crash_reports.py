"""Sanitizers' reports of hostile programs, read in a process with limits."""

from __future__ import annotations

from collections.abc import Mapping

from harness.bounded import OverLimit, run_bounded
from parsers.crashes import Crash, parse_crash

# What counts as the crash where a report is over a limit.
UNREAD = Crash(
    "signal", "unknown", "", None, None, (), None, "a sanitizer's report takes too long to read"
)

parse_crash(
    ""
)  # loads the formats of reports: in the server of `harness.bounded`, once for all workers


def read_crashes(reports: Mapping[str, tuple[bytes, int]]) -> dict[str, Crash | None]:
    """The crash in each report, by its name; UNREAD for all where they take too long to read.

    reports: what was written or printed, and the exit status of the program.
    """
    if not reports:
        return {}
    try:
        return run_bounded(parse_crashes, reports)
    # A target that writes such a report is not let off: it counts as a crash.
    except OverLimit:
        return dict.fromkeys(reports, UNREAD)


def parse_crashes(reports: Mapping[str, tuple[bytes, int]]) -> dict[str, Crash | None]:
    """The same, in the process of whoever calls."""
    return {
        name: parse_crash(text.decode("utf-8", "replace"), status)
        for name, (text, status) in reports.items()
    }
