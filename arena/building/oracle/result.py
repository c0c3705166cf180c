"""The result of acquiring an oracle: the facts, and objections to the task by code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.building.oracle.reach import NOT_MEASURED, ReachOfTests

# Code -> whether a task with it is unfit; the others are for a person to look at.
CODES = {
    "pvic-does-not-build": True,
    "gold-does-not-apply": True,
    "gold-does-not-build": True,
    "tests-do-not-build": True,
    "tests-not-found": True,
    "no-test-passes": True,
    "flaky-only": True,
    "timeouts": True,
    "pvic-fails-all": True,
    "pvic-fails-its-suite": False,
    "feature-not-tested": False,
    "not-reached": True,
    "not-shown-by-tests": True,
    "not-measured": False,
    "flaky-tests": False,
    "incomplete-report": False,
    "only-exit-codes": False,
    "only-own-lines": False,
    "poc-cannot-run": True,
    "poc-does-not-build": True,
    "poc-does-not-crash": True,
    "poc-other-signature": True,
    "not-scanned": False,
}


@dataclass(frozen=True)
class OracleProblem:
    """An objection to the oracle: a code of CODES, and a line for people."""

    code: str
    text: str

    @property
    def fatal(self) -> bool:
        return CODES[self.code]


@dataclass(frozen=True)
class AcquiredOracle:
    """The oracle of a task. What could not be taken is empty or None, and `problems` says why.

    `outcomes`: gold's, the same in each of `runs`; `flaky`: tests whose outcome changed; `pvic`: outcomes
    at PVIC with the tests there. `fail_to_pass`: tests that gold passes, and PVIC with gold's tests does
    not; `pass_to_pass`: both pass them. `sast` compares gold's touched files before and after.
    """

    task: str
    runs: int
    outcomes: dict[str, str] = field(default_factory=dict)
    flaky: tuple[str, ...] = ()
    complete: bool = False
    pvic: dict[str, str] = field(default_factory=dict)
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    reach: ReachOfTests = NOT_MEASURED
    poc: dict[str, Any] | None = None
    poc_via: str = ""
    poc_historical: bool = False
    sast: dict[str, Any] | None = None
    problems: tuple[OracleProblem, ...] = ()
    seconds: float = 0.0

    @property
    def fit(self) -> bool:
        """Whether nothing speaks against using the task."""
        return not any(problem.fatal for problem in self.problems)

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "fit": self.fit,
            "reach": self.reach.to_json(),
            "problems": [
                {"code": problem.code, "text": problem.text, "fatal": problem.fatal}
                for problem in self.problems
            ],
            "flaky": list(self.flaky),
            "fail_to_pass": list(self.fail_to_pass),
            "pass_to_pass": list(self.pass_to_pass),
            "seconds": round(self.seconds, 3),
        }
