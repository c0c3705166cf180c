"""Builds a state of a project in fresh sandboxes, runs its tests and replays its corpus.

Suite and fuzz target have a sandbox each, as in grading: no code of the tests can
influence a replay.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.gate.checkout import GitState, ProjectCheckout
from arena.gate.findings import is_worse
from arena.gate.project import FuzzTarget, Project
from harness.grade.attack import NOT_RUN, Attack, NotRun, replay
from harness.grade.building import Failed, build, ending, log_of, with_errors
from harness.grade.control import Control, control_of, is_control_reported
from harness.grade.environment import limits_of, put_folder, sandbox
from harness.grade.evidence import SuiteOutcomes
from harness.grade.neighbours import (
    INPUT_TIMEOUT_S,
    REPLAY_TIMEOUT_S,
    TIMEOUT_KIND,
    InputEnding,
    endings,
)
from harness.grade.ports import ResultCache
from harness.grade.testing import NothingPasses, SuiteRun, outcomes_of, run_suite
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from parsers.crashes import Crash

# Seconds for ending an input that does not end in time, and for starting the next.
KILL_DELAY_S = 2.0
MAX_BATCH = 200
# Crashing inputs that are replayed again, for the whole report and, if late, with the whole time limit.
MAX_REPORTS = 20
LATE = Crash("signal", "timeout", "", None, None, (), None, TIMEOUT_KIND)


class StateNotBuilt(Exception):
    """A state does not build. step: build, tests or poc. log: the last lines of the build."""

    def __init__(self, step: str, reason: str, log: str) -> None:
        super().__init__(reason)
        self.step, self.reason, self.log = step, reason, log


def _no_outcomes() -> SuiteOutcomes:
    return {"outcomes": {}, "unstable": [], "status": 0, "complete": False, "level": ""}


@dataclass(frozen=True)
class BaseSuite:
    """BASE's outcomes, as `outcomes_of` returns them, or why there are none."""

    outcomes: SuiteOutcomes = field(default_factory=_no_outcomes)
    reason: str = ""
    builds: bool = True


@dataclass(frozen=True)
class Replays:
    """How a state's target ends on inputs, in their order. reports: digest of the report by number.

    reports_errors: whether a deliberate error in the target is reported; None where that cannot be tried.
    """

    crashes: tuple[Crash | None, ...]
    reports: Mapping[int, str] = field(default_factory=dict)
    reports_errors: bool | None = None
    build_seconds: float = 0.0


@dataclass(frozen=True)
class Sandboxed:
    """A project, its checkout, and what runs its states. image: identity of the environment's image."""

    backend: Backend
    cache: ResultCache
    project: Project
    checkout: ProjectCheckout
    image: str

    @contextmanager
    def open(self, state: GitState) -> Iterator[Sandbox]:
        """A started sandbox with a state's files and nothing built."""
        with (
            tempfile.TemporaryDirectory(prefix="arena-gate-") as scratch,
            sandbox(self.backend, self.image, limits_of(self.project)) as box,
        ):
            self.checkout.write(state.tree, Path(scratch))
            put_folder(box, Path(scratch), self.project.spec.environment.workdir)
            yield box

    def observe_base(self, base: GitState) -> BaseSuite:
        """BASE's outcomes over `tests.runs` runs. Raises a SandboxFault."""
        with self.open(base) as box:
            try:
                self._build_tests(box)
                return BaseSuite(outcomes_of(self.project, lambda: self._run_suite(box)))
            except StateNotBuilt as fault:
                return BaseSuite(reason=f"BASE: {fault.reason}", builds=fault.step != "build")
            except NothingPasses as fault:
                return BaseSuite(reason=f"BASE: {_describe_runs(fault.runs)}")

    def run_head(self, head: GitState, base: BaseSuite) -> list[SuiteRun]:
        """HEAD's runs of the suite: up to `tests.runs` if the first is worse than BASE's outcomes.

        Raises StateNotBuilt and a SandboxFault.
        """
        with self.open(head) as box:
            self._build_tests(box)
            # That HEAD builds is known now; there are no outcomes of BASE to compare runs with.
            if base.reason:
                return []
            runs = [self._run_suite(box)]
            while len(runs) < self.project.spec.tests.runs and is_worse(base.outcomes, runs[-1]):
                runs.append(self._run_suite(box))
        return runs

    def _run_suite(self, box: Sandbox) -> SuiteRun:
        return run_suite(self.backend, box, self.project, self.cache, self.project.spec.tests)

    def _build_tests(self, box: Sandbox) -> None:
        spec = self.project.spec
        self._build(box, spec.environment.build, "build", "it does not build")
        if spec.tests.build:
            self._build(box, spec.tests.build, "tests", "its tests do not build")

    def _build(self, box: Sandbox, line: str, step: str, what: str) -> float:
        """Run a build; returns its seconds. Raises StateNotBuilt."""
        try:
            evidence = build(box, self.project, line, step, what, self.cache)
        except Failed as failed:
            reason = with_errors(failed.reason, log_of(failed, self.cache))
            raise StateNotBuilt(step, reason, str(failed.evidence.get("tail", ""))) from failed
        return float(evidence["seconds"])

    def attack(
        self, state: GitState, target: FuzzTarget, inputs: Sequence[bytes], times: int = 1
    ) -> Replays:
        """Build the target and replay inputs, each `times` times in separate processes.

        Raises StateNotBuilt, NotRun where the target does not start, and a SandboxFault.
        """
        control = Control()
        if target.sanitizer != "none":
            control = control_of(self.backend, self.project.spec.environment.image, self.cache)
        with self.open(state) as box:
            line = target.build or self.project.spec.environment.build
            seconds = self._build(box, line, "poc", "the fuzz target does not build")
            workdir = self.project.spec.environment.workdir
            attack = Attack(target.command, target.sanitizer, None, workdir, target.timeout)
            repeated = _crashes(box, attack, [data for data in inputs for _ in range(times)])
            rows = [repeated[n : n + times] for n in range(0, len(repeated), times)]
            crashes = [next((crash for crash in row if crash), None) for row in rows]
            reports: dict[int, str] = {}
            for number in [n for n, crash in enumerate(crashes) if crash][:MAX_REPORTS]:
                again, report = self._replay_again(box, replace(attack, poc=inputs[number]))
                if report:
                    reports[number] = report
                if crashes[number] is LATE:  # a busy machine is no hang
                    crashes[number] = again
            quiet = [data for data, crash in zip(inputs, crashes, strict=True) if crash is None]
            works = None
            if control.library and quiet:
                # An input without a crash: the deliberate error must be the only one to be reported.
                attack = replace(attack, poc=quiet[0])
                works = is_control_reported(box, attack, control, self.cache)
        return Replays(tuple(crashes), reports, works, seconds)

    def _replay_again(self, box: Sandbox, attack: Attack) -> tuple[Crash | None, str]:
        """The crash in the project's whole time limit, and the digest of its report ("" for none)."""
        crash, evidence = replay(box, attack, self.cache, trust_output=False)
        return crash, evidence.get("report", "")


def _describe_runs(runs: Sequence[SuiteRun]) -> str:
    """Why there are no outcomes to compare with."""
    if runs[-1].done.stopped:
        return f"the suite {ending(runs[-1].done)}"
    problems = "; ".join(runs[0].report.problems[:2]) or "all that it reports fail"
    return f"no test passes in each of {len(runs)} runs ({problems})"


def batch_size(timeout: float) -> int:
    """Inputs for a command whose time limit does not end it though all of them are late."""
    return min(
        MAX_BATCH, max(1, int(REPLAY_TIMEOUT_S // (min(INPUT_TIMEOUT_S, timeout) + KILL_DELAY_S)))
    )


def _crashes(box: Sandbox, attack: Attack, inputs: Sequence[bytes]) -> list[Crash | None]:
    """The crash of each input, LATE where it never ends. Raises NotRun."""
    size = batch_size(attack.timeout)
    observed: list[InputEnding] = []
    for start in range(0, len(inputs), size):
        observed += endings(box, attack, inputs[start : start + size], symbolize=True)
    # All of them, since a target may well end with such a status on an input.
    if observed and all(ending.status in NOT_RUN for ending in observed):
        raise NotRun(f"poc.command cannot be run: exit status {observed[0].status}")
    return [LATE if e.crash is None and e.status is None else e.crash for e in observed]
