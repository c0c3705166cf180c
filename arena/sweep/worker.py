"""Runs jobs of a track, on any node: from a stage of an attempt to its outcome.

A fault is never raised but returned as an outcome, so that the driver can retry elsewhere (law 1).
"""

from __future__ import annotations

import json
import math
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from arena.audit import Flag, audit, flag_names, read_trajectory
from arena.jobs import WAITS, Fault, JobOutcome, Stage, StageJob
from arena.models.provenance import add_program_facts
from arena.protocols import Say, Track
from arena.store.faults import StoreBusy
from arena.store.model import AttemptKey, Spent
from arena.store.patient import is_away, patiently
from arena.store.provenance import NOTHING_RECORDED, Provenance
from arena.store.solutions import keep, load
from arena.store.store import spent_of
from arena.tracks.passing import PASSING, spoilt_by
from harness.grade.grader import INFRA
from harness.grade.ports import ResultCache
from harness.grade.verdict import Health, Verdict
from harness.protocols import Charge, Ended, Solution

if TYPE_CHECKING:
    pass

# Seconds to wait for what all jobs need (a container engine), from the first check that missed it.
PATIENCE = 600.0
# Seconds between checks.
LOOK = 1.0
EXPECTED_FAULTS = (*INFRA, StoreBusy, OSError)
MAX_REASON = 2_000
# The stored solution if a fault came before the agent's end.
NOTHING = Solution(b"", Ended.FINISHED)


def _no_facts() -> Mapping[str, dict[str, Any]]:
    return {}


class Worker:
    """Runs jobs with a track and a cache; safe to use from several threads.

    drain: facts that were learned since the last call and that only the driver can store.
    """

    def __init__(
        self,
        track: Track,
        cache: ResultCache,
        drain: Callable[[], Mapping[str, dict[str, Any]]] = _no_facts,
    ) -> None:
        self._track, self._cache, self._drain = track, cache, drain
        self._away_since: float | None = None

    def do(
        self,
        job: StageJob,
        say: Say = lambda step: None,
        charge: Callable[[Spent], None] = lambda spent: None,
    ) -> JobOutcome:
        """Run a job and return its outcome. `charge` gets what each call of a model cost, in any thread."""
        started = time.monotonic()
        outcome = self._try_job(job, say, lambda usd, tokens: charge(Spent(usd, tokens)))
        seconds = time.monotonic() - started
        if outcome.fault is not None and outcome.fault.again:
            self._wait(say)
        images = {job.needs.image} if job.needs.image and outcome.fault is None else ()
        return replace(
            outcome,
            seconds=round(seconds, 3),
            facts=self._drain(),
            images=frozenset(images),
        )

    def _wait(self, say: Say) -> None:
        """Delay a job until what it needs is available again, so that an outage costs only a single try."""
        while self._missing():
            now = time.monotonic()
            # One start for all threads, or each would wait its own ten minutes.
            since = self._away_since = self._away_since or now
            if now - since > PATIENCE:
                return
            say(WAITS)
            time.sleep(LOOK)
        self._away_since = None

    def _missing(self) -> str:
        """The resource that all jobs need and that is unavailable; an exception in the check counts."""
        try:
            return self._track.missing()
        except EXPECTED_FAULTS as fault:
            return str(fault) or type(fault).__name__

    def _try_job(self, job: StageJob, say: Say, charge: Charge) -> JobOutcome:
        solution, rests_on = NOTHING, NOTHING_RECORDED
        try:
            rests_on = self._rests_on(job)  # first: a defect of it costs no agent's work
            if job.stage is Stage.SOLVE:
                new_solution = self._track.solve(job.key, say, charge)
                return replace(
                    self._keep_solution(new_solution),
                    provenance=add_program_facts(rests_on, new_solution.note),
                )
            if job.solution is None:
                raise ValueError(f"attempt {job.attempt}: nothing to grade")
            solution = load(self._cache, job.solution)
            verdict = self._track.grade(job.key, solution, say)
            expect_storable(verdict.evidence, verdict.score or 0.0)
            flags = audit_of(solution, verdict)
            return JobOutcome(
                verdict=with_audit(verdict, [flag.to_json() for flag in flags]),
                flags=flag_names(flags),
                new_cwes=new_cwes_of(verdict),
                provenance=rests_on,
            )
        except EXPECTED_FAULTS as known:
            fault = fault_of(known)
            # Faults are audited too: an agent that breaks its own sandbox must not leave the statistics
            # unseen.
            flags = audit_of(solution, infra_verdict(fault))
            flags_json = tuple(flag.to_json() for flag in flags)
            fault = replace(fault, audit=flags_json)
            return JobOutcome(fault=fault, flags=flag_names(flags), provenance=rests_on)
        except Exception as error:  # noqa: BLE001 - our own defect on one task must not end a sweep
            # The last frame and the message: the whole trace would not fit into a reason.
            lines = traceback.format_exception(error)[-2:]
            reason = f"defect: {' '.join(' '.join(lines).split())}"[:MAX_REASON]
            return JobOutcome(fault=Fault(reason, False, dict(getattr(error, "usage", {}))))

    def _rests_on(self, job: StageJob) -> Provenance:
        """The provenance of the stage here and now; nothing for an outside track that does not report it."""
        provenance_of: Callable[[AttemptKey, Stage], Provenance] | None
        provenance_of = getattr(self._track, "provenance", None)
        return NOTHING_RECORDED if provenance_of is None else provenance_of(job.key, job.stage)

    def _keep_solution(self, solution: Solution) -> JobOutcome:
        """Store an agent's solution; if that fails, the exception carries what the model had cost."""
        expect_storable(
            [dict(solution.usage), dict(solution.note)], spent_of(solution.usage, 0).usd
        )
        try:
            return JobOutcome(solution=patiently(partial(keep, self._cache, solution)))
        except Exception as error:
            error.usage = solution.usage  # type: ignore[attr-defined]
            raise


def expect_storable(facts: Any, number: float) -> None:
    """Raise TypeError or ValueError for an outcome that no store accepts, which would end the driver."""
    json.dumps(facts)
    if not math.isfinite(number):
        raise ValueError(f"a cost or a score is {number}")


def fault_of(fault: BaseException) -> Fault:
    """An exception as a fault; its usage is the model's cost so far."""
    again = isinstance(fault, PASSING) or is_away(fault)
    reason = f"{type(fault).__name__}: {fault}"[:MAX_REASON]
    return Fault(reason, again, dict(getattr(fault, "usage", {})), spoilt_by(fault))


def audit_of(solution: Solution, verdict: Verdict) -> tuple[Flag, ...]:
    """Signs of cheating in an agent's solution, and in the fault that left it without a label."""
    atif, output = solution.artefacts.get("atif"), solution.artefacts.get("output", b"")
    evidence = {**verdict.evidence, "agent": dict(solution.note)}
    if verdict.label is None:
        evidence["reason"] = verdict.reason
    return audit(read_trajectory(atif), solution.patch, evidence, output)


def new_cwes_of(verdict: Verdict) -> tuple[str, ...]:
    """The CWEs of a verdict's new findings, each once, sorted."""
    scan = verdict.evidence.get("sast")
    findings = scan.get("findings", ()) if isinstance(scan, Mapping) else ()
    return tuple(sorted({str(cwe) for finding in findings for cwe in finding.get("cwe") or ()}))


def infra_verdict(fault: Fault) -> Verdict:
    """The verdict of an attempt that could not run or could not be graded: no label."""
    return with_audit(Verdict(None, Health.INFRA, fault.reason), fault.audit)


def with_audit(verdict: Verdict, flags: Sequence[Mapping[str, Any]]) -> Verdict:
    """The verdict with signs of cheating in its evidence, if there are any."""
    if not flags:
        return verdict
    return replace(verdict, evidence={**verdict.evidence, "audit": list(flags)})
