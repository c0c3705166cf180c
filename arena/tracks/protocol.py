"""What a track is, and how one is opened wherever its attempts are made: here, or on another machine."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from arena.vocabulary import vocabulary
from parsers.registry import lookup

if TYPE_CHECKING:
    from arena.store.model import Attempt, AttemptKey, TaskFacts
    from harness.agents import Solution
    from harness.grade.ports import Keeper
    from harness.grade.verdict import Verdict

Say = Callable[[str], None]


class Stage(StrEnum):
    """The two halves of an attempt. They are apart, so that a fault of the second does not cost the first."""

    SOLVE = "solve"
    GRADE = "grade"


@dataclass(frozen=True)
class Caps:
    """What one attempt may use: USD, calls and tokens of the model, seconds of wall time of the agent."""

    usd: float = 2.0
    calls: int = 75
    seconds: float = 1800.0
    tokens: int | None = None


@dataclass(frozen=True)
class Matrix:
    """Which attempts: agents x models x prompts x tasks x replicates. No tasks means all of the pack."""

    agents: Sequence[str]
    models: Sequence[str] = ()
    prompts: Sequence[str] = ()
    tasks: Sequence[str] = ()
    replicates: int = 1


@dataclass(frozen=True)
class Needs:
    """What a stage of an attempt takes of the node it runs on. memory, disk: bytes; image: "" for none."""

    image: str = ""
    sandboxes: int = 1
    builds: int = 0
    memory: int = 0
    disk: int = 0


@dataclass(frozen=True)
class Setup:
    """All that makes a track: plain data that can be sent to another process.

    pack: a name or a folder; scanner: "" for the task's own; pinned: parameters of all calls of models;
    options: what only one track knows (its `track.py` says which, and refuses others with a ValueError).
    """

    track: str
    pack: str
    sandbox: str = "auto"
    scanner: str = ""
    caps: Caps = field(default_factory=Caps)
    trust_agents: bool = False
    api_base: str = ""
    prices: str = ""
    allow_unknown_price: bool = False
    pinned: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


class Track(Protocol):
    """A kind of question: what its attempts are, how one is made and graded, what is reported.

    Faults of the machine or the task raise (`harness.grade.INFRA`). All methods may be called from several
    threads.
    """

    pack_name: str

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        """Every attempt of the matrix, once. Raises UnknownName, ValueError, TaskError or SandboxRefused
        for what cannot be, before anything is spent."""
        ...

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]: ...

    def needs(self, key: AttemptKey, stage: Stage) -> Needs: ...

    def solve(self, key: AttemptKey, say: Say) -> Solution: ...

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict: ...

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]: ...

    def missing(self) -> str:
        """What attempts need and is not there now (such as a container engine), in words; or ""."""
        ...

    def close(self) -> None:
        """End what the track holds open (gateways, workers)."""
        ...


def open_track(setup: Setup, keeper: Keeper, say: Say = lambda text: None) -> Track:
    """The track of a setup: by name, or `package.module:function` for one of your own.

    Raises ValueError, TaskError, UnknownName, or a SandboxFault.
    """
    if ":" in setup.track:
        made: Track = lookup("arena.tracks", setup.track)(setup, keeper, say)
        return made
    vocabulary(setup.track)  # an unknown track is told with the known ones
    module = importlib.import_module(f"arena.tracks.{setup.track}.track")
    track: Track = module.open_track(setup, keeper, say)
    return track
