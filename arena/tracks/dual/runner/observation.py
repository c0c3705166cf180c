"""The observation of an order. All of it comes from hostile programs: data to check, cut and escape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ProcessEnded(StrEnum):
    """How a step, or the whole order, ended."""

    OK = "ok"  # returned, exited by itself, or answered
    RAISED = "raised"  # a call raised an exception
    TIMEOUT = "timeout"  # wall or CPU time was over
    MEMORY = "memory"
    OUTPUT = "output"  # more output than may be
    DIED = "died"  # ended by a signal, or before it answered
    NO_START = "no-start"  # could not be imported, compiled, or never listened
    NOT_RUN = "not-run"  # an earlier step ended the program


@dataclass(frozen=True)
class StepObservation:
    """Observation of a step.

    call: `value` is what was returned (JSON with tags), or `raised` the exception's type name with its
    message in `text`. run: `exit`, `stdout`, `stderr` of this step. serve: `status`, `headers` (lower-case
    names), `body`. Texts are decoded as UTF-8 with replacement; `binary`: they were not UTF-8.
    """

    ended: ProcessEnded
    value: Any = None
    raised: str = ""
    bases: tuple[str, ...] = ()
    text: str = ""
    exit: int | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    stdout: str = ""
    stderr: str = ""
    binary: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class FileObservation:
    """A file of the jail.

    content: text cut at 64 KiB (with replacement for what is not UTF-8). target: where a link leads.
    """

    kind: str  # "file", "folder", "link" or "other"
    mode: int = 0
    size: int = 0
    sha256: str = ""
    content: str = ""
    target: str = ""


@dataclass(frozen=True)
class ObservedConnection:
    """Something that came to the sinkhole: `kind` "tcp", "udp", "dns" or "http"; `data` is the start of
    it. "lost" is what came faster than it could be read, its number in place of a host."""

    kind: str
    host: str
    port: int
    data: str = ""


@dataclass(frozen=True)
class ObservedCall:
    """What a hook recorded inside the program: `hooks.KINDS` has the kinds ("weak-random", "spawn", ...)."""

    kind: str
    what: str
    detail: str = ""


@dataclass(frozen=True)
class CoveredFile:
    """Statements of a file: line numbers that ran, and all line numbers."""

    file: str
    ran: tuple[int, ...]
    all: tuple[int, ...]


# Table -> its rows, sorted; of a database that cannot be read, {"!": ((reason,),)}.
Rows = Mapping[str, tuple[tuple[Any, ...], ...]]


@dataclass(frozen=True)
class RunObservation:
    """All observations of an order.

    before, after: the watched trees, as absolute path -> file. databases_*: path -> rows.
    canaries: the argv of each execution of a canary command. stdout, stderr: of the whole program, cut.
    ended, why: of the program as a whole ("ok" where each step could be run). secrets: as in the order.
    cpu, seconds: of the program, in seconds; peak: bytes of memory, all its processes together.
    """

    ended: ProcessEnded
    why: str = ""
    steps: tuple[StepObservation, ...] = ()
    stdout: str = ""
    stderr: str = ""
    before: Mapping[str, FileObservation] = field(default_factory=dict)
    after: Mapping[str, FileObservation] = field(default_factory=dict)
    databases_before: Mapping[str, Rows] = field(default_factory=dict)
    databases_after: Mapping[str, Rows] = field(default_factory=dict)
    canaries: tuple[tuple[str, ...], ...] = ()
    connections: tuple[ObservedConnection, ...] = ()
    calls: tuple[ObservedCall, ...] = ()
    coverage: tuple[CoveredFile, ...] = ()
    fetched: Mapping[str, bytes] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    cpu: float = 0.0
    seconds: float = 0.0
    peak: int = 0

    @property
    def last(self) -> StepObservation | None:
        return self.steps[-1] if self.steps else None
