"""The runner: warm workers, and the function `run`, which takes a free worker. Threads may share it."""

from __future__ import annotations

import dataclasses
import time

from arena.tracks.dual.runner import checking, hooks, paths, wire
from arena.tracks.dual.runner.observation import CoveredFile, ProcessEnded, RunObservation
from arena.tracks.dual.runner.order import Bind, Order
from harness.sandbox.base import SandboxFault
from harness.sandbox.jail import shortage, workers
from harness.sandbox.jail.workers import WorkerLost, Workers

MODULE = "arena.tracks.dual.runner.worker"
START, GRACE = 60.0, 30.0
NEEDS = "user and network namespaces, veth and tmpfs on Linux 5.12 or later (x86_64 or aarch64)"


class ProgramRunnerFault(SandboxFault):
    """A failure of the runner itself: never a verdict about a program."""


class ProgramRunner:
    """Runs orders, each in separate namespaces.

    As a context manager; `run` may be called by as many threads as there are workers, more of them wait.
    """

    def __init__(self, workers: int = 1) -> None:
        self._workers = Workers(
            workers,
            _ProgramWorker,
            ProgramRunnerFault,
            "the runner",
            (ValueError, ProgramRunnerFault),
        )
        hooks.prepare()

    def __enter__(self) -> ProgramRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def available() -> str:
        """ "" where orders can be run here, or what is missing."""
        what = "the program runner cannot isolate programs"
        return workers.probe_module(MODULE, workers.environment("/"), START, what, NEEDS)

    @property
    def processes(self) -> list[int]:
        """Ids of the workers that there are now."""
        return [worker.process.pid for worker in self._workers.alive]

    def run(self, order: Order) -> RunObservation:
        """Carry out an order.

        Raises ValueError for an order that cannot be carried out (single line: field and why), and
        ProgramRunnerFault when two workers in turn fail at it, or the machine has not the command that it
        names. A program that was cut by the clock without having had the processor for half of that time is
        run once more: a busy machine is no verdict.
        """
        checking.check(order)
        order = _with_hooks(order)
        data = wire.dump(order)
        observation = self._ran(order, data)
        return self._ran(order, data) if _is_starved(observation) else observation

    def _ran(self, order: Order, data: bytes) -> RunObservation:
        return self._workers.ask(lambda worker: _run_checking_memory(worker, order, data))

    def close(self) -> None:
        """End all workers, and the programs in them."""
        self._workers.close()


class _ProgramWorker(workers.WarmWorker):
    def __init__(self) -> None:
        super().__init__(MODULE, [], workers.environment("/"))

    def wait_ready(self) -> None:
        if self._answer(time.monotonic() + START) != b"Sready":
            raise WorkerLost("a worker told nonsense")

    def run(self, order: Order, data: bytes) -> RunObservation:
        """Raises ValueError, ProgramRunnerFault, WorkerLost."""
        self.send(data)
        return _read(order, self._answer(time.monotonic() + _most(order)))

    def _answer(self, deadline: float) -> bytes:
        return self.part(deadline, wire.MAX_MESSAGE)


def _run_checking_memory(worker: _ProgramWorker, order: Order, data: bytes) -> RunObservation:
    """Raises WorkerLost when the kernel may have killed the program for want of memory on the machine."""
    memory = shortage.counts()
    observation = worker.run(order, data)
    if not _clean(observation) and shortage.was_memory_short(memory):
        raise WorkerLost("the machine ran out of memory under a program")
    return observation


def _clean(observation: RunObservation) -> bool:
    """Whether all ended well; a compiler, for example, reports a killed part by its exit status."""
    return observation.ended is ProcessEnded.OK and not any(
        step.exit or step.ended not in (ProcessEnded.OK, ProcessEnded.RAISED)
        for step in observation.steps
    )


def _most(order: Order) -> float:
    """The longest that an order may take, with all that is ours."""
    limits = order.limits
    # Each step may use its whole time; the worker itself ends an order at the first that does.
    return limits.start + limits.seconds * len(order.steps) + GRACE


def _read(order: Order, answer: bytes) -> RunObservation:
    kind, content = answer[:1], answer[1:]
    if kind != b"S":
        words = " ".join(content.decode("utf-8", "replace").split())
        # Neither is repeated: a wrong order and a missing command fail in the next worker too.
        raised = {b"W": ValueError, b"N": ProgramRunnerFault}.get(kind, WorkerLost)
        raise raised(f"an order could not be carried out: {words}")
    try:
        observation: RunObservation = wire.load(RunObservation, content)
    except wire.Malformed as error:
        raise WorkerLost(f"a worker told nonsense: {error}") from error
    return _with_coverage(observation) if order.coverage else observation


def _with_hooks(order: Order) -> Order:
    """Native hooks are built on this machine. Raises ProgramRunnerFault when they cannot be."""
    if "native" not in order.hooks:
        return order
    try:
        bind = Bind(str(hooks.native_library()), hooks.NATIVE)
    except RuntimeError as error:
        raise ProgramRunnerFault(str(error)) from error
    return dataclasses.replace(order, binds=(*order.binds, bind))


def _with_coverage(observation: RunObservation) -> RunObservation:
    """Take the coverage out of the fetched files."""
    from arena.tracks.dual.runner.coverage import covered_statements

    parts: dict[str, dict[str, bytes]] = {paths.RAW: {}, paths.COVERED: {}, "": {}}
    for name, content in observation.fetched.items():
        prefix = next(p for p in parts if name.startswith(p))
        parts[prefix][name.removeprefix(prefix)] = content
    ran: tuple[CoveredFile, ...] = covered_statements(parts[paths.RAW], parts[paths.COVERED])
    return dataclasses.replace(observation, coverage=ran, fetched=parts[""])


def _is_starved(observation: RunObservation) -> bool:
    """Whether the wall clock ended a program that had the processor for less than half of the time."""
    by_clock = observation.ended in (
        ProcessEnded.TIMEOUT,
        ProcessEnded.NO_START,
    ) and observation.why.endswith(paths.TIME_OVER)
    # A program that sleeps also has little CPU time, and costs a second run; its verdict is the same.
    return by_clock and observation.cpu < observation.seconds / 2
