"""The shell wrapper that both sandboxes put around a command."""

from __future__ import annotations

import shlex
import time

from harness.sandbox.base import Command

GRACE = 5
"""Seconds between TERM and KILL inside, and then between the inside timeout and the outside one."""

OOM_COUNTERS = ("/sys/fs/cgroup/memory/memory.oom_control", "/sys/fs/cgroup/memory.events")
"""Where the kernel counts what it killed for memory, in cgroups version 1 and 2."""

TIMEOUT_STATUSES = frozenset({124, 137})


def wrapped(command: Command, file_limit: int) -> list[str]:
    """argv that runs `command.line` under its inside timeout and then ends whatever it left running.

    `kill -9 -1` reaches every process of the sandbox but the shell that calls it and the first process.
    After a failure the wrapper (not the command, whose stderr goes to stdout) writes the kernel's count
    of out-of-memory kills to stderr. The size of a file is limited (`ulimit -f`, in blocks of 512 bytes)
    and core files are off.
    """
    script = (
        f"ulimit -c 0; ulimit -f {max(1, file_limit // 512)}; "
        f"timeout -k {GRACE} {command.timeout:g} sh -c {shlex.quote(command.line)} </dev/null 2>&1; "
        "status=$?; kill -9 -1 2>/dev/null; "
        f"[ $status = 0 ] || grep -hs '^oom_kill ' {' '.join(OOM_COUNTERS)} >&2; exit $status"
    )
    return ["sh", "-c", script]


def timed_out(status: int, started: float, timeout: float) -> bool:
    """Whether `status` after `time.monotonic() - started` seconds is the inside timeout's doing."""
    return status in TIMEOUT_STATUSES and time.monotonic() - started >= timeout


def oom_kills(note: bytes) -> int:
    """The count in what the wrapper wrote to stderr, 0 when there is none."""
    counts = [line.split()[1] for line in note.splitlines() if line.startswith(b"oom_kill ")]
    return int(counts[-1]) if counts and counts[-1].isdigit() else 0
