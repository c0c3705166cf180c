"""Process 1 of a program's namespace: starts the programs that the supervisor names, and reaps.

Nobody in the namespace can end it, look into it or speak to it; when it ends, all in the namespace ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import socket
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from arena.tracks.dual.runner import cage
from arena.tracks.dual.runner.order import RunLimitsSpec
from arena.tracks.dual.runner.rights import Rights
from harness.sandbox.jail import kernel

MESSAGE = 1 << 16
MAX_PASSED = 8
PRIVATE_FOLDER_BYTES = 64 << 20
_PROC_OPTIONS = "hidepid=2"
# What hindered a start: we did; there is no such command; the program, its folder or its arguments.
_FAULT, _MISSING, _HINDERED = "F", "M", "H"


@dataclass(frozen=True)
class Start:
    """A command, whose pipes are put at 0, 1, 2 and so on.

    private_folder: a folder whose content only this program can read.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    private_folder: str = ""


class ProcessOneLost(Exception):
    """Process 1 is gone, or says what it never says."""


class First:
    """The supervisor's side of process 1."""

    def __init__(self, rights: Rights, limits: RunLimitsSpec) -> None:
        parent_end, child_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket = parent_end
        kernel.unshare(kernel.CLONE_NEWPID)
        self.pid = os.fork()
        if self.pid == 0:
            _Inside(child_end, rights, limits).serve()
        child_end.close()
        self.expect("mounted")

    def enter(self, namespace: int) -> None:
        """Make it give up root, for a user namespace."""
        self._send({"enter": True}, [namespace])
        self.expect("ready")

    def start(self, what: Start, pipes: list[int]) -> None:
        """Have a program started; `take` reports later whether it started, and how it ended."""
        body = os.memfd_create("start", os.MFD_CLOEXEC)
        try:
            with open(body, "wb", closefd=False) as file:
                file.write(json.dumps(asdict(what)).encode())
            self._send({"start": True}, [body, *pipes])
        finally:
            os.close(body)

    def signal(self, pid: int, number: int) -> None:
        self._send({"signal": [pid, number]}, [])

    def end(self) -> float:
        """End everything but process 1; returns the CPU seconds that all together had."""
        self._send({"end": True}, [])
        while "cpu" not in (message := self.take()):
            continue
        return float(message["cpu"])

    def take(self) -> dict[str, Any]:
        """The next message from it; blocks. Raises ProcessOneLost."""
        data = self.socket.recv(MESSAGE)
        if not data:
            raise ProcessOneLost("process 1 ended")
        message: dict[str, Any] = json.loads(data)
        if "fault" in message:
            raise ProcessOneLost(str(message["fault"]))
        return message

    def expect(self, what: str) -> None:
        if what not in (message := self.take()):
            raise ProcessOneLost(f"process 1 said {sorted(message)}, not {what}")

    def _send(self, what: dict[str, Any], passed: list[int]) -> None:
        try:
            socket.send_fds(self.socket, [json.dumps(what).encode()], passed)
        except OSError as error:
            raise ProcessOneLost(f"process 1 cannot be reached: {error}") from error


class _Inside:
    """Process 1 itself."""

    def __init__(self, control: socket.socket, rights: Rights, limits: RunLimitsSpec) -> None:
        self._control, self._rights, self._limits = control, rights, limits
        self._filter = cage.calls_filter()
        self._started: set[int] = set()
        _close_all_but(control.fileno())
        self._wake, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)

    def serve(self) -> NoReturn:
        try:
            kernel.die_with_parent(signal.SIGKILL)
            flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
            kernel.mount("proc", "/proc", "proc", flags, _PROC_OPTIONS)
            self._say({"mounted": True})
            while True:
                self._turn()
        except BaseException as error:  # noqa: BLE001 - reported to the supervisor, whose fault it then is
            with contextlib.suppress(OSError):
                self._say({"fault": f"{type(error).__name__}: {error}"[:2000]})
        finally:
            os._exit(1)

    def _turn(self) -> None:
        control = self._control.fileno()
        ready, _, _ = select.select([control, self._wake], [], [])
        if self._wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake, MESSAGE)
        # Before the request is read: an "exit" that is due then comes before the answer to what is asked now.
        self._reap()
        if control in ready:
            data, passed, _, _ = socket.recv_fds(self._control, MESSAGE, MAX_PASSED)
            if not data:
                # The supervisor is gone. With process 1 the kernel ends every process of its namespace.
                os._exit(0)
            request = json.loads(data)
            {"enter": self._enter, "start": self._start, "signal": self._signal, "end": self._end}[
                next(iter(request))
            ](request, passed)
            for descriptor in passed:
                os.close(descriptor)

    def _enter(self, request: dict[str, Any], passed: list[int]) -> None:
        self._rights.join(passed[0])
        kernel.die_with_parent(signal.SIGKILL)
        kernel.dumpable(False)
        self._say({"ready": True})

    def _start(self, request: dict[str, Any], passed: list[int]) -> None:
        with open(passed[0], "rb", closefd=False) as file:
            file.seek(0)
            what = Start(**json.loads(file.read()))
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._become(what, passed[1:], writing)
        self._started.add(pid)
        os.close(writing)
        with open(reading, "rb") as file:  # noqa: PTH123 - a descriptor
            # Ends without a word once the program is started: the pipe's other end closes on exec.
            words = file.read(2000).decode("utf-8", "replace")
        if words.startswith(_FAULT):
            raise OSError(words[1:])
        failed = {"failed": words[1:], "missing": words.startswith(_MISSING)}
        self._say(failed if words else {"started": pid})

    def _become(self, what: Start, pipes: list[int], words: int) -> NoReturn:
        """In the program's process: shut it in, and start it. What hinders that goes into `words`."""
        stage, where = _FAULT, "a program cannot be shut in"
        try:
            # A signal's byte would otherwise go into the pipe that process 1 waits on.
            signal.set_wakeup_fd(-1)
            os.setsid()
            words = _arrange(pipes, words)
            if what.private_folder:
                _mount_private(what.private_folder)
            cage.shut(self._limits, self._filter)
            stage, where = _HINDERED, f"cannot go to {what.folder}"
            os.chdir(what.folder)
            stage, where = _MISSING, f"cannot start {what.argv[0][:200]}"
            os.execvpe(what.argv[0], list(what.argv), what.env)  # noqa: S606 - no shell on purpose
        except BaseException as error:  # noqa: BLE001 - reported through the pipe
            # Other errors of exec, such as a wrong format or too long a list of arguments, are the program's
            # own.
            if stage == _MISSING and not isinstance(error, FileNotFoundError | PermissionError):
                stage = _HINDERED
            text = f"{stage}{where}: {type(error).__name__}: {error}"
            os.write(words, text[:1900].encode("utf-8", "replace"))
        finally:
            os._exit(127)

    def _signal(self, request: dict[str, Any], passed: list[int]) -> None:
        pid, number = request["signal"]
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

    def _end(self, request: dict[str, Any], passed: list[int]) -> None:
        while True:
            with contextlib.suppress(ProcessLookupError):
                # All of the namespace but process 1 itself. Again after each one that ended: a process may
                # fork while signals are delivered.
                os.kill(-1, signal.SIGKILL)
            try:
                pid, status = os.waitpid(-1, 0)
            except ChildProcessError:
                break
            self._report_exit(pid, status)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._say({"cpu": used.ru_utime + used.ru_stime})

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._report_exit(pid, status)

    def _report_exit(self, pid: int, status: int) -> None:
        # Orphans of a program become children of process 1 as well; nobody asked for their end.
        if pid in self._started:
            self._started.discard(pid)
            self._say({"exit": [pid, status]})

    def _say(self, what: dict[str, Any]) -> None:
        self._control.send(json.dumps(what).encode())


def _mount_private(folder: str) -> None:
    """An empty place over a folder, in a mount namespace of this process and of what it starts."""
    kernel.unshare(kernel.CLONE_NEWNS)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", folder, "tmpfs", flags, f"size={PRIVATE_FOLDER_BYTES},mode=0700")


def _close_all_but(descriptor: int) -> None:
    """Leave what the supervisor holds to the supervisor; 0 to 2 are the empty device."""
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, 4096)


def _arrange(pipes: list[int], words: int) -> int:
    """Put the pipes at 0, 1, 2 and so on, and close all else but `words`; returns its new number."""
    # First to high numbers: a pipe that lies at 1 now would be overwritten by the one that is put there.
    high = [fcntl.fcntl(p, fcntl.F_DUPFD, 100) for p in pipes]
    moved = fcntl.fcntl(words, fcntl.F_DUPFD_CLOEXEC, 100)
    for number, descriptor in enumerate(high):
        os.dup2(descriptor, number, inheritable=True)
    os.closerange(len(pipes), moved)
    os.closerange(moved + 1, 4096)
    return moved
