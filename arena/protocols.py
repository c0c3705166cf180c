"""Read this first: what a track and an engine are, and the data between them. Everything builds on these.

pack + agent, or answers from elsewhere -> attempts -> verdicts in the store -> metrics -> tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from arena.jobs import Capacity, Event, Needs, Node, Stage, StageJob
from arena.report.grid import Figure, Table
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.store.provenance import Provenance
from harness.grade.verdict import Verdict
from harness.protocols import Budget, Charge, Solution

Say = Callable[[str], None]
# Facts of tasks, by task id.
Facts = Mapping[str, TaskFacts]


@dataclass(frozen=True)
class Matrix:
    """Which attempts: agents x models x prompts x tasks x replicates. No tasks means all of the pack."""

    agents: Sequence[str]
    models: Sequence[str] = ()
    prompts: Sequence[str] = ()
    tasks: Sequence[str] = ()
    replicates: int = 1


@dataclass(frozen=True)
class Setup:
    """Everything needed to open a track: plain data that can be sent to another process.

    pack: a name or a folder; scanner: "" for the task's own; pinned: parameters of all model calls; options:
    the track's own (its `track.py` raises ValueError for others); is_plan: models need no key."""

    track: str
    pack: str
    sandbox: str = "auto"
    scanner: str = ""
    caps: Budget = field(default_factory=Budget)
    trust_agents: bool = False
    api_base: str = ""
    prices: str = ""
    allow_unknown_price: bool = False
    pinned: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    alias: bool = False
    is_plan: bool = False


@dataclass(frozen=True)
class Answers:
    """Answers from elsewhere, to be graded: attempts whose agent has ended. problems: unreadable parts."""

    found: Sequence[tuple[AttemptKey, Solution]]
    problems: Sequence[str] = ()


@dataclass(frozen=True)
class Checked:
    """The result of checking a task: (where, message) of problems and warnings; infra: not checked."""

    task: str
    problems: Sequence[tuple[str, str]] = ()
    warnings: Sequence[tuple[str, str]] = ()
    infra: bool = False
    # Additional output of `--json`.
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.problems and not self.infra


class Track(Protocol):
    """One kind of evaluation: its attempts, how they are made and graded, and what is reported.

    Faults of the machine or the task raise (`harness.grade.grader.INFRA`); threads may call methods.
    provenance: on what a stage's result rests, as of now. Reporting methods are static, without a pack.
    """

    pack_name: str

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every attempt of the matrix, once. Raises UnknownName, ValueError, TaskError or SandboxRefused
        for an impossible matrix, before anything is spent."""

    def answers(self, path: Path) -> Answers:
        """The answers in a file or folder, in any of the track's formats. Raises ValueError for others."""

    def check(self, tasks: Sequence[str], workers: int, say: Say) -> Iterator[Checked]:
        """Check these tasks (none: all of the pack), yielding each result as it is ready."""

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        """Facts of these tasks (none: all of the pack)."""

    def needs(self, key: AttemptKey, stage: Stage) -> Needs: ...
    def provenance(self, key: AttemptKey, stage: Stage) -> Provenance: ...
    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution: ...
    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict: ...

    def missing(self) -> str:
        """What attempts need and is currently missing (such as a container engine), as a text; or ""."""

    def close(self) -> None:
        """Close everything that the track holds open (gateways, workers)."""

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        """The track's own scores (JSON): of all attempts, and of each column under "columns"."""

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        """The tables of the track's paper for these attempts; a row for each column."""

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]: ...

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        """Differences of the track's own scores, second minus first, paired by task, with intervals."""


class Engine(Protocol):
    """Nodes on which jobs run, wherever they are; used only by the driver's thread."""

    def expect(self) -> None:
        """Check whether it can be opened, before anything is printed or stored. Raises EngineFault."""

    def open(self, setup: Setup, store: str, capacity: Capacity) -> Sequence[Node]:
        """Start; returns the nodes. Every node opens the track of `setup` and uses the store at `store`.

        capacity: of each node that does not declare its own. Raises EngineFault and what `open_track` raises.
        """

    def submit(self, job: StageJob, node: str) -> None:
        """Start a job on a node that has capacity for it. Does not wait."""

    def events(self, timeout: float) -> Sequence[Event]:
        """What happened since the last call, in order; waits up to `timeout` seconds for the first."""

    def close(self, hurry: bool = False) -> None:
        """Close. Jobs in progress are finished first, unless `hurry`: then they are abandoned."""
