"""What scoring one suite found -> the verdict of an attempt, with evidence that is bounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.tracks.evidence import cut
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.labels import BLIND, CE, DETECTS, IC, NO
from arena.tracks.mutation.metrics import measure
from arena.tracks.mutation.results import MEANING, MutantResult, SampleResult, State
from arena.tracks.mutation.version import SCORER
from harness.grade.verdict import Health, TaskBroken, Verdict
from harness.sandbox.base import SandboxDied

LABELS: Mapping[State, str] = {
    State.MISSING: NO,
    State.NO_CODE: NO,
    State.OTHER_LANGUAGE: CE,
    State.NOT_COMPILED: CE,
    State.BAD_IMPORT: CE,
    State.NOT_COLLECTED: CE,
    State.NO_TEST: CE,
    State.PASSES_NOTHING: IC,
    State.FAILS_ON_SECURE: IC,
    State.STOPPED: IC,
}
"""Of suites that are not valid. A valid one detects (VD, Equation 6) or is blind."""
MAX_MUTANTS = 500


def verdict_of(found: SampleResult) -> Verdict:
    """The verdict of a scored suite.

    Raises SandboxDied where the machine was at fault, and TaskBroken where the program itself cannot be
    imported here: neither says anything of the suite.
    """
    if found.health != "ok":
        raise SandboxDied(found.why)
    if found.state is State.PROGRAM:
        raise TaskBroken(f"{found.id}: {MEANING[found.state]}: {found.why}")
    label, reason = _decided(found)
    return Verdict(label, Health.OK, cut(reason), _evidence(found), score=_score(found))


def _decided(found: SampleResult) -> tuple[str, str]:
    if found.state is not State.VALID:
        told = MEANING[found.state]
        return LABELS[found.state], f"{told}: {found.why}" if found.why else told
    killed = sum(mutant.killed for mutant in found.mutants)
    kills = f"kills {killed} of {len(found.mutants)} mutants"
    if found.detects:
        return DETECTS, f"fails on the insecure version, {kills}"
    return BLIND, f"passes on the insecure version, {kills}"


def _score(found: SampleResult) -> float | None:
    """SMS of the one suite (Equation 2), 0 where it is not valid (Equation 5); None without mutants."""
    if not found.secure_passes:
        return 0.0
    sms = measure([found]).sms
    return None if sms is None else sms / 100


def _evidence(found: SampleResult) -> dict[str, Any]:
    kills = measure([found]).kills
    evidence: dict[str, Any] = {
        "suite": {
            "state": str(found.state),
            "why": cut(found.why),
            "tests": found.tests,
            "secure_passes": found.secure_passes,
            "insecure_fails": found.insecure_fails,
            "scorer": SCORER,
        },
        "kills": {str(category): kills.get(category, 0) for category in Category},
        "mutants": [_told(mutant) for mutant in found.mutants[:MAX_MUTANTS]],
        "not_listed": max(0, len(found.mutants) - MAX_MUTANTS),
    }
    return {**evidence, "runs": {"report": found.evidence}} if found.evidence else evidence


def _told(mutant: MutantResult) -> dict[str, Any]:
    return {
        "id": mutant.id,
        "operator": mutant.operator,
        "variant": mutant.variant,
        "killed": mutant.killed,
        "category": str(mutant.category) if mutant.category else None,
        "reason": cut(mutant.reason),
        "stopped": mutant.stopped,
    }
