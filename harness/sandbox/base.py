"""What a sandbox is: the Protocol, the limits it enforces, what an execution tells, and its faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import IO, Any, Protocol

MIB = 1 << 20
UNITS = {"k": 1 << 10, "m": MIB, "g": 1 << 30}


class SandboxFault(Exception):
    """Something that is not the fault of what runs inside: always health `infra`, never a label.

    usage: what an agent's model had cost by then, as the gateway's ledger tells it.
    """

    usage: Mapping[str, Any] = MappingProxyType({})


class EngineUnavailable(SandboxFault):
    """The container engine (or the tool that isolates) cannot be reached, or was lost."""


class ImageMissing(SandboxFault):
    """The image that an environment names is neither here nor to be had."""


class SandboxDied(SandboxFault):
    """The sandbox ended under a running command although none of our limits ended it."""


class SandboxSpoilt(SandboxDied):
    """The sandbox does not do what is asked of it, and the machine is not known to be at fault.

    What ran inside may have done it: it has if the same comes every time, see `harness.grade.decide`.
    """


class SandboxEnded(SandboxSpoilt):
    """Its first process ended by itself: nobody outside killed it, the engine answers, memory was enough.

    output: what the command had written by then. No machine does that, so it is what ran inside that did.
    """

    def __init__(self, message: str, output: bytes = b"") -> None:
        super().__init__(message)
        self.output = output


class SandboxRefused(Exception):
    """The sandbox does not isolate well enough for what was asked; a user's decision is needed."""


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use: CPUs, bytes of memory, processes, bytes of disk, bytes of output."""

    cpus: float = 2.0
    memory: int = 2 << 30
    pids: int = 256
    disk: int = 2 << 30
    output: int = 16 * MIB

    def at_least(self, other: Limits) -> Limits:
        """The larger of each pair of limits."""
        pairs = {name: max(value, getattr(other, name)) for name, value in vars(self).items()}
        return Limits(**pairs)


@dataclass(frozen=True)
class Mount:
    """A folder of the host that is seen inside, where nothing can be written to it."""

    host: str
    inside: str


@dataclass(frozen=True)
class ExecResult:
    """How a command ended.

    `status` is a shell's (128 + n for signal n); `output` holds stdout and stderr together in the order
    written, cut at the output limit. `stopped` names the limit of ours that ended it: "timeout",
    "memory", "disk", "output", or "" when it ended by itself. `over`: the sandbox ended with it.
    """

    status: int
    output: bytes
    seconds: float
    stopped: str = ""
    over: bool = False

    @property
    def ok(self) -> bool:
        return self.status == 0 and not self.stopped


@dataclass(frozen=True)
class Command:
    """A shell command with its surroundings. `timeout` is in seconds of wall time."""

    line: str
    workdir: str = "/"
    timeout: float = 60.0
    env: Mapping[str, str] = field(default_factory=dict)


class Sandbox(Protocol):
    """A place where hostile code runs. Created stopped; `start` it, `stop` it in a `finally`."""

    image: str

    def start(self) -> None: ...

    def exec(self, command: Command) -> ExecResult:
        """Run to the end or to a limit, then end every process that is left inside."""
        ...

    def put(self, files: Mapping[str, bytes], into: str, executable: bool = False) -> None:
        """Write files (path relative to `into` -> content), making folders below it."""
        ...

    def put_tree(self, tar: bytes | IO[bytes], into: str) -> None:
        """Unpack an uncompressed tar archive (of any size, as a file) below the folder `into`."""
        ...

    def get(self, paths: Sequence[str], base: str) -> bytes:
        """A tar archive of those of `paths` (relative to `base`) that exist; read it with `unpack`."""
        ...

    def take(self, folder: str, into: IO[bytes], limit: int) -> bool:
        """Write a tar archive of the files and folders (no links) below `folder` to a file.

        False when there is no such folder, or more than `limit` bytes: then only a part was written.
        """
        ...

    def take_tree(self, folder: str, into: IO[bytes], limit: int) -> bool:
        """Write a tar archive of all that is below `folder`, links and modes too, to a file.

        Its members begin with the folder's own name. Nothing inside takes part in the making, so that
        what ran here cannot change it, and it works when a limit has ended the sandbox. Returns as `take`.
        """
        ...

    def snapshot(self, name: str, labels: Mapping[str, str]) -> str:
        """Keep the present state as an image called `name`; returns its identity (a digest)."""
        ...

    def stop(self) -> None: ...


class Backend(Protocol):
    """Makes sandboxes of one kind and keeps their images."""

    name: str
    isolates_model_output: bool

    def available(self) -> str:
        """Empty when it can be used here; else one line that says what is missing and how to get it."""
        ...

    def not_isolated(self) -> Sequence[str]:
        """What it does *not* protect from, one line each."""
        ...

    def lacks(self) -> Sequence[str]:
        """Defences that its kind has and that are missing here, one line each."""
        ...

    def resolve(self, image: str) -> str:
        """Identity (digest) of an image by the name a task uses, built or pulled when it must be.

        Raises ImageMissing.
        """
        ...

    def find(self, name: str) -> str | None:
        """Identity of a snapshot made earlier, or None."""
        ...

    def create(self, image: str, limits: Limits, mounts: Sequence[Mount] = ()) -> Sandbox: ...

    def clean(self, everything: bool = False) -> list[str]:
        """Remove what dead runs left behind (with `everything`: also images and snapshots)."""
        ...


def parse_size(text: str | int) -> int:
    """Bytes of "512m", "2g" or a plain number. Raises ValueError."""
    if isinstance(text, int):
        return text
    unit = UNITS.get(text[-1:].lower(), 0)
    return int(float(text[:-1]) * unit) if unit else int(text)
