"""The grader: from a patch of a task to a verdict with its evidence.

Fresh sandboxes from the same environment: the suite runs in the first, the fuzz target in the second, each
variant of it in a further sandbox. So code under test cannot influence a replay, what a replay writes is
built by nobody, and the PoC is never present where tests run.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, cast

from harness.bounded import ReaderLost
from harness.grade import inputs
from harness.grade import sast as scanning
from harness.grade.apply import examine
from harness.grade.building import Failed
from harness.grade.decide import (
    LABEL,
    REPRODUCE_STEP,
    SPOILT_STEP_CAUSES,
    Decided,
    Spoilt,
    end_to_end,
    judge_scan,
)
from harness.grade.environment import Environment, identify, limits_of, prepare
from harness.grade.evidence import Evidence
from harness.grade.job import GradingJob, Sandboxes
from harness.grade.libc import exports_of
from harness.grade.ports import ResultCache, digest_of
from harness.grade.preprocessed import touches_build_files
from harness.grade.reference import Reference, reference, ship
from harness.grade.sast.remembering import RememberingScanner, ScanMemory
from harness.grade.sast.semgrep import Semgrep
from harness.grade.steps.build import apply_patch, build_product
from harness.grade.steps.product import compare_product
from harness.grade.steps.scan import scan_files
from harness.grade.steps.target import attack_target
from harness.grade.steps.tests import run_tests
from harness.grade.steps.variants import attack_variant, usable_variants
from harness.grade.verdict import Health, TaskBroken, Verdict, verdict_from
from harness.grade.version import GRADER_VERSION
from harness.sandbox.base import Backend, SandboxFault, SandboxSpoilt
from tasks.loader import Task, TaskError

Say = Callable[[str], None]
# Threads beside the tests: target, scanner, comparison, four variants at most, and sandboxes made ahead.
MAX_THREADS = 13

# Raised when grading was not possible: health `infra`.
INFRA = (SandboxFault, TaskBroken, TaskError, scanning.ScanFailed, ReaderLost)


def infra_verdict(fault: BaseException) -> Verdict:
    """The verdict of an attempt that could not be graded: no label."""
    return Verdict(None, Health.INFRA, f"{type(fault).__name__}: {fault}")


def _silent(_: str) -> None:
    return None


class Grader:
    """Grades patches with a sandbox backend; safe to use from several threads.

    `scanner` overrides the task's scanner (see `harness.grade.sast.load_scanner`); without
    `shipped` gold's outcomes that ship with a pack are not used.
    """

    def __init__(
        self, backend: Backend, cache: ResultCache, scanner: str | None = None, shipped: bool = True
    ) -> None:
        self.backend, self.cache, self._scanner = backend, cache, scanner
        self._shipped = shipped
        self._ready: dict[str, tuple[Environment, Reference]] = {}
        self._scans = ScanMemory()
        # By task: attempts on the same task wait for a single preparation, others do not wait.
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def ready(self, task: Task) -> tuple[Environment, Reference]:
        """The task's environment and gold's outcomes, built once. Raises TaskBroken, SandboxFault."""
        with self._locks[task.digest]:
            if task.digest not in self._ready:
                environment = prepare(self.backend, task)
                gold = reference(self.backend, task, environment, self.cache, self._shipped)
                self._ready[task.digest] = environment, gold
            return self._ready[task.digest]

    def ship(self, task: Task) -> None:
        """Write gold's outcomes, as `ready` has taken them, into the task's pack. Raises TaskError."""
        ship(self.backend, task, identify(self.backend, task), self.cache)

    def scanner(self, task: Task) -> scanning.Scanner:
        """The scanner of a task. Raises ScanFailed."""
        scanner = scanning.load_scanner(self._scanner or task.spec.sast.scanner)
        if isinstance(scanner, Semgrep):  # it follows no call into another file
            return RememberingScanner(scanner, self._scans)
        return scanner

    def grade_cached(self, task: Task, patch: bytes, say: Say = _silent) -> Verdict:
        """The verdict on `patch`, from the cache when the same was graded before."""
        key = self._key(task, patch)
        cached = self.cache.fact(key)
        if cached is not None:
            return verdict_from(cached)
        verdict = self.grade(task, patch, say)
        self.cache.put_fact(key, verdict.to_json())
        return verdict

    def _key(self, task: Task, patch: bytes) -> str:
        """What a verdict is filed under: all that can change it."""
        identity = identify(self.backend, task).identity
        tool = self.scanner(task).version
        # Law 4: everything that can change a label is in the key, the scanner's version included.
        return "verdict:" + digest_of(str(GRADER_VERSION), task.digest, identity, tool, patch)

    def grade(self, task: Task, patch: bytes, say: Say = _silent) -> Verdict:
        """The verdict on `patch`, graded now.

        Raises an exception of `INFRA` when the machine or the task is at fault: no patch's result. So is
        Spoilt, unless it comes each time (`harness.grade.decide.judge_spoilt_tries`).
        """
        evidence: Evidence = {}
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
            # While the environment is prepared no code of the patch has run: such a fault is not its doing.
            if step not in (*SPOILT_STEP_CAUSES, REPRODUCE_STEP):
                raise
            raise Spoilt(step, fault, evidence) from fault
        evidence["repair"] = {"label": left.label, "reason": left.reason}
        reason = f"input: {shown.reason}; patch: {left.label}: {left.reason}"
        label = end_to_end(shown.label, left.label)
        return Verdict(label, Health.OK, reason, evidence, cause=left.cause)

    def _patch(self, task: Task, patch: bytes, evidence: Evidence, say: Say) -> Verdict:
        """The verdict on a patch alone. Raises as `grade`."""
        try:
            return self._grade(task, patch, evidence, say)
        except Decided as decided:
            if isinstance(decided, Failed):
                evidence.update(cast(Evidence, {decided.step: decided.evidence}))
            evidence.setdefault("apply", {"reason": decided.reason})
            return Verdict(decided.label, Health.OK, decided.reason, evidence, cause=decided.cause)

    def _grade(self, task: Task, patch: bytes, evidence: Evidence, say: Say) -> Verdict:
        candidate = examine(patch)
        say("prepare")
        environment, gold = self.ready(task)
        if lacks := self.backend.lacks():
            evidence["lacks"] = list(lacks)
        say("build")
        libc = exports_of(self.backend, task.spec.environment.image, self.cache)
        limits = limits_of(task)
        with (  # the sandboxes are ended first, then the threads that used them
            ThreadPoolExecutor(MAX_THREADS) as pool,
            Sandboxes(self.backend, environment.image, limits, pool) as boxes,
        ):
            job = GradingJob(
                self.backend, self.cache, boxes, task, candidate, environment, gold, libc
            )
            return self._steps(job, _Beside(pool, evidence), evidence, say)

    def _steps(self, job: GradingJob, beside: _Beside, evidence: Evidence, say: Say) -> Verdict:
        """The steps in the order in which they decide, attacks beside the tests, the scan beside attacks."""
        variants = usable_variants(job)
        with job.sandboxes.open() as box:
            # An engine takes a while to start a sandbox; the patch is applied and built meanwhile.
            job.sandboxes.make_ahead(1 + len(variants))
            applied = apply_patch(box, job, evidence)
            # First of those beside the tests: `join` reports in the order of starts, whichever ends first.
            beside.start(attack_target, job, applied)
            guard = build_product(box, job, applied, evidence)
            for variant, fixed in variants:
                beside.start(attack_variant, job, applied, variant, fixed)
            if variants and touches_build_files(job.task, job.patch.paths):
                beside.start(compare_product, job, applied)
            run_tests(box, job, guard, evidence, lambda: say("tests"))
        say("poc")
        # Not earlier: a patch that fails the tests is IC, whatever a scan of it shows.
        scan = beside.submit(scan_files, job, applied, self.scanner(job.task))
        beside.join()
        say("sast")
        comparison = scan.result()
        evidence["sast"] = comparison.to_json()
        cause, reason = judge_scan(comparison, evidence["unbounded"], evidence["imports"])
        return Verdict(LABEL[cause], Health.OK, reason, evidence, cause=cause)


class _Beside:
    """Steps that run beside the tests; their evidence and decisions count in the order of their start."""

    def __init__(self, pool: ThreadPoolExecutor, evidence: Evidence) -> None:
        self._pool, self._parts = pool, cast(dict[str, Any], evidence)
        self._started: list[tuple[Future[None], Evidence]] = []
        self.submit = pool.submit

    def start(self, step: Callable[..., None], *args: Any) -> None:
        """Begin a step, which writes its evidence into its last argument."""
        part: Evidence = {}
        self._started.append((self._pool.submit(step, *args, part), part))

    def join(self) -> None:
        """Wait for all of them. Raises what the first of them raised, in the order of their start."""
        for step, part in self._started:
            try:
                step.result()
            finally:
                for name, value in part.items():
                    # Several variants add to the same list.
                    if isinstance(value, list):
                        value = [*self._parts.get(name, ()), *value]
                    self._parts[name] = value
