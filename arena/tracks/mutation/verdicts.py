"""A suite's score -> the verdict of an attempt with its evidence, and back for reports."""

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

# Of suites that are not valid. A valid one detects (VD, Equation 6) or is blind.
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
# Fields of a result that its evidence repeats as they are.
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


def verdict_of(result: SampleResult) -> Verdict:
    """The verdict of a scored suite.

    Raises SandboxDied where the machine was at fault, and TaskBroken where the program itself cannot be
    imported here: neither says anything of the suite.
    """
    if result.health != "ok":
        raise SandboxDied(result.why)
    # A package that is absent here would otherwise turn every suite of this program into IC.
    if result.state is State.PROGRAM:
        raise TaskBroken(f"{result.id}: {MEANING[result.state]}: {result.why}")
    label, reason = _decide_label(result)
    return Verdict(label, Health.OK, cut(reason), _evidence(result), score=_score(result))


def _decide_label(result: SampleResult) -> tuple[str, str]:
    if result.state is not State.VALID:
        meaning = MEANING[result.state]
        return LABELS[result.state], f"{meaning}: {result.why}" if result.why else meaning
    killed = sum(mutant.killed for mutant in result.mutants)
    kills = f"kills {killed} of {len(result.mutants)} mutants"
    if result.detects:
        return DETECTS, f"fails on the insecure version, {kills}"
    return BLIND, f"passes on the insecure version, {kills}"


def _score(result: SampleResult) -> float | None:
    """SMS of this suite (Equation 2), 0 where it is not valid (Equation 5); None without mutants."""
    if not result.secure_passes:
        return 0.0
    sms = measure([result]).sms
    return None if sms is None else sms / 100


def _evidence(result: SampleResult) -> dict[str, Any]:
    """All that tables need; bounded, since the programs, mutants and reasons are."""
    kills = measure([result]).kills
    evidence: dict[str, Any] = {
        "suite": {name: getattr(result, name) for name in SUITE} | {"scorer": SCORER},
        "kills": {str(category): kills[category] for category in Category},
        "mutants": [mutant.model_dump(mode="json") for mutant in result.mutants],
    }
    return {**evidence, "runs": {"report": result.evidence}} if result.evidence else evidence


def sample_of(attempt: Attempt, facts: Facts) -> SampleResult | None:
    """The input of `verdict_of`, of an attempt as stored; None where its evidence does not hold it.

    An attempt without a label takes no part.
    """
    key = attempt.key
    prompt = "" if key.prompt in NEUTRAL else key.prompt
    identity = {"id": key.task, "model": key.model, "prompt": prompt, "sample": key.replicate}
    if attempt.label is None:
        nothing = {"state": State.STOPPED, "secure_passes": False, "insecure_fails": False}
        return _read({**identity, **nothing, "why": attempt.reason, "health": "infra"})
    evidence = attempt.evidence
    suite, runs = evidence.get("suite"), evidence.get("runs")
    if not isinstance(suite, dict) or "mutants" not in evidence or evidence.get("not_listed"):
        return None
    fact = facts.get(key.task)
    cwe = fact.cwes[0] if fact and fact.cwes else ""
    report = runs.get("report", "") if isinstance(runs, dict) else ""
    suite_facts = {name: suite[name] for name in SUITE if name in suite}
    mutants = {"mutants": evidence["mutants"], "evidence": report}
    return _read({"cwe": cwe, **suite_facts, **identity, **mutants})


def _read(stored: Mapping[str, Any]) -> SampleResult | None:
    try:
        return SampleResult.model_validate(stored)
    except ValidationError:  # of an imported run
        return None
