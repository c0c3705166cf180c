"""An order from the construction of its jail to the report of the observation.

It runs in a separate process, forked from a worker. It is the only process of the jail that can
speak to the host; the program has a separate pid namespace inside and cannot see it.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Mapping

from arena.tracks.dual.runner import (
    calling,
    databases,
    network,
    paths,
    rootfs,
    running,
    serving,
    testing,
    tree,
)
from arena.tracks.dual.runner.first import First
from arena.tracks.dual.runner.inside import Inside
from arena.tracks.dual.runner.observation import (
    FileObservation,
    ProcessEnded,
    Rows,
    RunObservation,
    StepObservation,
)
from arena.tracks.dual.runner.order import MIB, Order
from arena.tracks.dual.runner.output import ERR, OUT
from arena.tracks.dual.runner.rights import Rights
from arena.tracks.dual.runner.running import decode_output
from arena.tracks.dual.runner.sinkhole import Sinkhole
from harness.sandbox.jail import kernel

MAX_COVERAGE = 8 * MIB
SCRATCH, SCRATCH_SIZE = f"{paths.ARENA}/scratch", 160 * MIB
_SHAPES: Mapping[str, Callable[[Inside], tuple[StepObservation, ...]]] = {
    "run": running.steps,
    "call": calling.steps,
    "serve": serving.steps,
}


class Supervisor:
    """Builds the jail on construction; `observe` carries the order out."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._proc = proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
        rights = Rights(proc)
        rights.offer()
        rights.begin()
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
        socket.sethostname("stand")
        self._sinkhole = Sinkhole(order.replies)
        network.join(proc, self._sinkhole.listen)
        rootfs.begin(order)
        self._first = First(rights, order.limits)
        rootfs.finish(order, rights.owner, rights.group)
        namespace = rights.drop()
        # Again: the kernel clears this setting when a process changes its user.
        kernel.die_with_parent(signal.SIGKILL)
        self._first.enter(namespace)
        os.close(namespace)
        _mount_scratch()
        self._tops = [f"/{name}" for name in paths.writable(order)]

    def observe(self) -> RunObservation:
        before, rows_before = self._look(), self._rows()
        contents = self._fetch(self._order.covered, paths.COVERED) if self._order.coverage else {}
        inside = Inside(self._order, self._first, self._proc)
        self._sinkhole.attach(inside.loop)
        began = time.monotonic()
        suite = self._order.suite
        steps = testing.steps(inside, suite) if suite else _SHAPES[self._order.shape](inside)
        seconds = time.monotonic() - began
        cpu = inside.end()  # of the jail only process 1 is left, and this process
        ended, why = inside.over or (ProcessEnded.OK, "")
        return RunObservation(
            ended=ended,
            why=why,
            steps=steps,
            stdout=decode_output(inside.output.all(OUT))[0][0],
            stderr=decode_output(inside.output.all(ERR))[0][0],
            before=before,
            # After the end of all processes: nothing can change a file while it is read.
            after=self._look(),
            databases_before=rows_before,
            databases_after=self._rows(),
            canaries=tuple(inside.reported.canaries),
            connections=self._sinkhole.connections(),
            calls=tuple(inside.reported.calls),
            fetched={**contents, **self._fetch(self._order.fetch), **self._raw()},
            secrets=self._order.secrets,
            cpu=cpu,
            seconds=seconds,
            peak=inside.gauge.peak,
        )

    def _look(self) -> dict[str, FileObservation]:
        return tree.Tree().look(self._tops)

    def _rows(self) -> dict[str, Rows]:
        order = self._order
        return {n: databases.rows(paths.database(order, n), SCRATCH) for n in order.databases}

    def _fetch(self, names: tuple[str, ...], prefix: str = "") -> dict[str, bytes]:
        contents = {f"{prefix}{name}": tree.fetch_file(name) for name in names}
        return {name: content for name, content in contents.items() if content is not None}

    def _raw(self) -> dict[str, bytes]:
        """What the program left of its coverage: regular files at any depth, as far as there is room."""
        if not self._order.coverage:
            return {}
        raw, left = {}, MAX_COVERAGE
        for path, file in tree.Tree().look([paths.COVERAGE]).items():
            content = tree.fetch_file(path) if file.kind == "file" and file.size <= left else None
            if content is not None:
                raw[paths.RAW + path.removeprefix(f"{paths.COVERAGE}/")] = content
                left -= len(content)
        return raw


def _mount_scratch() -> None:
    """A folder that only this process sees: it leaves the program's mount namespace for that."""
    kernel.unshare(kernel.CLONE_NEWNS)
    data = f"size={SCRATCH_SIZE},mode=0700"
    kernel.mount("tmpfs", SCRATCH, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, data)
