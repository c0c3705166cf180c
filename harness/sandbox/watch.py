"""Watching a command from outside: the outer timeout, and the limits that no kernel object enforces."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from harness.sandbox.base import Limits, SandboxFault
from harness.sandbox.engine import engine_faults

if TYPE_CHECKING:
    from docker.models.containers import Container

TREE_POLL = 0.2
DISK_POLL = 2.0


class Watch(threading.Thread, ABC):
    """Looks every `poll` seconds, and kills once past the deadline or a limit; `stopped` says which."""

    poll = TREE_POLL

    def __init__(self, deadline: float) -> None:
        super().__init__(daemon=True)
        self.stopped = ""
        self._deadline = deadline
        self._wake = threading.Event()
        self._finished = False

    @abstractmethod
    def exceeded(self) -> str:
        """The limit that is exceeded now, or ""."""

    @abstractmethod
    def kill(self) -> None:
        """End what is watched."""

    def run(self) -> None:
        while not self._finished and not self.stopped:
            self._wake.wait(min(self.poll, max(0.05, self._deadline - time.monotonic())))
            if not self._finished and not self.stopped:
                late = time.monotonic() >= self._deadline
                self.stopped = "timeout" if late else self.exceeded()
        if self.stopped:
            self.kill()

    def end(self, why: str) -> None:
        """Ask for the end; the reader goes on draining, or an engine would wait for it."""
        self.stopped = self.stopped or why
        self._wake.set()

    def finish(self) -> None:
        self._finished = True
        self._wake.set()
        self.join()


class ContainerWatch(Watch):
    """Watches what a container writes; its memory and processes are the kernel's to limit."""

    poll = DISK_POLL

    def __init__(self, container: Container, deadline: float, disk: int) -> None:
        super().__init__(deadline)
        self._container, self._disk = container, disk

    def exceeded(self) -> str:
        api = self._container.client.api  # type: ignore[union-attr]
        found: list[dict[str, Any]] = []
        with contextlib.suppress(SandboxFault), engine_faults():  # whoever reads the output is told
            found = api.containers(all=True, size=True, filters={"id": self._container.id})
        written = int(found[0].get("SizeRw", 0)) if found else 0
        return "disk" if written > self._disk else ""

    def kill(self) -> None:
        with contextlib.suppress(SandboxFault), engine_faults():  # it may have ended by itself
            self._container.kill()


class TreeWatch(Watch):
    """Watches a process and all below it; killing it ends its pid namespace."""

    def __init__(
        self, process: subprocess.Popen[bytes], deadline: float, limits: Limits, disk: Path
    ) -> None:
        super().__init__(deadline)
        self._process, self._limits, self._disk = process, limits, disk
        self._looks = 0

    def exceeded(self) -> str:
        self._looks += 1
        if self._looks % 5 == 0 and disk_usage(self._disk) > self._limits.disk:
            return "disk"
        return "memory" if resident(self._process.pid) > self._limits.memory else ""

    def kill(self) -> None:
        self._process.kill()


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
