"""What goes to a node and what comes back of it: plain data that can cross processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.store.model import AttemptKey, Spent, StoredSolution
from harness.grade.verdict import Verdict

WAITS = "waiting for the sandbox"
"""The step of a job that met a fault while what sandboxes need, such as a container engine, is away."""


class Stage(StrEnum):
    """The two halves of an attempt. They are apart, so that a fault of the second does not cost the first."""

    SOLVE = "solve"
    GRADE = "grade"


@dataclass(frozen=True)
class Needs:
    """What a stage of an attempt takes of the node it runs on. memory, disk: bytes; image: "" for none."""

    image: str = ""
    sandboxes: int = 1
    builds: int = 0
    memory: int = 0
    disk: int = 0


@dataclass(frozen=True)
class StageJob:
    """One stage of one attempt. `left` is what the agent left, for the stage that grades it.

    number: of the try, from 1. avoid: nodes on which it met a fault. spoilt: `Fault.spoilt` of each try.
    """

    attempt: str
    key: AttemptKey
    stage: Stage
    needs: Needs
    solution: StoredSolution | None = None
    number: int = 1
    avoid: frozenset[str] = frozenset()
    spoilt: tuple[Verdict | None, ...] = ()

    @property
    def tried(self) -> tuple[str, Stage, int]:
        """What tells this try from all others."""
        return self.attempt, self.stage, self.number


@dataclass(frozen=True)
class Fault:
    """An infrastructure fault. again: another try may go better (the machine's fault, not the task's).

    usage: what the model had cost by then. spoilt: what the attempt gets if each try ends so. audit: signs of
    cheating, whole.
    """

    reason: str
    again: bool = True
    usage: Mapping[str, Any] = field(default_factory=dict)
    spoilt: Verdict | None = None
    audit: tuple[Mapping[str, Any], ...] = ()

    @property
    def kind(self) -> str:
        """The first word of the reason: the exception's name."""
        return self.reason.partition(":")[0]


@dataclass(frozen=True)
class JobOutcome:
    """How a job ended: `left` of a stage that solves, `verdict` of one that grades, or a fault.

    facts: what was learned for the store, by key. images: what the node has at hand now, as far as known.
    seconds: wall time. flags: signs of cheating; found: CWEs of new findings.
    """

    solution: StoredSolution | None = None
    verdict: Verdict | None = None
    fault: Fault | None = None
    seconds: float = 0.0
    facts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    images: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


class EngineFault(Exception):
    """The engine cannot be started or was lost; the message is one line."""


@dataclass(frozen=True)
class Capacity:
    """What a node has to give: sandboxes and builds at a time, bytes of memory and disk (0: not told)."""

    sandboxes: int
    builds: int
    memory: int = 0
    disk: int = 0


@dataclass
class Node:
    """A place where jobs run, with the images that are at hand there."""

    name: str
    capacity: Capacity
    images: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class JobEnded:
    """A job came to an end on a node."""

    job: StageJob
    node: str
    outcome: JobOutcome


@dataclass(frozen=True)
class StepReported:
    """A job came to a step ("agent", "build", ...)."""

    job: StageJob
    step: str


@dataclass(frozen=True)
class Charged:
    """The model of a job was paid that much, beyond what was told of it before."""

    job: StageJob
    spent: Spent


@dataclass(frozen=True)
class NodeJoined:
    """A node that was not there before."""

    node: Node


@dataclass(frozen=True)
class NodeLost:
    """A node is gone. The engine also tells an `JobEnded` with a fault for each job that it had."""

    node: str
    reason: str


Event = JobEnded | StepReported | Charged | NodeJoined | NodeLost
