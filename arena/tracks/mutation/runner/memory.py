"""Watches what the processes of a run take together: limits of the kernel apply to each process alone."""

from __future__ import annotations

import contextlib

import psutil

EVERY = 0.25
# Two processes may each take what one may; a fork bomb of small ones is ended by their sum.
# All processes of a run together may take this many times what one may.
TIMES = 2
_GONE = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)


def hold(worker: int, isolated: bool, limit: int) -> bool:
    """End the run below a worker (the process with that id) when it exceeds `limit`; True when it did."""
    with contextlib.suppress(*_GONE):
        top = psutil.Process(worker)
        inside = top.children() if isolated else [top]
        runs = [run for process in inside for run in process.children()]
        everything = [*runs, *(below for run in runs for below in run.children(recursive=True))]
        if sum(_private_bytes(process) for process in everything) > TIMES * limit:
            for run in runs:
                run.kill()
            return True
    return False


def _private_bytes(process: psutil.Process) -> int:
    """Bytes that are this process's alone, not shared with the worker that it was forked from."""
    with contextlib.suppress(*_GONE):
        # Not the resident size, in which each fork counts all libraries that it shares with the worker.
        return int(process.memory_full_info().uss)
    return 0
