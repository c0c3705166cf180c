"""The order of the gate's steps: BASE's outcomes from the cache or anew, and HEAD against them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

from arena.gate.checkout import GitState, ProjectCheckout, TreeChanges
from arena.gate.corpus import (
    BaseTarget,
    choose_inputs,
    compare_replays,
    describe_missing_corpus,
)
from arena.gate.findings import GateCause, GateFinding, compare_scans, compare_tests
from arena.gate.project import GATE_VERSION, FuzzTarget, Project
from arena.gate.report import CheckStatus, GateCheck, GatePart, GateReport
from arena.gate.states import BaseSuite, Replays, Sandboxed, StateNotBuilt
from harness.bounded import OverLimit
from harness.grade import sast
from harness.grade.attack import MAX_REPLAYS, NotRun
from harness.grade.oracle import matches_any
from harness.grade.ports import ResultCache, digest_of
from harness.grade.version import GRADER_VERSION
from harness.sandbox.base import Backend

NOT_BUILT = {"build": GateCause.NOT_BUILT, "tests": GateCause.TESTS_NOT_BUILT}
Say = Callable[[str], None]


def report_undecided(step: str, reason: str, findings: Sequence[GateFinding] = ()) -> GatePart:
    """A check that came to no result."""
    return GatePart(GateCheck(step, CheckStatus.UNDECIDED, reason), tuple(findings))


def report_decided(step: str, reason: str, findings: Sequence[GateFinding] = ()) -> GatePart:
    """A check that came to a result, whatever it is."""
    return GatePart(GateCheck(step, CheckStatus.DECIDED, reason), tuple(findings))


class ChangeGate:
    """Compares HEAD with BASE. say: called with each step as it begins."""

    def __init__(
        self,
        backend: Backend,
        cache: ResultCache,
        checkout: ProjectCheckout,
        project: Project,
        scanner: sast.Scanner,
        say: Say,
    ) -> None:
        environment = project.spec.environment
        image = backend.resolve(environment.image, environment.packages)
        self._image_digest = backend.content_of(image).digest
        self._cache, self._checkout, self._project = cache, checkout, project
        self._states = Sandboxed(backend, cache, project, checkout, image)
        self._scanner, self._say = scanner, say
        self._seconds: dict[str, float] = {}

    def compare(self, base: GitState, head: GitState, strict: bool = False) -> GateReport:
        """The report on HEAD. Raises a SandboxFault: what a machine does is nobody's finding."""
        changes = self._checkout.changes(base, head)
        # Tests, corpus and scan need nothing of each other.
        with self._clock("total"), ThreadPoolExecutor(2) as pool:
            scan = pool.submit(self._scan, changes)
            poc = pool.submit(self._attack, base, head)
            parts = (self._test(base, head, changes), poc.result(), scan.result())
        test_files = self._project.spec.tests.files
        return GateReport(
            project=self._project,
            base=base,
            head=head,
            parts=parts,
            changed_tests=tuple(sorted(p for p in changes.paths if matches_any(p, test_files))),
            submodules=tuple(self._checkout.submodules(head.tree)),
            seconds={name: round(value, 1) for name, value in self._seconds.items()},
            strict=strict,
        )

    @contextmanager
    def _clock(self, name: str) -> Iterator[None]:
        """Add a step's seconds of wall time."""
        start = time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.monotonic() - start

    def _key(self, what: str, state: GitState, *tables: str) -> str:
        """What a state's outcomes are cached under: all that can change them."""
        facts = (str(GATE_VERSION), str(GRADER_VERSION), self._image_digest, state.tree)
        return f"gate-{what}:" + digest_of(*facts, self._project.spec.digest(*tables))

    def _test(self, base: GitState, head: GitState, changes: TreeChanges) -> GatePart:
        """Builds and suite of HEAD against BASE's."""
        suite = self._base_suite(base)
        self._say(f"HEAD {head.label}: build, tests")
        try:
            with self._clock("head"):
                runs = self._states.run_head(head, suite)
        except StateNotBuilt as fault:
            # BASE came no further than this step: that HEAD fails here says nothing of the change.
            if not suite.builds or (suite.reason and fault.step == "tests"):
                reason = f"{suite.reason}; HEAD: {fault.reason}"
                return report_undecided("tests", reason)
            finding = GateFinding(NOT_BUILT[fault.step], "", fault.reason, facts={"log": fault.log})
            return report_decided("tests", fault.reason, [finding])
        if suite.reason:
            return report_undecided("tests", suite.reason)
        test_files = self._project.spec.tests.files
        findings = compare_tests(suite.outcomes, runs, test_files, changes.paths)
        tests = {name: str(how) for name, how in runs[0].report.outcomes.items()}
        stable, flaky = len(suite.outcomes["outcomes"]), len(suite.outcomes["unstable"])
        reason = f"{len(tests)} tests at HEAD; {stable} stable and {flaky} flaky ones at BASE"
        return replace(report_decided("tests", reason, findings), tests=tests)

    def _base_suite(self, base: GitState) -> BaseSuite:
        key = self._key("suite", base, "environment", "tests", "limits")
        fact = self._cache.fact(key)
        if fact is not None:
            return BaseSuite(**fact)
        self._say(f"BASE {base.label}: build, tests")
        with self._clock("base"):
            suite = self._states.observe_base(base)
        self._cache.put_fact(key, {**vars(suite), "outcomes": dict(suite.outcomes)})
        return suite

    def _attack(self, base: GitState, head: GitState) -> GatePart:
        """HEAD's target on the corpus; BASE's only on what crashes at HEAD."""
        target = self._project.spec.poc
        if target is None:
            skipped = GateCheck("poc", CheckStatus.SKIPPED, "project.toml has no [poc]")
            return GatePart(skipped)
        trees = [self._checkout.files(state.tree) for state in (head, base)]
        corpus, left_out = choose_inputs(self._checkout, target, trees)
        if not corpus:
            missing = describe_missing_corpus(target, self._checkout.top, head)
            return report_undecided("poc", missing, left_out)
        self._say(f"HEAD {head.label}: fuzz target, inputs: {len(corpus)}")
        try:
            replays = self._replay(head, target, list(corpus))
        except (StateNotBuilt, NotRun) as fault:
            # One input suffices to see whether BASE's target builds and starts.
            at_base = self._base_target(base, target, [next(iter(corpus))])
            if at_base.reason:
                return report_undecided("poc", f"BASE: {at_base.reason}; HEAD: {fault}", left_out)
            facts = {"log": getattr(fault, "log", "")}
            finding = GateFinding(GateCause.TARGET_NOT_BUILT, "", str(fault), facts=facts)
            return report_decided("poc", str(fault), [finding, *left_out])
        doubtful = [blob for blob, crash in zip(corpus, replays.crashes, strict=True) if crash]
        if replays.reports_errors is False:
            # BASE needs an input without a crash too, to tell whether its sanitizer reports errors.
            doubtful += [blob for blob in corpus if blob not in doubtful][:1]
        at_base = self._base_target(base, target, doubtful) if doubtful else BaseTarget()
        if at_base.reason:
            reason = f"inputs that crash at HEAD: {len(doubtful)}; BASE: {at_base.reason}"
            return report_undecided("poc", reason, left_out)
        workdir = self._project.spec.environment.workdir
        findings = compare_replays(corpus, replays, at_base, workdir, trees[0])
        reason = f"inputs replayed: {len(corpus)}"
        if replays.reports_errors is not True:
            reason += "; whether the sanitizer is at work is not known"
        kinds = [crash.kind if crash else "" for crash in replays.crashes]
        inputs = dict(zip(corpus.values(), kinds, strict=True))
        return replace(report_decided("poc", reason, [*findings, *left_out]), inputs=inputs)

    def _replay(
        self, state: GitState, target: FuzzTarget, blobs: list[str], times: int = 1
    ) -> Replays:
        with self._clock("poc"):
            inputs = [self._checkout.read(blob) for blob in blobs]
            replays = self._states.attack(state, target, inputs, times)
        so_far = self._seconds.get("target", 0.0)
        self._seconds["target"] = so_far + replays.build_seconds
        return replays

    def _base_target(self, base: GitState, target: FuzzTarget, blobs: list[str]) -> BaseTarget:
        """How BASE's target ends on inputs; those that were replayed before come from the cache."""
        key = self._key("target", base, "environment", "poc", "limits")
        at_base = BaseTarget.from_json(self._cache.fact(key) or {})
        new = [blob for blob in blobs if blob not in at_base.crashes]
        if new and not at_base.reason:
            self._say(f"BASE {base.label}: fuzz target, inputs: {len(new)}")
            try:
                # Several times, so that a crash that comes only now and then at BASE does not pass for a new
                # one.
                at_base = at_base.add(new, self._replay(base, target, new, MAX_REPLAYS))
            except (StateNotBuilt, NotRun) as fault:
                at_base = BaseTarget(reason=str(fault))
            self._cache.put_fact(key, at_base.to_json())
        return at_base

    def _scan(self, changes: TreeChanges) -> GatePart:
        """New findings of the scanner."""
        try:
            with self._clock("sast"):
                scan = sast.compare(
                    changes.before,
                    changes.after,
                    renames=changes.renames,
                    added={},
                    scanner=self._scanner,
                )
        except (sast.ScanFailed, OverLimit) as fault:
            return report_undecided("sast", str(fault))
        reason = f"{len(scan.scanned)} of {len(changes.after)} changed files scanned"
        return report_decided("sast", reason, compare_scans(scan))
