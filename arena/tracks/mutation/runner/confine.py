"""The confinement of a run: namespaces, limits, no capabilities, a filter of system calls.

A run's process is process 1 of a separate pid namespace: when it ends, the kernel ends all that it started.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
from pathlib import Path
from typing import Any

from arena.tracks.mutation.runner import cell
from harness.sandbox.jail import kernel, seccomp

MIB = 1 << 20
CHANNEL = 100
DESCRIPTORS = 128
SLACK = 16 * MIB
# Taken before a mock stands in its place.
_fork = os.fork


class Cage:
    """Makes the processes of runs, and ends them. Without `isolated` they have limits only."""

    def __init__(self, isolated: bool) -> None:
        self._isolated = isolated
        self._own = kernel.pidfd_self() if isolated else -1
        self._filter = seccomp.program(kernel.machine()) if isolated else b""
        self._below = cell.visible_below(cell.SCRATCH) if isolated else []

    def fork(self) -> int:
        if not self._isolated:
            return _fork()
        # It holds for children only; the worker goes back to its own namespace behind the fork, since the
        # kernel forks nothing more into a namespace whose first process has ended.
        kernel.unshare(kernel.CLONE_NEWPID)
        pid = _fork()
        if pid:
            kernel.setns(self._own, kernel.CLONE_NEWPID)
        return pid

    def enter(self, folder: Path, limits: dict[str, Any], base: int, channel: int) -> int:
        """Shut this process in; returns the channel's new number. `base`: address space at the start."""
        os.setsid()
        if self._isolated:
            _mounts(folder, limits["file"], self._below)
        # The order counts: mounts need capabilities, limits need the old descriptors gone, the filter comes
        # last because it refuses what the steps before it do.
        channel = _descriptors(channel)
        _limit(limits, base)
        if self._isolated:
            kernel.no_new_privileges()
            kernel.drop_capabilities()
            kernel.filter_calls(self._filter)
        return channel

    def kill(self, pid: int) -> None:
        """End a run: its process, and so its namespace (or its process group)."""
        for end in (os.kill,) if self._isolated else (os.killpg, os.kill):
            try:
                end(pid, signal.SIGKILL)
            # It ended by itself meanwhile.
            except ProcessLookupError:
                continue


def _mounts(folder: Path, size: int, paths: list[str]) -> None:
    """Mount a scratch folder for the run; what the cell shows below it (a checkout in /tmp) stays there."""
    kernel.unshare(kernel.CLONE_NEWNS)
    place = str(folder.parent)
    lifted = [(kernel.lift(path), path) for path in paths]
    data = f"size={size + SLACK},nr_inodes=8192,mode=0777"
    kernel.mount("tmpfs", place, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, data)
    folder.mkdir()
    for tree, path in lifted:
        Path(path).mkdir(parents=True, exist_ok=True)
        kernel.put(tree, path)


def _descriptors(channel: int) -> int:
    """Leave nothing open but the channel and the empty device at 0 to 2."""
    moved = fcntl.fcntl(channel, fcntl.F_DUPFD_CLOEXEC, CHANNEL)
    os.dup2(0, 2)
    os.closerange(3, moved)
    os.closerange(moved + 1, 1024)
    return moved


def _limit(limits: dict[str, Any], base: int) -> None:
    seconds = max(1, int(limits["cpu"] + 0.999))
    wanted = {
        resource.RLIMIT_CPU: seconds,
        # The warm worker has taken address space already, by its libraries: the limit counts from there.
        resource.RLIMIT_AS: base + limits["memory"],
        resource.RLIMIT_FSIZE: limits["file"],
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for kind, value in wanted.items():
        _, hard_limit = resource.getrlimit(kind)
        bound = value if hard_limit == resource.RLIM_INFINITY else min(value, hard_limit)
        resource.setrlimit(kind, (bound, bound))


def address_space(proc: int) -> int:
    """Bytes of address space that this process has taken, as the /proc behind a descriptor says."""
    descriptor = os.open("self/statm", os.O_RDONLY, dir_fd=proc)
    try:
        return int(os.read(descriptor, 200).split()[0]) * resource.getpagesize()
    finally:
        os.close(descriptor)
