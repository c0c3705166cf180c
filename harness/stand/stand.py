"""The stand: warm workers, and the one function `run` that takes a free one. Threads may share it."""

from __future__ import annotations

import dataclasses
import os
import queue
import select
import subprocess
import sys
import tempfile
import threading
import time
from types import TracebackType
from typing import IO

from harness.stand import hooks, paths, wire
from harness.stand.order import Bind, Order
from harness.stand.seen import Covered, Ended, Seen

MODULE = "harness.stand.worker"
START, GRACE = 60.0, 30.0
LAST_WORDS = 4000
NEEDS = "user and network namespaces, veth and tmpfs on Linux 5.12 or later (x86_64 or aarch64)"


class StandFault(RuntimeError):
    """The stand's own failure: never a verdict about a program."""


class WorkerLost(Exception):
    """A worker ended, hung, or said what no worker says."""


class Stand:
    """Runs orders, each in namespaces of its own.

    As a context manager; `run` may be called by as many threads as there are workers, more of them wait.
    """

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise ValueError(f"workers: {workers} is less than 1")
        hooks.prepare()
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False
        for _ in range(workers):
            self._idle.put(None)

    def __enter__(self) -> Stand:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @staticmethod
    def available() -> str:
        """ "" where orders can be run here, or what is missing."""
        try:
            done = subprocess.run(
                [sys.executable, "-m", MODULE, "--probe"],
                capture_output=True,
                text=True,
                env=_environment(),
                cwd=_project(),
                timeout=START,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"the stand cannot isolate programs here: no answer within {START:g} s"
        if done.returncode == 0 and done.stdout.strip() == "isolated":
            return ""
        said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return f"the stand cannot isolate programs here: {said}; it needs {NEEDS}"

    def run(self, order: Order) -> Seen:
        """Carry out one order.

        Raises ValueError for an order that cannot be carried out (one line: field and why), StandFault when
        two workers in turn fail at it, or the machine has not the command that it names. A program that was
        cut by the clock without having had the processor for half of that time is run once more: a busy
        machine is no verdict.
        """
        paths.check(order)
        order = _with_hooks(order)
        data = wire.dump(order)
        seen = self._ran(order, data)
        return self._ran(order, data) if _starved(seen) else seen

    def close(self) -> None:
        """End all workers, and the programs in them."""
        with self._lock:
            self._closed = True
            workers = list(self._all)
        for worker in workers:
            self._end(worker)

    def _ran(self, order: Order, data: bytes) -> Seen:
        faults = []
        for _ in range(2):
            worker = self._idle.get()
            try:
                worker = worker or self._started()
                seen = worker.run(order, data)
            except WorkerLost as fault:
                faults.append(str(fault))
                self._end(worker)
                worker = None
            except (ValueError, StandFault):
                raise
            except BaseException:
                self._end(worker)
                worker = None
                raise
            else:
                return seen
            finally:
                self._idle.put(worker)
        raise StandFault(f"the stand failed twice: {'; then '.join(faults)}")

    def _started(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise StandFault("the stand is closed")
            worker = _Worker()
            self._all.add(worker)
        try:
            worker.wait_ready()
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _end(self, worker: _Worker | None) -> None:
        if worker is not None:
            worker.end()
            with self._lock:
                self._all.discard(worker)


class _Worker:
    """The driver's side of one warm worker."""

    def __init__(self) -> None:
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the worker lives
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=_environment(),
            cwd=_project(),
            start_new_session=True,
        )

    def wait_ready(self) -> None:
        if self._answer(time.monotonic() + START) != b"Sready":
            raise WorkerLost("a worker told nonsense")

    def run(self, order: Order, data: bytes) -> Seen:
        """Raises ValueError, StandFault, WorkerLost."""
        assert self._process.stdin is not None  # noqa: S101 - PIPE was asked for
        try:
            self._process.stdin.write(wire.LENGTH.pack(len(data)) + data)
            self._process.stdin.flush()
        except OSError as error:
            raise WorkerLost(f"a worker ended: {self._last_words()}") from error
        answer = self._answer(time.monotonic() + _most(order))
        return _read(order, answer)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # a broken pipe has nothing more to lose
        self._words.close()

    def _answer(self, deadline: float) -> bytes:
        (length,) = wire.LENGTH.unpack(self._part(wire.LENGTH.size, deadline))
        if length > wire.MAX_MESSAGE:
            raise WorkerLost(f"a worker told of {length} bytes")
        return self._part(length, deadline)

    def _part(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - PIPE was asked for
        number, data = self._process.stdout.fileno(), bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([number], [], [], left)[0]:
                raise WorkerLost("a worker gave no answer in time")
            part = os.read(number, size - len(data))
            if not part:
                raise WorkerLost(f"a worker ended: {self._last_words()}")
            data += part
        return bytes(data)

    def _last_words(self) -> str:
        self._process.wait()
        size = os.fstat(self._words.fileno()).st_size
        text = os.pread(self._words.fileno(), LAST_WORDS, max(0, size - LAST_WORDS))
        lines = text.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"status {self._process.returncode}"


def _most(order: Order) -> float:
    """The longest that an order may take, with all that is ours."""
    limits = order.limits
    return limits.start + limits.seconds * len(order.steps) + GRACE


def _read(order: Order, answer: bytes) -> Seen:
    kind, told = answer[:1], answer[1:]
    if kind != b"S":
        words = " ".join(told.decode("utf-8", "replace").split())
        raised = {b"W": ValueError, b"N": StandFault}.get(kind, WorkerLost)
        raise raised(f"an order could not be carried out: {words}")
    try:
        seen: Seen = wire.load(Seen, told)
    except wire.Malformed as error:
        raise WorkerLost(f"a worker told nonsense: {error}") from error
    return _with_coverage(seen) if order.coverage else seen


def _with_hooks(order: Order) -> Order:
    """Native hooks are built on this machine. Raises StandFault when they cannot be."""
    if "native" not in order.hooks:
        return order
    try:
        bind = Bind(str(hooks.native_library()), hooks.NATIVE)
    except RuntimeError as error:
        raise StandFault(str(error)) from error
    return dataclasses.replace(order, binds=(*order.binds, bind))


def _with_coverage(seen: Seen) -> Seen:
    """Take the coverage out of the fetched files."""
    from harness.stand.coverage import covered

    kept: dict[str, dict[str, bytes]] = {paths.RAW: {}, paths.COVERED: {}, "": {}}
    for name, content in seen.fetched.items():
        prefix = next(p for p in kept if name.startswith(p))
        kept[prefix][name.removeprefix(prefix)] = content
    ran: tuple[Covered, ...] = covered(kept[paths.RAW], kept[paths.COVERED])
    return dataclasses.replace(seen, coverage=ran, fetched=kept[""])


def _starved(seen: Seen) -> bool:
    """Whether the wall clock ended a program that had the processor for less than half of the time."""
    by_clock = seen.ended in (Ended.TIMEOUT, Ended.NO_START) and seen.why.endswith(paths.TIME_OVER)
    return by_clock and seen.cpu < seen.seconds / 2


def _project() -> str:
    return str(paths.OWN_DRIVERS.parents[2])


def _environment() -> dict[str, str]:
    kept = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": _project(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return {**kept, "LD_LIBRARY_PATH": libraries} if libraries else kept
