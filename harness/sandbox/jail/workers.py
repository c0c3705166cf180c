"""Warm workers, on the host's side: they answer a request at a time, and are replaced when they fail."""

from __future__ import annotations

import os
import queue
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Generic, Self, TypeVar

LENGTH = struct.Struct(">I")
LAST_BYTES = 4000
NO_WATCH_S = 3600.0
PROJECT = Path(__file__).resolve().parents[3]


class WorkerLost(Exception):
    """A worker ended, hung, or sent what no worker sends."""


def environment(home: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a worker is started with; of the host's only where its libraries are."""
    variables = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(PROJECT),
        "PYTHONDONTWRITEBYTECODE": "1",
        # The same inputs give the same results (law 5): the order of sets depends on this seed.
        "PYTHONHASHSEED": "0",
        **(more or {}),
    }
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return {**variables, "LD_LIBRARY_PATH": libraries} if libraries else variables


def probe_module(module: str, env: Mapping[str, str], seconds: float, what: str, needs: str) -> str:
    """ "" where `module --probe` says "isolated", else why `what` cannot be had here."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, "--probe"],
            capture_output=True,
            text=True,
            env=dict(env),
            cwd=PROJECT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{what} here: no answer within {seconds:g} s"
    if done.returncode == 0 and done.stdout.strip() == "isolated":
        return ""
    reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"{what} here: {reason}; it needs {needs}"


class WarmWorker:
    """The host's side of a worker, which reads and writes parts framed by a length."""

    # Seconds after which `watch` is called while an answer is awaited.
    every = NO_WATCH_S

    def __init__(self, module: str, arguments: list[str], env: Mapping[str, str]) -> None:
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the worker lives
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=dict(env),
            cwd=PROJECT,
            start_new_session=True,
        )

    def wait_ready(self) -> None:
        """Wait until it takes requests. Raises WorkerLost."""

    def watch(self) -> None:
        """Called now and then while an answer is awaited."""

    def send(self, data: bytes) -> None:
        """Send a request. Raises WorkerLost."""
        assert self.process.stdin is not None  # noqa: S101 - PIPE was asked for
        try:
            self.process.stdin.write(LENGTH.pack(len(data)) + data)
            self.process.stdin.flush()
        except OSError as error:
            raise WorkerLost(f"a worker ended: {self._last_words()}") from error

    def part(self, deadline: float, max_bytes: int) -> bytes:
        """A part of an answer, limited in bytes. Raises WorkerLost."""
        (length,) = LENGTH.unpack(self._read(LENGTH.size, deadline))
        # A worker runs hostile code: it can name any length, which would be taken as memory here.
        if length > max_bytes:
            raise WorkerLost(f"a worker told of {length} bytes")
        return self._read(length, deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        assert self.process.stdout is not None  # noqa: S101 - PIPE was asked for
        number, data = self.process.stdout.fileno(), bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkerLost("a worker gave no answer in time")
            if not select.select([number], [], [], min(left, self.every))[0]:
                self.watch()
                continue
            part = os.read(number, size - len(data))
            if not part:
                raise WorkerLost(f"a worker ended: {self._last_words()}")
            data += part
        return bytes(data)

    def _last_words(self) -> str:
        self.process.wait()
        size = os.fstat(self._words.fileno()).st_size
        text = os.pread(self._words.fileno(), LAST_BYTES, max(0, size - LAST_BYTES))
        lines = text.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"status {self.process.returncode}"

    def end(self) -> None:
        """End it, and all that it runs."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # a broken pipe has nothing more to lose
        self._words.close()


Kind = TypeVar("Kind", bound=WarmWorker)
WorkerType = TypeVar("WorkerType")


class Workers(Generic[Kind]):
    """So many workers, each started when it is first needed. Threads may share it; more of them wait.

    make: starts a worker. fault: what is raised when two workers in turn fail, with `name` in its words.
    expected_errors: exceptions that a worker in good health raises.
    """

    def __init__(
        self,
        number: int,
        make: Callable[[], Kind],
        fault: type[Exception],
        name: str,
        expected_errors: tuple[type[Exception], ...] = (),
    ) -> None:
        if number < 1:
            raise ValueError(f"workers: {number} is less than 1")
        self._make, self._fault, self._name, self._expected_errors = (
            make,
            fault,
            name,
            expected_errors,
        )
        # Last in, first out: a few busy workers stay warm, and the rest need not be started.
        self._idle: queue.LifoQueue[Kind | None] = queue.LifoQueue()
        self._all: set[Kind] = set()
        self._lock = threading.Lock()
        self._closed = False
        for _ in range(number):
            self._idle.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def alive(self) -> set[Kind]:
        return set(self._all)

    def ask(self, question: Callable[[Kind], WorkerType]) -> WorkerType:
        """The answer of a free worker. Raises the fault when two in turn fail at it."""
        faults = []
        # Once more in a fresh worker: a first loss may be the machine's, a second is reported.
        for _ in range(2):
            worker = self._idle.get()
            try:
                worker = worker or self._start_worker()
                return question(worker)
            except WorkerLost as lost:
                faults.append(str(lost))
                self._end(worker)
                worker = None
            except self._expected_errors:
                raise
            except BaseException:
                self._end(worker)
                worker = None
                raise
            finally:
                self._idle.put(worker)
        raise self._fault(f"{self._name} failed twice: {'; then '.join(faults)}")

    def close(self) -> None:
        """End all workers, and what they run."""
        with self._lock:
            self._closed = True
            workers = list(self._all)
        for worker in workers:
            self._end(worker)

    def _start_worker(self) -> Kind:
        with self._lock:
            if self._closed:
                raise self._fault(f"{self._name} is closed")
            worker = self._make()
            self._all.add(worker)
        try:
            worker.wait_ready()
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _end(self, worker: Kind | None) -> None:
        if worker is not None:
            worker.end()
            with self._lock:
                self._all.discard(worker)
