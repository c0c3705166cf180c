"""The results of a test run: the outcome of each test, and how far the report can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a test ended. Only PASSED is a success that a verdict may count on."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    ERROR = "error"


class Level(StrEnum):
    """How detailed a report is (SecureAgentBench, appendix C, "Functionality Oracle")."""

    CASES = "cases"
    COUNTS = "counts"
    BIT = "bit"


# From the best to the worst. PASSED comes first so that no other line about the same test can be
# outdone by a forged "ok"; the fatal ends come last because they say most.
BADNESS = {
    outcome: rank
    for rank, outcome in enumerate(
        (
            Outcome.PASSED,
            Outcome.XFAILED,
            Outcome.SKIPPED,
            Outcome.XPASSED,
            Outcome.FAILED,
            Outcome.ERROR,
            Outcome.TIMEOUT,
            Outcome.CRASHED,
        )
    )
}
# Outcomes for which a test runner is expected to exit with a status other than 0.
# XPASSED is among them: runners that know expected failures end with a failure for it.
BAD = frozenset({Outcome.XPASSED, Outcome.FAILED, Outcome.ERROR, Outcome.TIMEOUT, Outcome.CRASHED})
_COARSENESS = (Level.CASES, Level.COUNTS, Level.BIT)


@dataclass(frozen=True)
class TestReport:
    """Outcomes by test name, and facts about the report itself.

    `complete`: the format's proof of a whole run was present (a met plan, a closing summary or
    tag, counts that agree). `problems`: a line for each defect of the report.
    At level COUNTS the names are synthetic ("passed 1", "passed 2", ...), so that comparing two
    reports by name compares their counts.
    """

    __test__ = False  # not a test class, whatever pytest makes of its name

    outcomes: dict[str, Outcome]
    level: Level
    complete: bool
    problems: tuple[str, ...]


def worst(first: Outcome, second: Outcome) -> Outcome:
    """The worse of two outcomes, in the order of BADNESS."""
    return max(first, second, key=BADNESS.__getitem__)


def coarsest(levels: list[Level]) -> Level:
    """The level with the least detail; CASES for none."""
    return max(levels, key=_COARSENESS.index, default=Level.CASES)
