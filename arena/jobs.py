"""Jobs sent to a node and their results: plain data that can cross processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.store.model import AttemptKey, Spent, StoredSolution
from arena.store.provenance import NOTHING_RECORDED, Provenance
from harness.grade.verdict import Verdict

# The step of a job that waits because the container engine (or whatever sandboxes need) is unavailable.
WAITS = "waiting for the sandbox"


class Stage(StrEnum):
    """The two halves of an attempt, separated so that a fault in grading does not cost the agent's work."""

    SOLVE = "solve"
    GRADE = "grade"


@dataclass(frozen=True)
class Needs:
    """Resources that a stage of an attempt needs on its node. memory, disk: bytes; image: "" for none."""

    image: str = ""
    sandboxes: int = 1
    builds: int = 0
    memory: int = 0
    disk: int = 0


@dataclass(frozen=True)
class StageJob:
    """One stage of one attempt. `left`: the agent's stored solution, for the grading stage.

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
        """Identifies this try."""
        return self.attempt, self.stage, self.number


@dataclass(frozen=True)
class Fault:
    """An infrastructure fault. again: worth retrying (the machine's fault, not the task's).

    usage: the model's cost so far. spoilt: the verdict if every try ends like this. audit: signs of
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

    facts: new facts for the store, by key. images: the node's images now, as far as known.
    seconds: wall time. flags: signs of cheating; new_cwes: of new findings. provenance: on what it rests.
    """

    solution: StoredSolution | None = None
    verdict: Verdict | None = None
    fault: Fault | None = None
    seconds: float = 0.0
    facts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    images: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()
    new_cwes: tuple[str, ...] = ()
    provenance: Provenance = NOTHING_RECORDED


class EngineFault(Exception):
    """The engine cannot be started or was lost; the message is one line."""


@dataclass(frozen=True)
class Capacity:
    """Capacity of a node: concurrent sandboxes and builds, bytes of memory and disk (0: unknown)."""

    sandboxes: int
    builds: int
    memory: int = 0
    disk: int = 0


@dataclass
class Node:
    """A machine on which jobs run, with its images."""

    name: str
    capacity: Capacity
    images: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class JobEnded:
    """A job ended on a node."""

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
    """Additional cost of a job's model, since the previous event."""

    job: StageJob
    spent: Spent


@dataclass(frozen=True)
class NodeJoined:
    """A node that was not there before."""

    node: Node


@dataclass(frozen=True)
class NodeLost:
    """A node was lost. The engine also sends a `JobEnded` with a fault for each of its jobs."""

    node: str
    reason: str


Event = JobEnded | StepReported | Charged | NodeJoined | NodeLost
