"""Calls of functions on hostile data, each in a child process with limits of time and memory.

A thread that reads cannot be stopped, and while it holds the interpreter's lock no further thread runs. So a
call goes to a server process, which is started once and forks for each call:

    this process --> server --> keeper of the call --> worker, which has the limits and runs the function

The server is started anew and not forked off from here: further threads may hold locks at that moment. It
ends, with all that it started, when this process does, however that ends.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

# Seconds of processor time for a call, for whatever it is given.
CPU_S = 20
# Seconds more for each MiB of arguments: all readers are linear, and none takes half as much.
CPU_S_PER_MIB = 2
# Address space of a worker, in which about 50 MiB are the interpreter's.
MEMORY_BYTES = 4 << 30
MAX_MODULE_NAME = 1024
# Bytes behind an answer: how the worker ended, as `os.waitpid` says it.
STATUS_BYTES = 4
# Of a pickled result: who asked has to hold it as well.
MAX_ANSWER_BYTES = 512 << 20
# A worker's exit statuses.
DONE, FAILED, OUT_OF_MEMORY = 0, 1, 3
START = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from harness.bounded import serve
serve(int(sys.argv[2]))
"""

P = ParamSpec("P")
T = TypeVar("T")


class OverLimit(Exception):
    """A limit ended the call: `reason` says in words which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ReaderLost(Exception):
    """A worker was killed from outside, twice: the machine's fault and not that of what it read."""


@dataclass(frozen=True)
class ReadingLimits:
    """cpu: seconds of processor time; memory: bytes of address space."""

    cpu: int = CPU_S
    memory: int = MEMORY_BYTES


def run_bounded(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of `function(*args, **kwargs)`, or what it raises, from a child process with limits.

    function: at the top level of its module; arguments, result and exceptions are pickled.
    Raises OverLimit, and ReaderLost.
    """
    return run_limited(ReadingLimits(), function, *args, **kwargs)


def run_limited(
    limits: ReadingLimits, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """As `run_bounded`, with these limits, to which CPU_S_PER_MIB is added."""
    call = pickle.dumps((function, args, kwargs), pickle.HIGHEST_PROTOCOL)
    cpu = limits.cpu + CPU_S_PER_MIB * (len(call) >> 20)
    head = f"{cpu} {limits.memory} {function.__module__}".encode()
    for _ in range(2):  # a server that was killed, or lost its worker, is replaced once
        answer, status = _SERVER.ask(head, call)
        if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL):
            continue
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            why = f"more than {cpu} s" if number == signal.SIGXCPU else f"signal {number}"
            raise OverLimit(why)
        if os.WEXITSTATUS(status) == OUT_OF_MEMORY:
            raise OverLimit(f"more than {limits.memory >> 20} MiB of memory")
        if os.WEXITSTATUS(status) != DONE:
            raise RuntimeError(f"the result of {function.__qualname__} cannot be pickled")
        is_result, value = pickle.loads(answer)  # noqa: S301 - written by our own worker
        if not is_result:
            raise value
        result: T = value
        return result
    raise ReaderLost(f"the process that runs {function.__qualname__} was killed")


class _ReadingServer:
    """The server process of this process, once it is needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._calls: socket.socket | None = None

    def ask(self, head: bytes, call: bytes) -> tuple[bytes, int | None]:
        """A worker's answer, and how it ended; None where the server or the keeper was killed."""
        near, far = socket.socketpair()
        with near:
            with far:
                self._send(head, far)
            with suppress(OSError):  # the worker has ended before it read all
                near.sendall(call)
                near.shutdown(socket.SHUT_WR)
            parts: list[bytes] = []
            with suppress(ConnectionError):
                while part := near.recv(1 << 20):
                    parts.append(part)
        answer = b"".join(parts)
        if len(answer) < STATUS_BYTES:
            return b"", None
        return answer[:-STATUS_BYTES], int.from_bytes(answer[-STATUS_BYTES:], "big")

    def _send(self, head: bytes, far: socket.socket) -> None:
        with self._lock:
            if self._calls is not None:
                with suppress(OSError):
                    socket.send_fds(self._calls, [head], [far.fileno()])
                    return
            self._stop()
            socket.send_fds(self._start(), [head], [far.fileno()])

    def _start(self) -> socket.socket:
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = json.dumps([str(Path(folder).absolute()) for folder in sys.path])
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", START, path, str(far.fileno())],
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for this process, whose end ends the server
            )
        self._calls = near
        return near

    def _stop(self) -> None:
        if self._calls is not None:
            self._calls.close()
        if self._process is not None:
            self._process.wait()
        self._calls = self._process = None

    def stop(self) -> None:
        """End the server, and wait for its end."""
        with self._lock:
            self._stop()

    def forget(self) -> None:
        """In a child that this process forked: the server is the parent's and ends with that."""
        if self._calls is not None:
            self._calls.close()
        self.__init__()  # type: ignore[misc] # the lock may be held by a thread that is not here


_SERVER = _ReadingServer()
os.register_at_fork(after_in_child=_SERVER.forget)
atexit.register(_SERVER.stop)


def serve(descriptor: int) -> None:
    """Fork for each call that comes in, until whoever calls has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for keepers
    with socket.socket(fileno=descriptor) as calls:
        while True:
            head, taken, _, _ = socket.recv_fds(calls, MAX_MODULE_NAME, 1)
            if not taken:
                break
            cpu, memory, module = head.decode().split(" ", 2)
            with suppress(Exception):  # once, for all later calls; the worker says what is wrong
                importlib.import_module(module)
            with suppress(
                OSError
            ):  # no process to be had: whoever calls sees an answer without end
                if os.fork() == 0:
                    calls.close()
                    _keep(taken[0], ReadingLimits(int(cpu), int(memory)))
            os.close(taken[0])
    os.killpg(0, signal.SIGKILL)  # this server, and the workers that nobody waits for


def _keep(descriptor: int, limits: ReadingLimits) -> NoReturn:
    """Fork the worker of a call, and write behind its answer how it ended."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        worker = os.fork()
        if worker == 0:
            _work(descriptor, limits)
        _, status = os.waitpid(worker, 0)
        os.write(descriptor, status.to_bytes(STATUS_BYTES, "big"))
    finally:
        os._exit(0)


def _work(descriptor: int, limits: ReadingLimits) -> NoReturn:
    """Run the call, write its answer, and exit with a status of those above."""
    gc.disable()  # this process ends soon, and its millions of objects would be looked at again and again
    status = FAILED
    try:
        _set_limit(resource.RLIMIT_CORE, 0, 0)
        _set_limit(resource.RLIMIT_AS, limits.memory, limits.memory)
        _set_limit(resource.RLIMIT_CPU, limits.cpu, limits.cpu + 1)
        with socket.socket(fileno=descriptor) as caller, suppress(ConnectionError):
            caller.sendall(_answer(caller))
        status = DONE
    except MemoryError:
        status = OUT_OF_MEMORY
    except BaseException:  # noqa: BLE001 - there is no frame above this one
        traceback.print_exc()
    finally:
        os._exit(status)


def _set_limit(kind: int, soft: int, hard: int) -> None:
    """Lower a limit, unless it is lower already."""
    hard_limit = resource.getrlimit(kind)[1]
    if hard_limit != resource.RLIM_INFINITY:
        soft, hard = min(soft, hard_limit), min(hard, hard_limit)
    resource.setrlimit(kind, (soft, hard))


def _answer(caller: socket.socket) -> bytes:
    """The pickled result of a call, or what it raised."""
    with caller.makefile("rb") as stream:
        call = stream.read()
    outcome: tuple[bool, Any]
    try:
        function, args, kwargs = pickle.loads(call)  # noqa: S301 - from whoever started this server
        outcome = True, function(*args, **kwargs)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - it is raised where the call came from
        error.add_note(traceback.format_exc())
        outcome = False, error
    answer = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
    if len(answer) > MAX_ANSWER_BYTES:
        raise MemoryError
    return answer
