"""Watch a tree of processes from outside, where no cgroup does it for us."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import psutil

from harness.sandbox.base import Limits

POLL = 0.2


class TreeWatch(threading.Thread):
    """Kills a process (and so its pid namespace) past its deadline, memory, process count or disk."""

    def __init__(
        self, process: subprocess.Popen[bytes], deadline: float, limits: Limits, disk: Path
    ) -> None:
        super().__init__(daemon=True)
        self.stopped = ""
        self._process, self._deadline, self._limits, self._disk = process, deadline, limits, disk
        self._done = threading.Event()

    def run(self) -> None:
        polls = 0
        while not self._done.wait(POLL):
            polls += 1
            why = self._exceeded(check_disk=polls % 5 == 0)
            if why:
                return self.end(why)
        return None

    def _exceeded(self, check_disk: bool) -> str:
        if time.monotonic() >= self._deadline:
            return "timeout"
        if check_disk and disk_usage(self._disk) > self._limits.disk:
            return "disk"
        return "memory" if resident(self._process.pid) > self._limits.memory else ""

    def end(self, why: str) -> None:
        self.stopped = self.stopped or why
        self._process.kill()

    def finish(self) -> None:
        self._done.set()
        self.join()


def resident(pid: int) -> int:
    """Bytes of memory that a process and all below it hold (0 when it is gone)."""
    try:
        root = psutil.Process(pid)
        tree = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    total = 0
    for process in tree:
        try:
            total += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total


def disk_usage(folder: Path) -> int:
    """Bytes that a folder takes on disk; links are not followed, files that vanish count nothing."""
    done = subprocess.run(
        ["du", "-s", "-B1", "-x", str(folder)], capture_output=True, text=True, check=False
    )
    first = done.stdout.split("\t", 1)[0].strip()
    return int(first) if first.isdigit() else 0
