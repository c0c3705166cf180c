"""The testbed: warm workers, and the one function `run` that takes a free one. Threads may share it."""

from __future__ import annotations

import json
import os
import queue
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict
from types import TracebackType
from typing import IO, Any

from harness.testbed import cell, memory, told
from harness.testbed.facts import RunResult, Stopped, TestOutcome
from harness.testbed.job import Job, RunLimits

LENGTH = struct.Struct(">I")
START = 60.0
GRACE = 10.0
MAX_SOURCE = 4 << 20
MAX_ANSWER = 64 << 20
LAST_WORDS = 4000
MODULE = "harness.testbed.worker"
NEEDS = "user namespaces on Linux 5.12 or later (x86_64 or aarch64)"


class TestbedFault(RuntimeError):
    """The testbed's own failure, twice: never a verdict about a test."""

    __test__ = False


class WorkerLost(Exception):
    """A worker ended, hung, or said what no worker says."""


class Testbed:
    """Runs test modules, each in a process of its own that is forked from a warm worker.

    As a context manager; `run` may be called by as many threads as there are workers, more of them wait.
    With `isolated=False` runs have limits but no boundary: never for code that one has not read.
    """

    __test__ = False

    def __init__(self, workers: int = 1, isolated: bool = True) -> None:
        if workers < 1:
            raise ValueError(f"workers: {workers} is less than 1")
        self._isolated = isolated
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False
        for _ in range(workers):
            self._idle.put(None)

    def __enter__(self) -> Testbed:
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
        """ "" where runs can be isolated here, or what is missing and how to get it."""
        try:
            done = subprocess.run(
                [sys.executable, "-m", MODULE, "--probe"],
                capture_output=True,
                text=True,
                env=_environment(),
                cwd=cell.project(),
                timeout=START,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"the testbed cannot isolate runs here: no answer within {START:g} s"
        if done.returncode == 0 and done.stdout.strip() == "isolated":
            return ""
        said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return f"the testbed cannot isolate runs here: {said}; it needs {NEEDS}"

    def run(self, job: Job) -> RunResult:
        """Run one job. Raises TestbedFault when two workers in turn fail at it.

        A run that was cut by the clock without having had the processor for half of that time is made once
        more: a busy machine is no verdict.
        """
        for name in ("program", "tests"):
            if len(getattr(job, name)) > MAX_SOURCE:
                error = f"TooLong: the {name} is longer than {MAX_SOURCE} characters"
                return RunResult(Stopped.UNCOLLECTED, error=error, where=name.removesuffix("s"))
        result = self._ran(job)
        starved = result.stopped is Stopped.TIMEOUT and result.cpu < job.limits.seconds / 2
        return self._ran(job) if starved else result

    def _ran(self, job: Job) -> RunResult:
        faults = []
        for _ in range(2):
            worker = self._idle.get()
            try:
                worker = worker or self._started()
                result = worker.run(job)
            except WorkerLost as fault:
                faults.append(str(fault))
                self._end(worker)
                worker = None
            except BaseException:
                self._end(worker)
                worker = None
                raise
            else:
                return result
            finally:
                self._idle.put(worker)
        raise TestbedFault(f"the testbed failed twice: {'; then '.join(faults)}")

    def close(self) -> None:
        """End all workers, and the runs in them."""
        with self._lock:
            self._closed = True
            workers = list(self._all)
        for worker in workers:
            self._end(worker)

    def _started(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise TestbedFault("the testbed is closed")
            worker = _Worker(self._isolated)
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


def _environment() -> dict[str, str]:
    kept = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",  # noqa: S108 - inside the cell
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(cell.project()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    libraries = os.environ.get("LD_LIBRARY_PATH")
    return {**kept, "LD_LIBRARY_PATH": libraries} if libraries else kept


class _Worker:
    """The driver's side of one warm worker."""

    def __init__(self, isolated: bool) -> None:
        arguments = [sys.executable, "-m", MODULE, *(["--isolated"] if isolated else [])]
        self._isolated, self._memory, self._held = isolated, 0, False
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the worker lives
        self._scratch = tempfile.TemporaryDirectory(prefix="arena-testbed-")
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env={**_environment(), "TMPDIR": self._scratch.name},
            cwd=cell.project(),
            start_new_session=True,
        )

    def wait_ready(self) -> None:
        self._answer(time.monotonic() + START)

    def run(self, job: Job) -> RunResult:
        order = {
            "program": job.program,
            "tests": job.tests,
            "apart": job.apart,
            "lacking": list(job.lacking),
            "limits": asdict(job.limits),
        }
        data = json.dumps(order).encode()
        self._memory, self._held = job.limits.memory, False
        assert self._process.stdin is not None  # noqa: S101 - PIPE was asked for
        try:
            self._process.stdin.write(LENGTH.pack(len(data)) + data)
            self._process.stdin.flush()
        except OSError as error:
            raise WorkerLost(f"a worker ended: {self._last_words()}") from error
        facts, tests = self._answer(time.monotonic() + job.limits.seconds + GRACE)
        return _result(facts, tests, held=self._held)

    def _answer(self, deadline: float) -> tuple[dict[str, Any], list[bytes]]:
        try:
            facts: dict[str, Any] = json.loads(self._part(deadline))
            return facts, [self._part(deadline) for _ in range(int(facts["tests"]))]
        except (ValueError, KeyError, TypeError) as error:
            raise WorkerLost(f"a worker told nonsense: {error}") from error

    def _part(self, deadline: float) -> bytes:
        (length,) = LENGTH.unpack(self._read(LENGTH.size, deadline))
        if length > MAX_ANSWER:
            raise WorkerLost(f"a worker told of {length} bytes")
        return self._read(length, deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - PIPE was asked for
        number, data = self._process.stdout.fileno(), bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WorkerLost("a worker gave no answer in time")
            if not select.select([number], [], [], min(left, memory.EVERY))[0]:
                self._watch()
                continue
            part = os.read(number, size - len(data))
            if not part:
                raise WorkerLost(f"a worker ended: {self._last_words()}")
            data += part
        return bytes(data)

    def _watch(self) -> None:
        if self._memory and not self._held:
            self._held = memory.hold(self._process.pid, self._isolated, self._memory)

    def _last_words(self) -> str:
        self._process.wait()
        size = os.fstat(self._words.fileno()).st_size
        text = os.pread(self._words.fileno(), LAST_WORDS, max(0, size - LAST_WORDS))
        lines = text.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"status {self._process.returncode}"

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
        self._scratch.cleanup()


def _result(facts: dict[str, Any], tests: list[bytes], held: bool = False) -> RunResult:
    error = str(facts["error"])
    if held and facts["stopped"] == Stopped.DIED:
        error = f"the run's processes took too much memory together; {error}"
    if facts["stopped"] == "fault":
        raise WorkerLost(f"a run could not be made: {error}")
    outcomes: list[TestOutcome] = []
    stopped = Stopped(facts["stopped"])
    try:
        outcomes += [told.test(t) for t in tests]
    except told.Malformed as fault:
        stopped, error = Stopped.DIED, f"the run's report is not right: {fault}"
    return RunResult(
        stopped=stopped,
        tests=tuple(outcomes),
        error=error,
        cpu=float(facts["cpu"]),
        seconds=float(facts["seconds"]),
        how=str(facts["how"]),
        where=str(facts["where"]),
    )


__all__ = ["Job", "RunLimits", "Testbed", "TestbedFault"]
