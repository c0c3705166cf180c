"""The order of the steps, what is undecided, and what BASE's outcomes save: states are scripted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.gate.checkout import GitState, ProjectCheckout
from arena.gate.findings import GateCause
from arena.gate.project import FuzzTarget, load_project
from arena.gate.report import GateReport
from arena.gate.run import ChangeGate
from arena.gate.states import BaseSuite, Replays, StateNotBuilt
from harness.command import ExecResult
from harness.grade.attack import NotRun
from harness.grade.ports import MemoryCache
from harness.grade.sast import ScanFailed, Scanner, ScanOutput
from harness.grade.testing import SuiteRun
from harness.sandbox.base import Backend
from parsers.crashes import Crash
from parsers.outcomes import Level, Outcome, TestReport
from szz.repository import Repository
from tests.arena.gate import PROJECT
from tests.mini import git, write

CRASH = Crash("address", "heap-buffer-overflow", "write", 1, None, (), "CWE-122", "")
OUTCOMES = {"one": "passed"}
GREEN = {"outcomes": OUTCOMES, "unstable": [], "status": 0, "complete": True, "level": "cases"}
RUN = SuiteRun(
    ExecResult(0, b"", 1.0), TestReport({"one": Outcome.PASSED}, Level.CASES, True, ()), {}
)
NO_BUILD = StateNotBuilt("build", "it does not build", "error: x")
NO_TARGET = StateNotBuilt("poc", "the fuzz target does not build", "error: y")


@dataclass
class Script:
    """How states behave; `calls` lists what was asked of them."""

    base: BaseSuite = field(default_factory=lambda: BaseSuite(GREEN))
    head: Exception | None = None
    crashes: dict[str, Crash] = field(default_factory=dict)
    head_target: Exception | None = None
    base_target: Exception | None = None
    control: dict[str, bool] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    def observe_base(self, base: GitState) -> BaseSuite:
        self.calls.append("base suite")
        return self.base

    def run_head(self, head: GitState, base: BaseSuite) -> list[SuiteRun]:
        if self.head:
            raise self.head
        return [] if base.reason else [RUN]

    def attack(
        self, state: GitState, target: FuzzTarget, inputs: Sequence[bytes], times: int = 1
    ) -> Replays:
        self.calls.append(f"{state.name} target {len(inputs)}x{times}")
        fault = self.head_target if state.name == "." else self.base_target
        if fault:
            raise fault
        found = [self.crashes.get(f"{state.name}:{data.decode()}") for data in inputs]
        return Replays(tuple(found), {}, self.control.get(state.name, True))


class Scanning:
    """A scanner that reads everything and finds nothing."""

    name, version, canary = "none", "1", None

    def wants(self, path: str) -> bool:
        return True

    def scan(self, root: Path) -> ScanOutput:
        read = (str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
        return ScanOutput((), frozenset(read), (), 1)


class BrokenScanner(Scanning):
    def scan(self, root: Path) -> ScanOutput:
        raise ScanFailed("it has no rule")


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[ProjectCheckout]:
    """A project with a commit, and a change in its working tree."""
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, {"project.toml": PROJECT, "a.c": "int a;\n", "fuzz/corpus/one": "1"})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "First")
    write(tmp_path, {"a.c": "int b;\n", "fuzz/corpus/two": "2"})
    with Repository(tmp_path) as repository:
        yield ProjectCheckout(repository)


@pytest.fixture
def cache() -> MemoryCache:
    return MemoryCache()


class FakeBackend:
    def resolve(self, image: str, packages: Sequence[str] = ()) -> str:
        return image

    def content_of(self, image: str) -> Any:
        return SimpleNamespace(digest="image")


def compare(
    checkout: ProjectCheckout,
    cache: MemoryCache,
    script: Script,
    scanner: Scanner | None = None,
) -> GateReport:
    states = checkout.state("main"), checkout.state(".")
    project = load_project(checkout.top / "project.toml", checkout, *states)
    backend = cast(Backend, FakeBackend())
    gate = ChangeGate(backend, cache, checkout, project, scanner or Scanning(), lambda step: None)
    gate._states = cast(Any, script)
    return gate.compare(*states)


def reasons(report: GateReport) -> list[str]:
    return [f"{part.check.step} {part.check.status}: {part.check.reason}" for part in report.parts]


def causes(report: GateReport) -> list[GateCause]:
    return [finding.cause for finding in report.findings]


def test_change_that_breaks_nothing_passes(checkout: ProjectCheckout, cache: MemoryCache) -> None:
    script = Script()
    report = compare(checkout, cache, script)
    assert (report.exit_code, causes(report)) == (0, [])
    assert reasons(report)[:2] == [
        "tests decided: 1 tests at HEAD; 1 stable and 0 flaky ones at BASE",
        "poc decided: inputs replayed: 2",
    ]
    assert sorted(script.calls) == [". target 2x1", "base suite"], "BASE's target is not needed"


def test_base_is_observed_once(checkout: ProjectCheckout, cache: MemoryCache) -> None:
    first = Script(crashes={".:1": CRASH, "main:1": CRASH})
    report = compare(checkout, cache, first)
    assert (report.exit_code, causes(report)) == (0, [GateCause.CRASH_AT_BASE])
    assert "main target 1x3" in first.calls
    again = Script(crashes=first.crashes)
    assert compare(checkout, cache, again).findings == report.findings
    assert again.calls == [". target 2x1"]
    more = Script(crashes={**first.crashes, ".:2": CRASH})
    assert causes(compare(checkout, cache, more)) == [GateCause.CRASH_AT_BASE, GateCause.CRASH]
    assert sorted(more.calls) == [". target 2x1", "main target 1x3"], "only the input that is new"


@pytest.mark.parametrize(
    ("script", "code", "cause", "part"),
    [
        (Script(head=NO_BUILD), 1, [GateCause.NOT_BUILT], "tests decided: it does not build"),
        (
            Script(head=StateNotBuilt("tests", "its tests do not build", "")),
            1,
            [GateCause.TESTS_NOT_BUILT],
            "tests decided: its tests do not build",
        ),
        (
            Script(base=BaseSuite(reason="BASE: it does not build", builds=False), head=NO_BUILD),
            3,
            [],
            "tests undecided: BASE: it does not build; HEAD: it does not build",
        ),
        (
            Script(base=BaseSuite(reason="BASE: no test passes"), head=NO_BUILD),
            1,
            [GateCause.NOT_BUILT],
            "tests decided: it does not build",
        ),
        (
            Script(base=BaseSuite(reason="BASE: no test passes")),
            3,
            [],
            "tests undecided: BASE: no test passes",
        ),
        (
            Script(head_target=NO_TARGET),
            1,
            [GateCause.TARGET_NOT_BUILT],
            "poc decided: the fuzz target does not build",
        ),
        (
            Script(head_target=NotRun("no such file"), base_target=NO_TARGET),
            3,
            [],
            "poc undecided: BASE: the fuzz target does not build; HEAD: no such file",
        ),
        (
            Script(crashes={".:1": CRASH}, base_target=NO_TARGET),
            3,
            [],
            "poc undecided: inputs that crash at HEAD: 1; BASE: the fuzz target does not build",
        ),
        (Script(crashes={".:1": CRASH}), 1, [GateCause.CRASH], "poc decided: inputs replayed: 2"),
        (
            Script(control={".": False, "main": True}),
            1,
            [GateCause.SANITIZER_OFF],
            "poc decided: inputs replayed: 2; whether the sanitizer is at work is not known",
        ),
        (
            Script(control={".": False, "main": False}),
            0,
            [],
            "poc decided: inputs replayed: 2; whether the sanitizer is at work is not known",
        ),
    ],
)
def test_what_is_found_and_what_is_undecided(
    checkout: ProjectCheckout,
    cache: MemoryCache,
    script: Script,
    code: int,
    cause: list[GateCause],
    part: str,
) -> None:
    report = compare(checkout, cache, script)
    assert part in reasons(report)
    assert (report.exit_code, causes(report)) == (code, cause)


def test_scanner_that_fails_is_no_pass(checkout: ProjectCheckout, cache: MemoryCache) -> None:
    report = compare(checkout, cache, Script(), BrokenScanner())
    assert reasons(report)[2] == "sast undecided: it has no rule"
    assert report.exit_code == 3


def test_corpus_that_is_empty_is_no_pass(checkout: ProjectCheckout, cache: MemoryCache) -> None:
    git(checkout.top, "rm", "-q", "-r", "fuzz")
    git(checkout.top, "commit", "-q", "-m", "No corpus")
    (checkout.top / "fuzz/corpus/two").unlink(missing_ok=True)
    report = compare(checkout, cache, Script())
    assert reasons(report)[1] == "poc undecided: poc.corpus names no file of BASE or HEAD"
    assert report.exit_code == 3
