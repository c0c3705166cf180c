"""The jail while its programs run: starting them, and watching that they keep the limits."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from arena.tracks.dual.runner import paths
from arena.tracks.dual.runner.canary import ReportedCanaries
from arena.tracks.dual.runner.first import First, ProcessOneLost, Start
from arena.tracks.dual.runner.gauge import EVERY, Gauge
from arena.tracks.dual.runner.loop import READ, WRITE, Loop
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.order import Order
from arena.tracks.dual.runner.output import ERR, OUT, Output

_CHUNK = 1 << 16
_STARTING = 20.0


class CannotStart(Exception):
    """The program cannot be started, for what it is."""


class NoCommand(Exception):
    """The machine has no such command: our fault, not the program's."""


class Inside:
    """What is common to the three shapes of orders. `proc`: a descriptor of the host's /proc."""

    def __init__(self, order: Order, first: First, proc: int) -> None:
        self.order, self.first, self.proc, self.loop = order, first, proc, Loop()
        self.over: tuple[ProcessEnded, str] | None = None
        self.gauge, self.reported = Gauge(order.limits, proc, first.pid), ReportedCanaries()
        self.output = Output(self.loop, order.limits.output, self._stop_flood)
        self.exits: dict[int, int] = {}
        self._started: list[dict[str, Any]] = []
        # Also for writing: a FIFO without a writer is at its end all the time, and the loop would not come to
        # rest.
        self._seen = os.open(paths.EVENT_PIPE, os.O_RDWR | os.O_NONBLOCK)
        self.loop.watch(self._seen, READ, self._read_reported)
        self.loop.watch(first.socket.fileno(), READ, self._read_first)
        self.loop.every(EVERY, self._look)

    def start(
        self,
        argv: Sequence[str],
        env: dict[str, str],
        pipes: Sequence[int] = (),
        hooked: bool = True,
        private_folder: str = "",
    ) -> int:
        """Start a program whose output is taken; `pipes`: for its 0, and from 3 on. They are closed here.
        hooked: the order's hooks observe it, and its environment is the order's. private_folder: see `Start`.

        Returns its process id. Raises CannotStart, NoCommand.
        """
        out, err = os.pipe(), os.pipe()
        passed = [pipes[0], out[1], err[1], *pipes[1:]]
        try:
            everything = paths.environment(self.order, env, hooked)
            self.first.start(
                Start(tuple(argv), everything, self.order.folder, private_folder), passed
            )
        finally:
            for descriptor in passed:
                os.close(descriptor)
        self.output.take(out[0], OUT)
        self.output.take(err[0], ERR)
        if not self.loop.until(lambda: bool(self._started), time.monotonic() + _STARTING):
            raise ProcessOneLost(f"process 1 started nothing within {_STARTING:g} s")
        message = self._started.pop()
        if "failed" in message:
            # A command of the machine that is missing is our fault; a file of the program's own is its
            # failure.
            ours = message["missing"] and paths.ours(self.order, argv[0])
            raise (NoCommand if ours else CannotStart)(message["failed"])
        return int(message["started"])

    def until(self, done: Callable[[], bool], deadline: float) -> bool:
        """Wait until `done`; False when the deadline or a limit ended the wait (`over` gives a limit)."""
        return self.loop.until(lambda: self.over is not None or done(), deadline) and not self.over

    def has_exited(self, pid: int) -> bool:
        return pid in self.exits

    def feed(self, descriptor: int, data: bytes) -> None:
        """Write to a pipe as it takes it, then close it."""
        os.set_blocking(descriptor, False)
        view = memoryview(data)

        def write() -> None:
            nonlocal view
            try:
                # In small parts: a program that does not read its input must not hold up the watch over its
                # limits.
                view = view[os.write(descriptor, view[:_CHUNK]) :] if view else view
            except BlockingIOError:
                return
            # It need not read its input to the end.
            except BrokenPipeError:
                view = memoryview(b"")
            if not view:
                self.loop.drop(descriptor)
                os.close(descriptor)

        self.loop.watch(descriptor, WRITE, write)

    def stop(self, pid: int, grace: float) -> None:
        """Ask a program to end, and wait for it a little: what it still has to write is part of the test."""
        if self.has_exited(pid) or self.over:
            return
        self.first.signal(pid, signal.SIGTERM)
        self.until(lambda: self.has_exited(pid), time.monotonic() + grace)

    def end(self) -> float:
        """End all that is left; returns the CPU seconds of all together."""
        # From here on `end` reads the socket itself, and waits for the answer.
        self.loop.drop(self.first.socket.fileno())
        cpu = self.first.end()
        # What the programs wrote before their end still lies in pipes and sockets.
        self.loop.drain()
        return cpu

    def _stop_flood(self) -> None:
        self.over = self.over or (
            ProcessEnded.OUTPUT,
            f"more than {self.order.limits.output} bytes of output",
        )

    def _look(self) -> None:
        self.over = self.over or self.gauge.look()

    def _read_reported(self) -> None:
        try:
            self.reported.feed(os.read(self._seen, _CHUNK))
        except BlockingIOError:
            return

    def _read_first(self) -> None:
        message = self.first.take()
        if "exit" in message:
            pid, status = message["exit"]
            self.exits[int(pid)] = int(status)
        else:
            self._started.append(message)
