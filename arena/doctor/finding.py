"""What a probe says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnosis:
    """A probe: a `needed` probe must be ok for anything to be graded here; `advice` is for a failed probe."""

    what: str
    ok: bool
    state: str
    advice: str
    needed: bool = False

    @property
    def mark(self) -> str:
        return "ok" if self.ok else "MISSING" if self.needed else "absent"

    @property
    def summary(self) -> str:
        """The result of the probe and, where it is not ok, what to do."""
        advice = "" if self.ok or not self.advice else f"; {self.advice}"
        return f"{self.what}: {self.state}{advice}"


class VersionComparison(Diagnosis):
    """A probe that compares versions: what is not ok is there, in a version that differs."""

    @property
    def mark(self) -> str:
        return "ok" if self.ok else "differs"


Probe = Callable[[], Diagnosis]


def diagnose_extra(what: str, extra: str, available: Callable[[], str]) -> Diagnosis:
    """What needs an extra; `available` says what else it lacks."""
    from harness.extras import absent

    if absent(extra):
        return Diagnosis(what, False, f"needs the extra {extra}", "")
    return diagnose_missing(what, available())


def diagnose_missing(what: str, missing: str) -> Diagnosis:
    """The diagnosis from what a backend lacks ("": nothing), which may end in "; " and what to do."""
    why, parted, advice = missing.rpartition("; ")
    state = why if parted else advice
    return Diagnosis(what, not missing, state or "works", advice if parted else "")
