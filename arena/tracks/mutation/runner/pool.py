"""The test runner: warm workers, and the function `run` that takes a free worker. Threads may share it."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import asdict
from typing import Any

from arena.tracks.mutation.runner import memory, records
from arena.tracks.mutation.runner.facts import RunResult, Stopped, TestOutcome
from arena.tracks.mutation.runner.job import RunLimits, SuiteJob
from harness.sandbox.base import SandboxFault
from harness.sandbox.jail import shortage
from harness.sandbox.jail import workers as host
from harness.sandbox.jail.workers import WorkerLost, Workers

START = 60.0
GRACE = 10.0
MAX_SOURCE = 4 << 20
MAX_ANSWER = 64 << 20
MODULE = "arena.tracks.mutation.runner.worker"
NEEDS = "user namespaces on Linux 5.12 or later (x86_64 or aarch64)"


class RunnerFault(SandboxFault):
    """The test runner itself failed, twice: never a verdict about a test."""

    __test__ = False


class TestRunner:
    """Runs test modules, each in a separate process that is forked from a warm worker.

    As a context manager; `run` may be called by as many threads as there are workers, more of them wait.
    With `isolated=False` runs have limits but no boundary: never for code that nobody has read.
    """

    __test__ = False

    def __init__(self, workers: int = 1, isolated: bool = True) -> None:
        self._workers = Workers(workers, lambda: _Worker(isolated), RunnerFault, "the test runner")

    def __enter__(self) -> TestRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def available() -> str:
        """ "" where runs can be isolated here, or what is missing and how to get it."""
        return host.probe_module(
            MODULE, _environment(), START, "the test runner cannot isolate runs", NEEDS
        )

    def run(self, job: SuiteJob) -> RunResult:
        """Run a job. Raises RunnerFault when two workers in turn fail at it.

        A run that was cut by the clock without having had the processor for half of that time is repeated
        once: a busy machine is no verdict.
        """
        for name in ("program", "tests"):
            if len(getattr(job, name)) > MAX_SOURCE:
                error = f"TooLong: the {name} is longer than {MAX_SOURCE} characters"
                return RunResult(Stopped.UNCOLLECTED, error=error, where=name.removesuffix("s"))
        result = self._ran(job)
        # Time on the clock passes while other processes have the processor; CPU time shows that the test
        # could not have done its work.
        starved = result.stopped is Stopped.TIMEOUT and result.cpu < job.limits.seconds / 2
        return self._ran(job) if starved else result

    def _ran(self, job: SuiteJob) -> RunResult:
        return self._workers.ask(lambda worker: _run_checking_memory(worker, job))

    def close(self) -> None:
        """End all workers, and the runs in them."""
        self._workers.close()


def _run_checking_memory(worker: _Worker, job: SuiteJob) -> RunResult:
    """Raises WorkerLost when the kernel may have killed the run for want of memory on the machine."""
    memory = shortage.counts()
    result = worker.run(job)
    died = result.stopped is Stopped.DIED or any(test.kind == "Died" for test in result.tests)
    # A kernel out of memory picks its victim by size: it says nothing about the test whose process it was.
    if died and shortage.was_memory_short(memory):
        raise WorkerLost("the machine ran out of memory under a run")
    return result


def _environment() -> dict[str, str]:
    return host.environment("/tmp")  # noqa: S108 - inside the cell


class _Worker(host.WarmWorker):
    every = memory.EVERY

    def __init__(self, isolated: bool) -> None:
        self._isolated, self._memory, self._held = isolated, 0, False
        self._scratch = tempfile.TemporaryDirectory(prefix="arena-testbed-")
        arguments = ["--isolated"] if isolated else []
        super().__init__(MODULE, arguments, {**_environment(), "TMPDIR": self._scratch.name})

    def wait_ready(self) -> None:
        self._answer(time.monotonic() + START)

    def run(self, job: SuiteJob) -> RunResult:
        order = {
            "program": job.program,
            "tests": job.tests,
            "apart": job.apart,
            "lacking": list(job.lacking),
            "limits": asdict(job.limits),
        }
        self._memory, self._held = job.limits.memory, False
        self.send(json.dumps(order).encode())
        facts, tests = self._answer(time.monotonic() + job.limits.seconds + GRACE)
        return _result(facts, tests, held=self._held)

    def _answer(self, deadline: float) -> tuple[dict[str, Any], list[bytes]]:
        try:
            facts: dict[str, Any] = json.loads(self.part(deadline, MAX_ANSWER))
            number = int(facts["tests"])
            return facts, [self.part(deadline, MAX_ANSWER) for _ in range(number)]
        except (ValueError, KeyError, TypeError) as error:
            raise WorkerLost(f"a worker told nonsense: {error}") from error

    def watch(self) -> None:
        if self._memory and not self._held:
            self._held = memory.hold(self.process.pid, self._isolated, self._memory)

    def end(self) -> None:
        super().end()
        self._scratch.cleanup()


def _result(facts: dict[str, Any], tests: list[bytes], held: bool = False) -> RunResult:
    error = str(facts["error"])
    if held and facts["stopped"] == Stopped.DIED:
        error = f"the run's processes took too much memory together; {error}"
    # Before `Stopped(...)`, which knows no such end: a fault is no verdict and the run is repeated in another
    # worker.
    if facts["stopped"] == "fault":
        raise WorkerLost(f"a run could not be made: {error}")
    outcomes: list[TestOutcome] = []
    stopped = Stopped(facts["stopped"])
    try:
        # The frames were sealed, but a test can have changed the objects that the runner put into them.
        outcomes += [records.test(t) for t in tests]
    except records.MalformedFacts as fault:
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


__all__ = ["SuiteJob", "RunLimits", "TestRunner", "RunnerFault"]
