"""Read this first: what a sandbox and an agent are, and the plain data between them.

job -> agent, which works in a sandbox and calls its model through the gateway -> solution, which is graded.
Verdicts are in `harness/grade/verdict.py`; faults, which give no label, in `harness/sandbox/base.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import IO, Any, ClassVar, Protocol

from harness.command import Command, ExecResult, Limits, Mount

# Called with the US dollars and tokens of each model call as it is charged, on any thread: be fast.
Charge = Callable[[float, int], None]


class Sandbox(Protocol):
    """Runs hostile code in isolation. Created stopped; `start` it, `stop` it in a `finally`."""

    image: str

    def start(self) -> None: ...
    def stop(self) -> None: ...

    def exec(self, command: Command) -> ExecResult:
        """Run to the end or to a limit, then kill every process that is left inside."""

    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None:
        """Write files (path relative to `into` -> content), creating folders as needed."""

    def put_tree(self, tar: bytes | IO[bytes], into: str) -> None:
        """Unpack an uncompressed tar archive (of any size, as a file) into the folder `into`."""

    def get(self, paths: Sequence[str], base: str) -> bytes:
        """A tar archive of those of `paths` (relative to `base`) that exist; read it with `unpack`."""

    def take(self, folder: str, into: IO[bytes], limit: int) -> bool:
        """Write a tar archive of the files and folders (no links) below `folder` to a file.

        False when there is no such folder, or more than `limit` bytes, of which a part was written."""

    def take_tree(self, folder: str, into: IO[bytes], limit: int) -> bool:
        """As `take`, with links and modes; member names begin with the folder. No code inside is
        involved; it works even after a limit has ended the sandbox."""

    def snapshot(self, name: str, labels: Mapping[str, str]) -> str:
        """Keep the present state as an image called `name`; returns its identity (a digest)."""


@dataclass(frozen=True)
class Budget:
    """What an agent may spend: seconds of wall time, US dollars, calls and tokens (input and output) of its
    model. The defaults of money and calls are SecureAgentBench's (its section 4)."""

    seconds: float = 1800.0
    usd: float = 2.0
    calls: int = 75
    tokens: int | None = None


class Workspace(Protocol):
    """The sandbox in which an agent works: the repository at PVIC, its past, and nothing of the oracle.

    mounts, least: folders visible inside, and minimum limits; they take effect until its first use.
    """

    workdir: str
    mounts: list[Mount]
    least: Limits | None

    @property
    def box(self) -> Sandbox:
        """The sandbox, started on first access."""

    def exec(self, line: str, timeout: float) -> ExecResult:
        """Run a shell command in the repository. `stopped` is "sandbox" if the command ended the sandbox."""

    def run(self, command: Command) -> ExecResult: ...

    def patch(self) -> bytes:
        """Everything that differs from PVIC, including new files, committed or not."""

    def collect_patch(self, droppings: Sequence[str] = ()) -> tuple[bytes, dict[str, Any]]:
        """The patch without `droppings` (pathspecs), and what was left out or why there is no patch."""


class Access(Protocol):
    """The model of a job, reached through the gateway only; see `harness/gateway/access.py`."""

    def open(self, budget: Budget, recorder: Any = None) -> Any: ...


@dataclass(frozen=True)
class Job:
    """An agent's input. model: for agents that use a model."""

    workspace: Workspace
    instruction: str
    budget: Budget
    model: Access | None = None


class Ended(StrEnum):
    """How an agent ended. REFUSED to OUT_OF_TOKENS: by its model's last answer."""

    FINISHED = "finished"
    CAPPED_USD = "capped:usd"
    CAPPED_CALLS = "capped:calls"
    CAPPED_TIME = "capped:time"
    CAPPED_TOKENS = "capped:tokens"
    CRASHED = "crashed"
    KILLED = "killed"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    OUT_OF_TOKENS = "out-of-tokens"
    MODEL_UNAVAILABLE = "model-unavailable"
    DIVERGED = "diverged"


@dataclass(frozen=True)
class Solution:
    """An agent's result: a patch against PVIC, its usage, its trajectory, and how it ended.

    trajectory: in the agent's format; note: facts for the evidence; artefacts: further files to keep.
    """

    patch: bytes
    ended: Ended = Ended.FINISHED
    usage: Mapping[str, Any] = field(default_factory=dict)
    trajectory: bytes = b""
    note: Mapping[str, Any] = field(default_factory=dict)
    artefacts: Mapping[str, bytes] = field(default_factory=dict)


class Agent(ABC):
    """A program that does a job. Agents that run model output need a sandbox that isolates well."""

    runs_model_output: ClassVar[bool]
    asks_model: ClassVar[bool] = False
    # Minimum limits of its sandbox, in addition to the task's own.
    room: ClassVar[Limits] = Limits(0, 0, 0, 0, 0)

    @abstractmethod
    def solve(self, job: Job) -> Solution: ...

    def expect(self) -> None:
        """Raise NotInstalled if it cannot run here; called before anything is spent."""
        return
