"""The Protocol `Engine`: nodes on which jobs are done, wherever they are.

The driver decides what runs where (`placement.py`) and is the only writer of the store; an engine brings
jobs to nodes and tells what became of them. Engines are in `engines/`, one a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.store.model import Spent
from arena.sweep.job import Job, Outcome
from arena.tracks.protocol import Setup


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
class Ended:
    """A job came to an end on a node."""

    job: Job
    node: str
    outcome: Outcome


@dataclass(frozen=True)
class Said:
    """A job came to a step ("agent", "build", ...)."""

    job: Job
    step: str


@dataclass(frozen=True)
class Charged:
    """The model of a job was paid that much, beyond what was told of it before."""

    job: Job
    spent: Spent


@dataclass(frozen=True)
class Joined:
    """A node that was not there before."""

    node: Node


@dataclass(frozen=True)
class Lost:
    """A node is gone. The engine also tells an `Ended` with a fault for each job that it had."""

    node: str
    reason: str


Event = Ended | Said | Charged | Joined | Lost


class Engine(Protocol):
    """Used by one thread, the driver's."""

    def expect(self) -> None:
        """Look whether it can be opened, before anything is told or stored. Raises EngineFault."""
        ...

    def open(self, setup: Setup, store: str, capacity: Capacity) -> Sequence[Node]:
        """Start; returns the nodes. Every node opens the track of `setup` and uses the store at `store`.

        capacity: of each node that does not declare its own. Raises EngineFault and what `open_track` raises.
        """
        ...

    def submit(self, job: Job, node: str) -> None:
        """Begin a job on a node that has room for it. Does not wait."""
        ...

    def events(self, timeout: float) -> Sequence[Event]:
        """What happened since the last call, in order; waits up to `timeout` seconds for the first."""
        ...

    def close(self, hurry: bool = False) -> None:
        """End. Jobs in flight are finished first, unless `hurry`: then they are given up."""
        ...
