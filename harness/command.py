"""Plain data that goes into a sandbox and comes back: limits, mounts, commands, results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MIB = 1 << 20
UNITS = {"k": 1 << 10, "m": MIB, "g": 1 << 30}


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use: CPUs, bytes of memory, processes, bytes of disk, bytes of output."""

    cpus: float = 2.0
    memory: int = 2 << 30
    pids: int = 256
    disk: int = 2 << 30
    output: int = 16 * MIB

    def max_limits(self, limits: Limits) -> Limits:
        """The larger of each pair of limits."""
        pairs = {name: max(value, getattr(limits, name)) for name, value in vars(self).items()}
        return Limits(**pairs)


@dataclass(frozen=True)
class Mount:
    """A folder of the host that is visible inside, where nothing can be written to it.

    host: "" for an empty folder that belongs to the sandbox: its user may write there, and it ends with the
    sandbox. Where that user is root, who may write there anyway, the image's folder stays.
    """

    host: str
    inside: str


@dataclass(frozen=True)
class Command:
    """A shell command with its surroundings.

    timeout: seconds of wall time, more on a busy machine (`harness.sandbox.busy`). is_budget: it is what an
    agent was granted, and never becomes more.
    """

    line: str
    workdir: str = "/"
    timeout: float = 60.0
    env: Mapping[str, str] = field(default_factory=dict)
    is_budget: bool = False


@dataclass(frozen=True)
class ExecResult:
    """How a command ended. output: stdout and stderr in the order written, cut at the limit.

    status: a shell's (128 + n for signal n). stopped: the limit of ours that ended it ("timeout", "memory",
    "disk", "output"), or "" when it ended by itself. over: the sandbox ended with it. seconds: of wall time.
    cpu: seconds of processor time of the command and of all that it waited for; 0.0 where a limit ended the
    sandbox with it.
    """

    status: int
    output: bytes
    seconds: float
    stopped: str = ""
    over: bool = False
    cpu: float = 0.0

    @property
    def ok(self) -> bool:
        return self.status == 0 and not self.stopped


def parse_size(text: str | int) -> int:
    """Bytes of "512m", "2g" or a plain number. Raises ValueError."""
    if isinstance(text, int):
        return text
    unit = UNITS.get(text[-1:].lower(), 0)
    return int(float(text[:-1]) * unit) if unit else int(text)
