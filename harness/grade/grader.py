"""The grader: from one patch of one task to one verdict with its evidence.

Two fresh sandboxes from the same environment: the suite runs in one, the PoC in the other, so that
code under test cannot influence the replay, and the PoC is never present where tests run.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from harness.grade import inputs, symbols, words
from harness.grade import sast as scanning
from harness.grade.apply import Applied, PatchCandidate, apply, examine
from harness.grade.attack import NotRun, attack_of, historical, replay
from harness.grade.building import Failed, build, build_target, prepare_build
from harness.grade.control import reported
from harness.grade.decide import (
    LABEL,
    SPOILT,
    Cause,
    Decided,
    Spoilt,
    after_build,
    after_control,
    after_neighbours,
    after_poc,
    after_scan,
    after_tests,
    after_tests_of_target,
    after_variant,
    end_to_end,
)
from harness.grade.environment import Environment, identify, limits_of, prepare, sandbox
from harness.grade.guard import watch
from harness.grade.neighbours import elsewhere, stand
from harness.grade.ports import ResultCache, digest_of
from harness.grade.reference import Reference, reference, ship
from harness.grade.sast import NotScanned
from harness.grade.testing import judge, run_suite, tested_as_target
from harness.grade.verdict import Health, TaskBroken, Verdict, verdict_from
from harness.grade.version import GRADER_VERSION
from harness.protocols import Sandbox
from harness.sandbox.base import Backend, SandboxFault, SandboxSpoilt
from tasks.loader import Task, TaskError

Say = Callable[[str], None]


INFRA = (SandboxFault, TaskBroken, TaskError, scanning.ScanFailed)
"""Raised when grading was not possible: health `infra`."""


def infra_verdict(fault: BaseException) -> Verdict:
    """The verdict of an attempt that could not be graded: no label."""
    return Verdict(None, Health.INFRA, f"{type(fault).__name__}: {fault}")


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class _Job:
    """State shared by the steps of one grading."""

    task: Task
    patch: PatchCandidate
    environment: Environment
    gold: Reference
    evidence: dict[str, Any]

    @property
    def repairs(self) -> bool:
        """Whether the weakness was there before the patch."""
        return bool(self.task.spec.source.base)


class Grader:
    """Grades patches with one sandbox backend; safe to use from several threads.

    `scanner` overrides the task's own scanner (see `harness.grade.sast.load_scanner`); without
    `shipped` gold's outcomes that ship with a pack are not used.
    """

    def __init__(
        self, backend: Backend, cache: ResultCache, scanner: str | None = None, shipped: bool = True
    ) -> None:
        self.backend, self.cache, self._scanner = backend, cache, scanner
        self._shipped = shipped
        self._ready: dict[str, tuple[Environment, Reference]] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def ready(self, task: Task) -> tuple[Environment, Reference]:
        """The task's environment and gold's outcomes, made once. Raises TaskBroken, SandboxFault."""
        with self._locks[task.digest]:
            if task.digest not in self._ready:
                environment = prepare(self.backend, task)
                found = reference(self.backend, task, environment, self.cache, self._shipped)
                self._ready[task.digest] = environment, found
            return self._ready[task.digest]

    def ship(self, task: Task) -> None:
        """Write gold's outcomes, as `ready` has taken them, into the task's pack. Raises TaskError."""
        ship(self.backend, task, identify(self.backend, task), self.cache)

    def scanner(self, task: Task) -> scanning.Scanner:
        return scanning.load_scanner(self._scanner or task.spec.sast.scanner)

    def graded(self, task: Task, patch: bytes, say: Say = _silent) -> Verdict:
        """The verdict on `patch`, from the cache when the same was graded before."""
        key = self._key(task, patch)
        kept = self.cache.fact(key)
        if kept is not None:
            return verdict_from(kept)
        verdict = self.grade(task, patch, say)
        self.cache.put_fact(key, verdict.to_json())
        return verdict

    def _key(self, task: Task, patch: bytes) -> str:
        """What a verdict is filed under: all that can change it."""
        identity = identify(self.backend, task).identity
        tool = self.scanner(task).version
        return "verdict:" + digest_of(str(GRADER_VERSION), task.digest, identity, tool, patch)

    def grade(self, task: Task, patch: bytes, say: Say = _silent) -> Verdict:
        """The verdict on `patch`, graded now.

        Raises one of `INFRA` when the machine or the task is at fault: that is nobody's result. So is Spoilt,
        unless it comes each time (`harness.grade.decide.doing`).
        """
        evidence: dict[str, Any] = {}
        step = ""

        def begin(name: str) -> None:
            nonlocal step
            step = name
            say(name)

        try:
            if not task.asks.input:
                return self._patch(task, patch, evidence, begin)
            begin("reproduce")
            environment = prepare(self.backend, task)
            shown = inputs.judge(self.backend, task, environment, patch, self.cache)
            evidence["reproduce"] = {**shown.evidence, "label": shown.label, "reason": shown.reason}
            if not task.asks.patch:
                return Verdict(shown.label, Health.OK, shown.reason, evidence)
            left = self._patch(task, patch, evidence, begin)
        except SandboxSpoilt as fault:
            if step not in SPOILT:
                raise
            raise Spoilt(step, fault, evidence) from fault
        evidence["repair"] = {"label": left.label, "reason": left.reason}
        reason = f"input: {shown.reason}; patch: {left.label}: {left.reason}"
        return Verdict(end_to_end(shown.label, left.label), Health.OK, reason, evidence)

    def _patch(self, task: Task, patch: bytes, evidence: dict[str, Any], say: Say) -> Verdict:
        """The verdict on a patch alone. Raises as `grade`."""
        try:
            return self._grade(task, patch, evidence, say)
        except Decided as decided:
            if isinstance(decided, Failed):
                evidence[decided.step] = decided.evidence
            evidence.setdefault("apply", {"reason": decided.reason})
            return Verdict(decided.label, Health.OK, decided.reason, evidence)

    def _grade(self, task: Task, patch: bytes, evidence: dict[str, Any], say: Say) -> Verdict:
        candidate = examine(patch)
        say("prepare")
        job = _Job(task, candidate, *self.ready(task), evidence)
        if lacks := self.backend.lacks():
            evidence["lacks"] = list(lacks)
        say("build")
        applied = self._test(job, say)
        say("poc")
        with ThreadPoolExecutor(1) as beside:  # most of the replays is waiting
            scan = beside.submit(self._scan, job, applied)
            self._attack(job, applied)
            say("sast")
            found = scan.result()
        evidence["sast"] = found.to_json()
        cause, reason = after_scan(found, evidence["unbounded"])
        return Verdict(LABEL[cause], Health.OK, reason, evidence)

    def _fresh(self, job: _Job) -> AbstractContextManager[Sandbox]:
        return sandbox(self.backend, job.environment.image, limits_of(job.task))

    def _test(self, job: _Job, say: Say) -> Applied:
        """Apply, build, test. Raises Decided CE or IC."""
        spec, evidence = job.task.spec, job.evidence
        with self._fresh(job) as box:
            applied = apply(box, job.task, job.patch, job.gold.files)
            evidence["apply"] = {
                **job.patch.notes,
                "files": job.patch.paths,
                "problems": list(job.patch.facts.problems),
                "left_out": list(applied.left_out),
            }
            evidence["oracle"] = {"touched": list(applied.oracle_touched)}
            prepare_build(box, job.task)
            guard = watch(box, job.task, job.gold.files, applied.tracked)
            evidence["build"] = build(
                box, job.task, spec.environment.build, "build", "does not compile", self.cache
            )
            if spec.tests.build:
                what = "the tests do not build against it"
                build(box, job.task, spec.tests.build, "tests", what, self.cache)
            evidence["tampering"] = guard.touched(job.gold.self_touched)
            after_build(evidence["tampering"], Cause.TESTS_TAMPERED)
            odd, evidence["unbounded"] = symbols.odd(box, job.task, job.gold.symbols_of_tests)
            odd += [f"macro {name}" for name in self._bent(job)]
            evidence["symbols"] = odd
            say("tests")
            run = run_suite(self.backend, box, job.task, self.cache)
        reason, counts = judge(job.gold.suite, run, job.gold.plus)
        evidence["tests"] = {**run.evidence, **counts}
        if reason:
            raise Failed("tests", reason, evidence["tests"], Cause.TESTS_LOST)
        after_tests(odd)
        return applied

    def _bent(self, job: _Job) -> list[str]:
        outside = symbols.outside(job.gold.symbols_of_tests)
        return words.bent(job.patch, job.task, job.gold.words, outside)

    def _attack(self, job: _Job, applied: Applied) -> None:
        """Replay the PoC in a sandbox of its own. Raises Decided where it crashes, or may have."""
        gold, evidence = job.gold, job.evidence
        with self._fresh(job) as box:
            if applied.state is not None:
                applied.state.bring(box, job.task.spec.environment.workdir)
            else:
                apply(box, job.task, job.patch, gold.files)
            guard = watch(box, job.task, gold.files, applied.tracked)
            build_target(box, job.task, "the fuzz target does not build with it", self.cache)
            evidence["tampering"] += guard.touched(gold.self_touched)
            after_build(evidence["tampering"], Cause.POC_TAMPERED)
            odd, calls = symbols.odd(box, job.task, gold.symbols)
            evidence["symbols"] += odd
            evidence["unbounded"] += calls
            try:
                self._replay(box, job)
            except NotRun as error:
                raise Failed("poc", f"the fuzz target was not built: {error}", {}) from error

    def _replay(self, box: Sandbox, job: _Job) -> None:
        """The PoC, what lies around it, and before and after that the control. Raises Decided, NotRun."""
        gold, evidence, attack = job.gold, job.evidence, attack_of(job.task)
        preload = gold.control.preload()
        crash, found = replay(box, attack, self.cache, gold.poc_via == "output", preload)
        known = crash is not None and historical(job.task, crash)
        seen = {"crash": crash.to_json(), "historical": known} if crash else {"crash": None}
        evidence["poc"] = {**found, **seen}
        after_poc(crash, known, evidence["symbols"], found["status"], _endings(job))
        control = evidence["control"] = {"available": bool(preload.files), "reported": []}
        self._check_control(box, job, control)
        evidence["neighbours"] = stand(box, job.task, gold.around, preload, gold.leak_free)
        after_neighbours(evidence["neighbours"], repair=job.repairs)
        self._check_control(box, job, control)
        if gold.suite_of_target is not None:
            run = tested_as_target(self.backend, box, job.task, self.cache)
            lost, counts = judge(gold.suite_of_target, run)
            evidence["tests_of_target"] = {**run.evidence, **counts}
            after_tests_of_target(lost)
        for variant, holds in zip(job.task.spec.poc.variants, gold.variants, strict=False):
            if holds:
                seen = elsewhere(box, job.task, variant, self.cache)
                evidence.setdefault("variants", []).append(seen)
                after_variant(seen)

    def _check_control(self, box: Sandbox, job: _Job, found: dict[str, Any]) -> None:
        if found["available"]:
            take = reported(box, attack_of(job.task), job.gold.control, self.cache)
            found["reported"].append(take)
            after_control(found["reported"])

    def _scan(self, job: _Job, applied: Applied) -> scanning.SastEvidence:
        facts = job.patch.facts
        found = scanning.compare(
            applied.before,
            applied.after,
            renames=facts.renames,
            added={f.new: frozenset(f.added) for f in facts.files if f.new},
            scanner=self.scanner(job.task),
        )
        lost = (NotScanned(path, (), "too large to be read", False) for path in applied.lost)
        return replace(found, not_scanned=(*lost, *found.not_scanned))


def _endings(job: _Job) -> frozenset[int]:
    """The statuses that a target may end with on the PoC: the fixed one's.

    A repair may refuse what the fix takes, and the other way round: there, all that the fixed one ends with.
    """
    if job.gold.poc_ending is None:
        return frozenset()
    around = (status for status, _ in job.gold.around if status is not None)
    return frozenset((job.gold.poc_ending, *(around if job.repairs else ())))
