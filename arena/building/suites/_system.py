"""The interface of a build system's file, and the suite that it detects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.building.suites._build import BuildFacts
from arena.building.suites._tree import SourceTree
from tasks.schema import Tests

# Even exit codes of the system in use (0.95 * 0.5) come before a whole report of one that is not (0.4).
# How well a system fits the shipped build command: it uses it, there is none, the script that it runs uses
# it, it uses another one.
FIT = {"named": 0.95, "unknown": 0.75, "script": 0.45, "other": 0.4, "guess": 0.3}

CONSOLES = "ctest cmocka check gtest cunit spec-tests python-unittest meson-console"
# How much a report can be relied on; what is not listed writes a report of its own (1.0), and more than
# that is finer than the programs that a build system runs.
DETAIL = {
    **dict.fromkeys(CONSOLES.split(), 0.9),
    **dict.fromkeys(("jq-run-tests", "auto"), 1.01),
    "mruby-test": 0.8,
    "exit-codes": 0.5,
}


@dataclass(frozen=True)
class FoundSuite:
    """The commands that build and run a suite, with the fields of `tasks.schema.Tests`.

    `confidence` (0 to 1) orders the suites of a project and is no probability; `why` names the
    evidence in a line.
    """

    system: str
    build: str
    command: str
    parser: str
    report: tuple[str, ...]
    files: tuple[str, ...]
    confidence: float
    why: str

    def tests(self, timeout: float = 300, runs: int = 3) -> Tests:
        """The `[tests]` of a task. Raises pydantic's ValidationError when a field does not fit."""
        return Tests(
            build=self.build,
            command=self.command,
            parser=self.parser,
            report=self.report,
            files=self.files,
            timeout=timeout,
            runs=runs,
        )

    def inside(self, folder: str, files: Sequence[str]) -> FoundSuite:
        """The suite of a project in `folder` of the repository; `files` are the oracle's beside it."""
        enter = f"cd {folder} || exit 1; "
        return replace(
            self,
            build=self.build and enter + self.build,
            command=enter + self.command,
            report=tuple(f"{folder}/{path}" for path in self.report),
            files=tuple(dict.fromkeys([*files, *(f"{folder}/{glob}" for glob in self.files)])),
            why=f"{self.why}, in {folder}",
        )

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "report": list(self.report), "files": list(self.files)}


@dataclass(frozen=True)
class SuiteExample:
    """Files of a project, its build command, and fields of its expected suite (None: no suite)."""

    files: Mapping[str, str]
    suite: Mapping[str, object] | None
    build: str = ""
    workdir: str = ""
    ctest: tuple[int, int] = (3, 25)
    why: str = ""


@dataclass(frozen=True)
class System:
    """A build system: `find` returns the suite of a project, or None when it has none of its kind."""

    name: str
    examples: Sequence[SuiteExample]
    find: Callable[[SourceTree, BuildFacts], FoundSuite | None]


def fit(build: BuildFacts, *programs: str) -> str:
    """Which FIT a shipped build command is for a system that `programs` belong to."""
    if not build.line.strip():
        return "unknown"
    if any(build.uses(program) for program in programs):
        return "named"
    return "script" if build.script & set(programs) else "other"


def confidence(how: str, parser: str) -> float:
    """Confidence in a suite, from its FIT and its parser."""
    return round(FIT[how] * DETAIL.get(parser, 1.0), 3)
