"""How a candidate is started, the same for all its tests, and why a candidate cannot be tried."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from arena.models.languages import Language
from arena.tracks.dual.runner.observation import RunObservation
from arena.tracks.dual.runner.order import Bind, Order, RunLimitsSpec, Shape
from arena.tracks.dual.tasks.schema import Io

MAX_SOURCE = 4 << 20
FILES: Mapping[Language, str] = {
    "python": "solution.py",
    "javascript": "solution.js",
    "cpp": "solution.cpp",
}
SHAPES: Mapping[str, Shape] = {
    "function": "call",
    "http": "serve",
    "stdin": "run",
    "cli": "run",
    "file": "run",
}


class Unusable(Exception):
    """The candidate cannot be tried, through its fault. `state`: as in `arena.tracks.dual.results.State`.

    calls, transcript: of a model that tried to start it.
    """

    calls: int = 0
    transcript: tuple[str, ...] = ()

    def __init__(self, state: str, why: str) -> None:
        super().__init__(f"{state}: {why}" if why else state)
        self.state, self.why = state, why


@dataclass(frozen=True)
class Candidate:
    """A program under test, as it was written; nothing ever changes it."""

    language: Language
    source: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.language.encode() + b"\0" + self.source).hexdigest()

    @property
    def text(self) -> str:
        """Its text, for reading, without a byte order mark; bytes that are not UTF-8 are replaced."""
        return self.source.decode("utf-8-sig", "replace")


@dataclass(frozen=True)
class RunPlan:
    """What starts a candidate. `adapter` names who decided; `calls` counts the model calls that it took.

    argv, files, binds, env, hooks, covered: as in `arena.tracks.dual.runner.order.Order`. kind: what a step
    becomes: the runner's shapes, or "script" where a script takes the step as JSON and reports its results
    (the agentic fallback). digest: of what was decided, frozen.
    """

    adapter: str
    language: Language
    shape: Shape
    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    binds: tuple[Bind, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    hooks: tuple[str, ...] = ()
    covered: tuple[str, ...] = ()
    script: bool = False
    calls: int = 0
    transcript: tuple[str, ...] = ()


class Runs(Protocol):
    """What runs orders: `arena.tracks.dual.runner.pool.ProgramRunner`."""

    def run(self, order: Order) -> RunObservation: ...


@dataclass(frozen=True)
class RunnerResources:
    """What adapters may use: the runner (to compile and check in), a kit of installed packages, a cache.

    install: language and names of packages -> the folder that holds them; raises `KitError`.
    built: folder of the host where compiled programs lie, by content.
    """

    runner: Runs
    built: Path
    install: Callable[[str, Sequence[str]], Path] | None = None
    coverage: bool = True
    limits: RunLimitsSpec = field(default_factory=RunLimitsSpec)


class Adapter(Protocol):
    def __call__(self, candidate: Candidate, io: Io, means: RunnerResources) -> RunPlan: ...
