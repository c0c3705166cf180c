"""What each program is shut into before it is started: limits, no capabilities, a filter of system calls."""

from __future__ import annotations

import os
import resource
import signal
import socket

from arena.tracks.dual.runner.order import RunLimitsSpec
from harness.sandbox.jail import kernel, seccomp

DESCRIPTORS = 512
# System calls that the filter refuses elsewhere and programs need (mknod for pipes: devices need a
# capability that nobody has). memfd_create stays refused: what is written there is in nobody's private
# memory and on nobody's disk, so none of our limits would see it.
ALLOWED = frozenset({"execve", "execveat", "mknod", "mknodat"})
FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
# Processes of the namespace that are ours: the supervisor and process 1.
OURS = 2


def calls_filter() -> bytes:
    return seccomp.program(kernel.machine(), ALLOWED, FAMILIES)


def limit(limits: RunLimitsSpec) -> None:
    """There is no limit of address space: node takes gigabytes of it; `gauge.py` watches what is used."""
    seconds = max(1, int(limits.cpu + 0.999))
    wanted = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),  # SIGXCPU says why
        resource.RLIMIT_FSIZE: (limits.disk, limits.disk),
        resource.RLIMIT_NPROC: (limits.processes + OURS, limits.processes + OURS),
        resource.RLIMIT_NOFILE: (DESCRIPTORS, DESCRIPTORS),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_MEMLOCK: (0, 0),
        resource.RLIMIT_MSGQUEUE: (0, 0),
    }
    for kind, (soft, hard) in wanted.items():
        _, hard_limit = resource.getrlimit(kind)
        bound = (
            (soft, hard)
            if hard_limit == resource.RLIM_INFINITY
            else (min(soft, hard_limit), min(hard, hard_limit))
        )
        resource.setrlimit(kind, bound)


def shut(limits: RunLimitsSpec, program: bytes) -> None:
    """Put this process, and all that it will start, under every limit. `program`: from calls_filter()."""
    for number in range(1, signal.NSIG):
        # 32 and 33 are glibc's own (threads), and the kernel lets nobody change the first two.
        if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Oracles look at modes of files: the umask of whoever started the arena must not decide them.
    os.umask(0o022)
    limit(limits)
    kernel.no_new_privileges()
    kernel.drop_capabilities()
    kernel.filter_calls(program)
