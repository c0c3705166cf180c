"""Time limits on a busy machine: a label must not depend on the rest of its work.

Limits are seconds of wall time, since a program that sleeps for ever has to end just as a program that counts
for ever. They leave room for two tasks for each processor. Where there are more, a build that takes 8 s
may need its 300, so limits grow with the load.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from harness.command import Command

LOAD = Path("/proc/loadavg")
# Up to so many tasks that run or wait for each processor, limits are those of the task.
BUSY_TASKS_PER_CPU = 2.0
# No limit grows by more: something has to end a program that never does.
MAX_FACTOR = 8.0


def time_limit_factor(load_file: Path = LOAD) -> float:
    """The factor by which time limits are longer now, 1.0 to MAX_FACTOR.

    By the kernel's count of tasks that can run: now, or the mean of the last minute, whichever is more (a
    sweep's first builds all begin before the mean has risen). 1.0 where the kernel has no such count. With an
    engine on a remote machine this is still the load here.
    """
    try:
        mean, _, _, running, *_ = load_file.read_text().split()
        tasks = max(float(mean), float(running.partition("/")[0]))
    except (OSError, ValueError):
        return 1.0
    # The processors that this process may use, and not all: a sweep may be pinned to some of them.
    factor = tasks / (len(os.sched_getaffinity(0)) * BUSY_TASKS_PER_CPU)
    return min(MAX_FACTOR, max(1.0, factor))


def extend_limit(command: Command) -> Command:
    """The command with the time limit that holds now; a budget that somebody granted stays as it is."""
    factor = 1.0 if command.is_budget else time_limit_factor()
    return command if factor == 1.0 else replace(command, timeout=command.timeout * factor)
