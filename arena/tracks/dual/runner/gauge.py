"""The resource use of all processes of a program together, from the /proc of their namespace.

The kernel's limits hold for each process alone; so the supervisor looks every few milliseconds.
"""

from __future__ import annotations

import os
import re

from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.order import RunLimitsSpec

EVERY = 0.03
_PROC = "/proc"
_TICKS = os.sysconf("SC_CLK_TCK")
_RESIDENT = re.compile(rb"^(?:RssAnon|RssShmem):\s+(\d+) kB", re.M)
_SHARE = re.compile(rb"^(?:Pss_Anon|Pss_Shmem):\s+(\d+) kB", re.M)


class Gauge:
    """`look` reports how the limits of memory and CPU time ended a program, or None.

    `proc`: a descriptor of the host's /proc, where process 1 has the number `first` (the jail's hides it).
    """

    def __init__(self, limits: RunLimitsSpec, proc: int, first: int) -> None:
        self._limits, self._proc, self._first = limits, proc, f"{first}/stat"
        self.taken = self.peak = 0
        self.cpu = 0.0

    def look(self) -> tuple[ProcessEnded, str] | None:
        # This process is in the namespace whose /proc this is: it sees the program's processes, and none of
        # the host's.
        names = os.listdir(_PROC)  # noqa: PTH208 - many times a second
        pids = [f"{_PROC}/{name}" for name in names if name.isdigit() and name != "1"]
        # Processes that ended are in the times of process 1, which reaps them, so their CPU time is not lost.
        reaped = _cpu(_read(self._first, self._proc))
        # A process that ends between the two looks is in neither sum; the total must not fall.
        self.cpu = max(self.cpu, reaped + sum(_cpu(_read(f"{pid}/stat")) for pid in pids))
        taken = sum(_kilobytes(_RESIDENT, _read(f"{pid}/status")) for pid in pids)
        if (
            taken > self._limits.memory
        ):  # pages that a fork shares were counted for each: look closer
            taken = sum(_kilobytes(_SHARE, _read(f"{pid}/smaps_rollup")) for pid in pids)
        self.taken, self.peak = taken, max(self.peak, taken)
        if taken > self._limits.memory:
            return ProcessEnded.MEMORY, f"more than {self._limits.memory >> 20} MiB of memory"
        if self.cpu > self._limits.cpu:
            return ProcessEnded.TIMEOUT, f"{self._limits.cpu:g} s of CPU time are used up"
        return None


def _read(path: str, proc: int | None = None) -> bytes:
    """A file of a process; empty if the process has just ended."""
    try:
        descriptor = os.open(path, os.O_RDONLY, dir_fd=proc)
    except (FileNotFoundError, ProcessLookupError):
        return b""
    try:
        return os.read(descriptor, 1 << 14)
    except ProcessLookupError:
        return b""
    finally:
        os.close(descriptor)


def _kilobytes(wanted: re.Pattern[bytes], text: bytes) -> int:
    return sum(int(number) for number in wanted.findall(text)) * 1024


def _cpu(stat: bytes) -> float:
    """User and system time of a process and of its children that it has waited for (proc(5), 14 to 17)."""
    # From the last parenthesis on: the name before it is the program's choice, and may hold spaces and
    # parentheses.
    fields = stat.rpartition(b")")[2].split()
    return sum(int(n) for n in fields[11:15]) / _TICKS
