"""Classifiers: why a killed mutant was killed. A file each, looked up by its name (`--classifier`).

A classifier is its file's `PLUGIN`, an object with a method `classify`. The five categories are those of
SecMutBench, Section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from arena.tracks.mutation.runner.facts import RunResult
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.program import Program


class Category(StrEnum):
    """What a kill shows, the best category first: the original resolves ties in this order."""

    SEMANTIC = "semantic"
    FUNCTIONAL = "functional"
    INCIDENTAL = "incidental"
    CRASH = "crash"
    UNCLASSIFIED = "other"


class RunsTests(Protocol):
    """What runs jobs: `arena.tracks.mutation.runner.pool.TestRunner`, or a stand-in."""

    def run(self, job: SuiteJob) -> RunResult:
        """Run a job. Safe to call from several threads."""
        ...


@dataclass(frozen=True)
class KilledMutant:
    """The mutant of a kill; `variant` is "" for a stored mutant whose dataset names no variant."""

    id: str
    operator: str
    code: str
    variant: str = ""


@dataclass(frozen=True)
class Kill:
    """A mutant on which a suite failed that passes on the secure program, with the results of both.

    `tests` is the suite's source; `runner` serves for further runs.
    """

    program: Program
    mutant: KilledMutant
    tests: str
    secure: RunResult
    run: RunResult
    runner: RunsTests


class Classifier(Protocol):
    """Classifies a kill.

    A classifier that reproduces a different environment may also have `lacking`, a tuple of names that the
    modules under test must not have (see `arena.tracks.mutation.runner.job.SuiteJob`).
    """

    def classify(self, kill: Kill) -> tuple[Category, str]:
        """The category and, in words, why. Raises only where the machine is at fault."""
        ...


PACKAGE = "arena.tracks.mutation.classify"


def load_classifier(name: str) -> Classifier:
    """The classifier of that name, or at `module:attribute`. Raises UnknownName, which lists all names."""
    from parsers import registry

    result: Classifier = registry.lookup(PACKAGE, name)
    return result
