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

from harness.command import Limits
from harness.sandbox.base import SandboxDied, SandboxFault
from harness.sandbox.engine import changed_files, engine_faults
from harness.sandbox.script import STANDSTILL_S

if TYPE_CHECKING:
    from docker.models.containers import Container

TREE_POLL_S = 0.2
DISK_POLL_S = 2.0
# Seconds between two counts of the files that a container has made. An engine compares its whole tree with
# the image's for that, so it rests FILES_REST times as long as the last count took, but no longer than as
# many as are left take to be made.
FILES_POLL_S, FILES_REST, FILES_A_SECOND = 10.0, 20.0, 20_000
# Bytes that a file counts for at least, be it empty: a disk has room for so many files and no more.
A_FILE = 4096


class SandboxWatch(threading.Thread, ABC):
    """Looks every `poll` seconds, and kills once past the deadline or a limit; `stopped` says which.

    `lost`: seconds in which the machine or this process stood still; the deadline is put off by them.
    """

    poll = TREE_POLL_S

    def __init__(self, deadline: float) -> None:
        super().__init__(daemon=True)
        self.stopped = ""
        self.lost = 0.0
        self._fault = ""
        self._deadline = deadline
        self._wake = threading.Event()
        self._finished = False

    @abstractmethod
    def exceeded_limit(self) -> str:
        """The limit that is exceeded now, or ""."""

    @abstractmethod
    def kill(self) -> None:
        """End what is watched."""

    def run(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001 - whatever it is, the limits were not watched
            # Without its watch the command would have no limits, so it is ended and reported as `infra`.
            self._fault = f"{type(error).__name__}: {error}"
            self.kill()

    def _watch(self) -> None:
        while not self._finished and not self.stopped:
            self._pause(min(self.poll, max(0.05, self._deadline - time.monotonic())))
            if not self._finished and not self.stopped:
                late = time.monotonic() >= self._deadline
                self.stopped = "timeout" if late else self.exceeded_limit()
        if self.stopped:
            self.kill()

    def _pause(self, seconds: float) -> None:
        due = time.monotonic() + seconds
        self._wake.wait(seconds)
        late = time.monotonic() - due
        if late >= STANDSTILL_S:
            self.lost += late
            self._deadline += late

    def allow(self, seconds: float) -> None:
        """Put the deadline to `seconds` from now."""
        self._deadline = time.monotonic() + seconds

    def end(self, why: str) -> None:
        """Ask for the end; the reader goes on draining, or an engine would wait for it."""
        self.stopped = self.stopped or why
        self._wake.set()

    def finish(self) -> None:
        """End the watch. Raises SandboxDied when it could not look."""
        self._finished = True
        self._wake.set()
        self.join()
        if self._fault:
            raise SandboxDied(f"the limits of a command could not be watched: {self._fault}")


class ContainerDisk:
    """The bytes that a container has written, over all of its commands, compared with a limit."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._count_at = time.monotonic() + FILES_POLL_S
        self._unseen = 0

    @property
    def due(self) -> bool:
        """Whether its files are to be counted again."""
        return time.monotonic() >= self._count_at

    def is_exceeded(self, container: Container) -> bool:
        """Whether it is over its limit now. What the engine cannot read twice (a path too long) is over."""
        api = container.client.api  # type: ignore[union-attr]
        containers: list[dict[str, Any]] = []
        files, max_files = 0, self._max_bytes // A_FILE
        with contextlib.suppress(SandboxFault), engine_faults():  # whoever reads the output is told
            containers = api.containers(all=True, size=True, filters={"id": container.id})
            if self.due:
                begun = time.monotonic()
                self._count_at = begun + FILES_POLL_S
                files = changed_files(api, str(container.id), max_files)
                rest = FILES_REST * (time.monotonic() - begun)
                rest = min(rest, (max_files - files) / FILES_A_SECOND)
                self._count_at = time.monotonic() + max(FILES_POLL_S, rest)
        written = int(containers[0].get("SizeRw", 0)) if containers else 0
        # A negative size is the engine's word for a tree that it could not walk.
        self._unseen = self._unseen + 1 if written < 0 else 0
        return written > self._max_bytes or files > max_files or self._unseen > 1


class ContainerWatch(SandboxWatch):
    """Watches what a container writes; its memory and processes are the kernel's to limit."""

    poll = DISK_POLL_S

    def __init__(self, container: Container, deadline: float, disk: ContainerDisk) -> None:
        super().__init__(deadline)
        self._container, self._disk = container, disk

    def exceeded_limit(self) -> str:
        return "disk" if self._disk.is_exceeded(self._container) else ""

    def kill(self) -> None:
        with contextlib.suppress(SandboxFault), engine_faults():  # it may have ended by itself
            self._container.kill()

    def finish(self) -> None:
        """As SandboxWatch; many short commands are counted as a long command is."""
        super().finish()
        if not self.stopped and self._disk.due and (exceeded := self.exceeded_limit()):
            self.stopped = exceeded
            self.kill()


class TreeWatch(SandboxWatch):
    """Watches a process and all below it; killing it ends its pid namespace."""

    def __init__(
        self, process: subprocess.Popen[bytes], deadline: float, limits: Limits, disk: Path
    ) -> None:
        super().__init__(deadline)
        self._process, self._limits, self._disk = process, limits, disk
        self._looks = 0

    def exceeded_limit(self) -> str:
        self._looks += 1
        # Memory can run out within a second; `du` over the whole folder costs more and is less urgent.
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
        # Processes end while they are counted.
        try:
            total += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total


def disk_usage(folder: Path) -> int:
    """Bytes that a folder takes on disk, each file at least `A_FILE`; what vanishes counts nothing.

    Links are not followed.
    """
    return max(_du(folder, "-B1"), A_FILE * _du(folder, "--inodes"))


def _du(folder: Path, what: str) -> int:
    done = subprocess.run(
        ["du", "-s", "-x", what, str(folder)], capture_output=True, text=True, check=False
    )
    first = done.stdout.split("\t", 1)[0].strip()
    return int(first) if first.isdigit() else 0
