"""Runs of suites without a sandbox: one that answers from a script, and reports as they would be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from harness.command import Command, ExecResult
from harness.grade.testing import SuiteRun
from harness.sandbox import archive
from parsers.outcomes import Level, Outcome, TestReport
from tasks.schema import SuiteSpec


@dataclass
class ScriptedSandbox:
    """Answers each command with the next result, and keeps what it was asked for."""

    results: list[ExecResult]
    reports: dict[str, bytes] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    collected: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def start(self) -> None: ...
    def stop(self) -> None: ...

    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None:
        self.files.update(files)

    def exec(self, command: Command) -> ExecResult:
        self.commands.append(command)
        return self.results.pop(0)

    def get(self, paths: Sequence[str], base: str) -> bytes:
        self.collected.append((tuple(paths), base))
        return archive.pack(self.reports, 0o644, 0)


def ended(
    status: int = 0, output: bytes = b"", stopped: str = "", over: bool = False
) -> ExecResult:
    return ExecResult(status, output, 1.23456, stopped, over, 0.98765)


def task_of(tests: SuiteSpec, as_target: SuiteSpec | None = None, runs: int = 1) -> Any:
    """What this step reads of a task."""
    fields = {name: getattr(tests, name) for name in SuiteSpec.model_fields} | {"runs": runs}
    environment = SimpleNamespace(workdir="/src/t", timeout=30.0, image="arena/cpp")
    poc = SimpleNamespace(tests=as_target, sanitizer="leak")
    limits = SimpleNamespace(cpus=1.0, memory="1g", pids=64, disk="1g")
    spec = SimpleNamespace(
        tests=SimpleNamespace(**fields), environment=environment, poc=poc, limits=limits
    )
    return SimpleNamespace(id="t", spec=spec)


def report(
    outcomes: Mapping[str, str], complete: bool = True, problems: Sequence[str] = ()
) -> TestReport:
    known = {name: Outcome(outcome) for name, outcome in outcomes.items()}
    return TestReport(known, Level.CASES, complete, tuple(problems))


def suite_run(
    outcomes: Mapping[str, str],
    done: ExecResult | None = None,
    complete: bool = True,
    problems: Sequence[str] = (),
    evidence: Mapping[str, Any] | None = None,
) -> SuiteRun:
    return SuiteRun(done or ended(), report(outcomes, complete, problems), dict(evidence or {}))
