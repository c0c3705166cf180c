"""Sandboxes inside a container that somebody else created for a single grading, and throws away after it.

A container without privileges can make no namespaces, so bubblewrap does not run there. Here each sandbox is
a set of folders that root alone can enter. They take turns: for a command a sandbox's folders are moved to
`/src`, `/out` and `/tmp`, the command runs as a user who is not root, all processes of that user are killed,
and the folders are moved back. So a sandbox never sees another's files, and nothing outlives a command.
The network is the container's: it must have none.

It moves the machine's `/tmp`, so it refuses to run unless root created `MARKER`, as an image for this does.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import secrets
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil

from harness.command import Command, ExecResult, Limits, Mount
from harness.sandbox.backends.local import (
    ENVIRONMENT,
    HOST,
    KILLED_STATUS,
    LocalBackend,
    LocalSandbox,
    version_of,
)
from harness.sandbox.base import EngineUnavailable, ImageMissing, SandboxDied
from harness.sandbox.capture import Capture
from harness.sandbox.jail import shortage
from harness.sandbox.script import MIN_FREE_BYTES
from harness.sandbox.watch import SandboxWatch, disk_usage

# The file that says: this container is thrown away, its `/src`, `/out` and `/tmp` may be moved.
MARKER = Path("/opt/arena/disposable")
PLACES = tuple(Path(name) for name in ("/src", "/out", "/tmp"))  # noqa: S108 - paths that are moved
# Folders that any user may write in: emptied after each command.
SHARED = tuple(Path(name) for name in ("/dev/shm", "/var/tmp", "/run/lock"))  # noqa: S108
# Drawn for each process: the kernel counts the processes of a user over all containers of a machine.
USER = 20_000 + secrets.randbelow(40_000)
TOOLS = ("setpriv", "prlimit", "du", "tar", "git", "cc", "make")
LACKS = (
    "no namespaces: commands run one at a time as a user of the grading container, where they can list "
    "the names of its processes"
)
KILLER = USER + 40_000
# With `USER` as effective user alone it may kill that user's processes, and none of them may kill it.
KILL_ALL = f"import os; os.setgroups([]); os.setresuid({KILLER}, {USER}, {KILLER}); os.kill(-1, 9)"
POLL_S = 0.05
MAX_KILLS = 200
QUIET = subprocess.DEVNULL
# `PR_SET_CHILD_SUBREAPER` of prctl(2): what loses its parent becomes our child, and can be reaped.
SUBREAPER = 36
_TURN = threading.Lock()
# The command of the present turn: whoever started it waits for it.
_WAITED_FOR: set[int] = set()


class DisposableSandbox(LocalSandbox):
    """As the local sandbox, by turns in place of by namespaces."""

    _is_stopped = False

    def stop(self) -> None:
        """End it, also under a command of another thread, whose turn ends first."""
        self._is_stopped = True
        with _TURN:
            super().stop()

    def exec(self, command: Command) -> ExecResult:
        """Run a command when it is this sandbox's turn; the wait for it is no part of the timeout."""
        with self._turn():
            started, memory = time.monotonic(), shortage.counts()
            env = {**ENVIRONMENT, **command.env}
            argv = self._argv(["sh", "-c", command.line], command.workdir)
            status, output, stopped, cpu = self._run_watched(argv, env, started + command.timeout)
            seconds = time.monotonic() - started
            free = shutil.disk_usage(self._folder).free
        if not stopped and status and shortage.was_memory_short(memory):
            raise SandboxDied("the machine ran out of memory under a running command")
        if not stopped and free < MIN_FREE_BYTES:
            raise SandboxDied(f"the disk is full: {free >> 20} MiB are free")
        return ExecResult(status, output, seconds, stopped, cpu=cpu)

    def put_tree(self, tar: bytes | IO[bytes], into: str) -> None:
        with self._turn():
            super().put_tree(tar, into)

    def get(self, paths: Sequence[str], base: str) -> bytes:
        with self._turn():
            return super().get(paths, base)

    def _archive(self, inner: Sequence[str], into: IO[bytes], limit: int) -> bool:
        with self._turn():
            return super()._archive(inner, into, limit)

    def _keep(self) -> None:
        """Nothing: no process of the command's user wraps a command."""

    def _give_to_user(self, folder: Path) -> None:
        subprocess.run(["chown", "-R", "-h", f"{USER}:{USER}", str(folder)], check=True)

    def _argv(self, inner: Sequence[str], workdir: str) -> list[str]:
        limits = [f"--nproc={self._limits.pids}", "--core=0", f"--fsize={self._limits.disk}"]
        enter = ["sh", "-c", 'cd -- "$0" 2>&1 || exit 126; exec "$@"', workdir]
        user = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs"]
        return ["setpriv", *user, "--", "prlimit", *limits, "--", *enter, *inner]

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """This sandbox's folders are in place, nobody else's are, and no process is left after it."""
        with _TURN:
            if self._is_stopped:
                raise SandboxDied("the sandbox was stopped")
            inside = self._folder / "fs"
            for place in PLACES:
                _move(inside / place.name, place)
            try:
                yield
            finally:
                end_processes()
                for folder in SHARED:
                    _empty(folder)
                for place in PLACES:
                    _move(place, inside / place.name)

    def _run_watched(
        self, argv: list[str], env: Mapping[str, str], deadline: float
    ) -> tuple[int, bytes, str, float]:
        """(status, output, the limit that ended it, processor seconds) of a command line."""
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(env),
            # Ctrl-C at a terminal is for the grader, and is no failure of the command.
            start_new_session=True,
        )
        _WAITED_FOR.add(process.pid)
        watch = UserWatch(deadline, self._limits, lambda: self._is_stopped)
        capture = Capture(self._limits.output)
        watch.start()
        cpu = 0.0
        try:
            cpu = _read_until_ended(process, capture, watch)
        finally:
            watch.finish()
            end_processes()
            _WAITED_FOR.discard(process.pid)
        status = process.returncode
        if watch.stopped:
            return KILLED_STATUS, capture.data, watch.stopped, cpu
        return 128 - status if status < 0 else status, capture.data, "", cpu


class UserWatch(SandboxWatch):
    """Watches the memory and the files of the user that commands run as."""

    def __init__(self, deadline: float, limits: Limits, is_stopped: Callable[[], bool]) -> None:
        super().__init__(deadline)
        self._limits, self._is_stopped = limits, is_stopped
        self._looks = 0

    def exceeded_limit(self) -> str:
        self._looks += 1
        if self._is_stopped():
            return "sandbox"
        # `du` over three folders costs more than a look at memory, which can run out within a second.
        if self._looks % 5 == 0 and sum(map(disk_usage, PLACES)) > self._limits.disk:
            return "disk"
        return "memory" if _resident() > self._limits.memory else ""

    def kill(self) -> None:
        end_processes()


def _read_until_ended(
    process: subprocess.Popen[bytes], capture: Capture, watch: UserWatch
) -> float:
    """Read what a command prints until it ends; returns its processor seconds. What outlives it is killed."""
    assert process.stdout is not None  # noqa: S101 - PIPE was asked for
    pipe, cpu, is_over = process.stdout.fileno(), 0.0, False
    with process.stdout:
        while True:
            ready, _, _ = select.select([pipe], [], [], 0 if is_over else POLL_S)
            if ready:
                chunk = os.read(pipe, 1 << 16)
                capture.feed(chunk)
                if capture.full:
                    watch.end("output")
            if is_over and not (ready and chunk):
                return cpu
            if not is_over:
                # The kernel's count of processor time comes with the wait for the process.
                pid, ended, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    process.returncode = os.waitstatus_to_exitcode(ended)
                    cpu, is_over = usage.ru_utime + usage.ru_stime, True
                    end_processes()
                elif ready and not chunk:  # it closed its output and goes on
                    time.sleep(POLL_S)


def end_processes() -> None:
    """Kill every process of the user that commands run as, and reap those whose parent is gone.

    Raises SandboxDied when some go on being there.
    """
    for _ in range(MAX_KILLS):
        alive = [process for process in _processes() if not _has_ended(process)]
        if not alive:
            return
        # one call of kill(2) reaches what is forked meanwhile as well; at the last it finds nobody
        subprocess.run([sys.executable, "-I", "-S", "-c", KILL_ALL], check=False, stderr=QUIET)
    raise SandboxDied(f"{len(alive)} processes of a command cannot be killed")


def _processes() -> list[psutil.Process]:
    processes = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess):
            if process.uids().real == USER:
                processes.append(process)
    return processes


def _has_ended(process: psutil.Process) -> bool:
    """Whether a process has ended. A process that we adopted when its parent ended is waited for."""
    with suppress(psutil.NoSuchProcess):
        if process.status() != psutil.STATUS_ZOMBIE:
            return False
        if process.ppid() == os.getpid() and process.pid not in _WAITED_FOR:
            with suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)
    return True


def _resident() -> int:
    """Bytes of memory that the processes of the user hold."""
    total = 0
    for process in _processes():
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError as error:
        raise SandboxDied(f"{source} cannot be moved to {target}: {error.strerror}") from error


def _empty(folder: Path) -> None:
    """Remove what a command left in a folder that others use too."""
    if folder.is_dir() and not folder.is_symlink():
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


class DisposableBackend(LocalBackend):
    """Sandboxes in a container that is thrown away; every image is the image of that container."""

    name = "disposable"

    def available(self) -> str:
        if not MARKER.is_file() or MARKER.stat().st_uid != 0 or os.geteuid() != 0:
            return f"no {MARKER} of root's, or not root: this is no container to throw away"
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        return f"not found: {', '.join(missing)}" if missing else ""

    def prepare(self) -> None:
        """Give up the container's folders at `PLACES`. Raises EngineUnavailable."""
        if problem := self.available():
            raise EngineUnavailable(problem)
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        for place in PLACES:
            if place.exists():
                shutil.rmtree(place)

    def lacks(self) -> Sequence[str]:
        return (LACKS,)

    def not_isolated(self) -> Sequence[str]:
        return ("whatever the container does not isolate", *self.lacks())

    def resolve(self, image: str, packages: Sequence[str] = ()) -> str:
        if packages:
            raise ImageMissing(f"image {image!r}: no package can be added to a container")
        if problem := self.available():
            raise EngineUnavailable(problem)
        versions = [image, *map(version_of, ("cc", "clang", "make"))]
        return f"{HOST}:" + hashlib.sha256("\n".join(versions).encode()).hexdigest()[:16]

    def create(self, image: str, limits: Limits, mounts: Sequence[Mount] = ()) -> DisposableSandbox:
        if mounts:
            raise ImageMissing("nothing can be mounted in a container without privileges")
        return DisposableSandbox(image, self._snapshots, limits)

    def clean(self, everything: bool = False) -> list[str]:
        """Nothing: the container is thrown away."""
        return []
