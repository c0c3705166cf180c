"""What scoring one suite found -> the verdict of an attempt with its evidence, and back for reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from arena.protocols import Facts
from arena.store.model import Attempt
from arena.tracks.choices import NEUTRAL
from arena.tracks.evidence import cut
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.labels import BLIND, CE, DETECTS, IC, NO
from arena.tracks.mutation.metrics import measure
from arena.tracks.mutation.results import MEANING, SampleResult, State
from arena.tracks.mutation.version import SCORER
from harness.gateway.endings import Ending
from harness.grade.verdict import Health, TaskBroken, Verdict
from harness.sandbox.base import SandboxDied

LABELS: Mapping[State, str] = {
    State.MISSING: NO,
    **{State(name): NO for name in Ending},
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
SUITE = (
    "state",
    "why",
    "tests",
    "secure_passes",
    "insecure_fails",
    "cwe",
    "difficulty",
    "classifier",
)
"""Fields of a result that its evidence tells as they are."""


def verdict_of(found: SampleResult) -> Verdict:
    """The verdict of a scored suite.

    Raises SandboxDied where the machine was at fault, and TaskBroken where the program itself cannot be
    imported here: neither says anything of the suite.
    """
    if found.health != "ok":
        raise SandboxDied(found.why)
    if found.state is State.PROGRAM:
        raise TaskBroken(f"{found.id}: {MEANING[found.state]}: {found.why}")
    label, reason = _decide_label(found)
    return Verdict(label, Health.OK, cut(reason), _evidence(found), score=_score(found))


def _decide_label(found: SampleResult) -> tuple[str, str]:
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
    """All that tables need; bounded, since the programs, mutants and reasons are."""
    kills = measure([found]).kills
    evidence: dict[str, Any] = {
        "suite": {name: getattr(found, name) for name in SUITE} | {"scorer": SCORER},
        "kills": {str(category): kills[category] for category in Category},
        "mutants": [mutant.model_dump(mode="json") for mutant in found.mutants],
    }
    return {**evidence, "runs": {"report": found.evidence}} if found.evidence else evidence


def sample_of(attempt: Attempt, facts: Facts) -> SampleResult | None:
    """What `verdict_of` was told, of an attempt as stored; None where its evidence does not tell it.

    An attempt without a label is one that takes no part.
    """
    key = attempt.key
    prompt = "" if key.prompt in NEUTRAL else key.prompt
    given = {"id": key.task, "model": key.model, "prompt": prompt, "sample": key.replicate}
    if attempt.label is None:
        nothing = {"state": State.STOPPED, "secure_passes": False, "insecure_fails": False}
        return _read({**given, **nothing, "why": attempt.reason, "health": "infra"})
    evidence = attempt.evidence
    suite, runs = evidence.get("suite"), evidence.get("runs")
    if not isinstance(suite, dict) or "mutants" not in evidence or evidence.get("not_listed"):
        return None
    known = facts.get(key.task)
    cwe = known.cwes[0] if known and known.cwes else ""
    report = runs.get("report", "") if isinstance(runs, dict) else ""
    told = {name: suite[name] for name in SUITE if name in suite}
    mutants = {"mutants": evidence["mutants"], "evidence": report}
    return _read({"cwe": cwe, **told, **given, **mutants})


def _read(told: Mapping[str, Any]) -> SampleResult | None:
    try:
        return SampleResult.model_validate(told)
    except ValidationError:  # of an imported run
        return None
