"""The warm worker: imports everything once, then forks a process for each run and watches over it.

It reads orders from its standard input and answers on its standard output, both framed by a length; it
keeps nothing of a run but the compiled form of test modules.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import resource
import secrets
import select
import signal
import struct
import sys
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.mutation.runner import cell, confine, wire

LENGTH = struct.Struct(">I")
MAX_ORDER = 64 << 20
MAX_CACHED_CODES = 128
MAX_CODE = 1 << 20
CHUNK = 1 << 16
# The kernel measures in two ways: a process that it ended at its limit may show 0.75 of it, and less.
MEASURED = 0.5


@dataclass
class ObservedRun:
    """What the worker read of a run."""

    stopped: str = ""
    error: str = ""
    where: str = ""
    how: str = "forked"
    code: bytes | None = None
    tests: list[bytes] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    ended: bool = False
    has_result: bool = False


class SuiteWorker:
    """Serves orders in turn until its input ends."""

    def __init__(self, isolated: bool) -> None:
        # The process's own size is read through this descriptor: inside the cell no /proc is mounted that
        # shows it.
        proc = cell.enter() if isolated else os.open("/proc", os.O_PATH)
        self._orders, self._answers = _move_channels()
        self._folder = cell.Folder(isolated)
        self._cage = confine.Cage(isolated)
        from arena.tracks.mutation.runner.run import SuiteStage

        self._stage = SuiteStage(self._folder.path)
        self._codes: OrderedDict[str, bytes] = OrderedDict()
        self._base = confine.address_space(proc)
        os.close(proc)
        gc.collect()
        # Frozen objects are not visited by the collector, so a run's collection does not write to, and
        # thereby copy, the pages that it shares with this worker.
        gc.freeze()

    def serve(self) -> None:
        self._answer({"ready": True, "pid": os.getpid()}, [])
        while (order := self._next()) is not None:
            self._answer(*self._serve_order(order))

    def _next(self) -> dict[str, Any] | None:
        head = _read(self._orders, LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack(head)
        data = _read(self._orders, min(length, MAX_ORDER))
        order: dict[str, Any] = json.loads(data)
        return order

    def _answer(self, facts: dict[str, Any], tests: list[bytes]) -> None:
        parts = [json.dumps({**facts, "tests": len(tests)}).encode(), *tests]
        data = b"".join(LENGTH.pack(len(p)) + p for p in parts)
        view = memoryview(data)
        while view:
            view = view[os.write(self._answers, view) :]

    def _serve_order(self, order: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        # The cache is by the tests' text alone: rewritten assertions do not depend on the program, and a
        # suite runs against each mutant in turn.
        name = hashlib.sha256(order["tests"].encode("utf-8", "surrogatepass")).hexdigest()
        started = time.monotonic()
        # A new key for each run: what one run's tests may have read from their memory is worth nothing in the
        # next.
        key = secrets.token_bytes(wire.KEY)
        reading, writing = os.pipe()
        self._folder.fresh()
        pid = self._cage.fork()
        if pid == 0:
            os.close(reading)
            self._run(order, writing, key, self._codes.get(name))
        # Otherwise the worker itself would hold the pipe open, and never read its end when the run's process
        # dies.
        os.close(writing)
        try:
            watched = self._watch(pid, reading, order, key, started)
        finally:
            os.close(reading)
            # Before the answer, also after an exception: a process left behind would take time from the next
            # run.
            status, usage = _end_process(pid, self._cage)
        _judge(watched, status, order, usage)
        if watched.code is not None and len(watched.code) <= MAX_CODE:
            self._keep(name, watched.code)
        facts = {
            "stopped": watched.stopped,
            "error": watched.error,
            "where": watched.where,
            "how": watched.how,
            "cpu": usage.ru_utime + usage.ru_stime,
            "seconds": time.monotonic() - started,
        }
        return facts, watched.tests

    def _keep(self, name: str, code: bytes) -> None:
        self._codes[name] = code
        if len(self._codes) > MAX_CACHED_CODES:
            self._codes.popitem(last=False)

    def _run(self, order: dict[str, Any], writing: int, key: bytes, code: bytes | None) -> None:
        """In the run's process; never returns."""
        leave = os._exit
        try:
            # Apart from `_perform`: a failure here is the runner's and is repeated, later ones are the test's
            # doing.
            send, own_channel = self._enter_cage(order["limits"], writing, key)
        except BaseException as error:  # noqa: BLE001 - ours, and reported as a fault; nothing hostile ran yet
            words = f"{type(error).__name__}: {error}"
            wire.sender(writing, key)(wire.FAULT, words.encode("utf-8", "replace")[:2000])
            leave(71)
        try:
            self._perform(order, code, send, own_channel)
        finally:
            # Not `sys.exit`: handlers of `atexit` that a test registered must not run, nor this copy return
            # to the worker's loop.
            leave(0)

    def _enter_cage(
        self, limits: dict[str, Any], writing: int, key: bytes
    ) -> tuple[wire.Send, Any]:
        channel = self._cage.enter(self._folder.path, limits, self._base, writing)
        self._stage.prepare(self._folder.path)
        send = wire.sender(channel, key)
        return send, lambda index: wire.sender(channel, key, wire.APART + index)

    def _perform(
        self, order: dict[str, Any], code: bytes | None, send: wire.Send, own_channel: Any
    ) -> None:
        from arena.tracks.mutation.runner import run

        job = run.SuiteOrder(
            order["program"], order["tests"], order["apart"], tuple(order["lacking"]), code
        )
        run.perform(self._stage, self._folder.path, job, send, own_channel)

    def _watch(
        self, pid: int, reading: int, order: dict[str, Any], key: bytes, started: float
    ) -> ObservedRun:
        limits, watched = order["limits"], ObservedRun()
        receiver = wire.Receiver(key, limits["output"], order["apart"])
        deadline = started + limits["seconds"]
        poll = select.poll()
        poll.register(reading, select.POLLIN | select.POLLHUP)
        while not watched.ended and not watched.stopped:
            left = deadline - time.monotonic()
            if left <= 0:
                watched.stopped, watched.error = (
                    "timeout",
                    f"{limits['seconds']:g} s of time are over",
                )
            elif poll.poll(left * 1000 + 1):
                data = os.read(reading, CHUNK)
                if not data:
                    break
                _take(receiver, data, limits["output"], watched)
        return watched


def _take(receiver: wire.Receiver, data: bytes, limit: int, watched: ObservedRun) -> None:
    try:
        for tag, payload in receiver.feed(data):
            _TAKERS[tag](watched, payload)
    except (wire.Forged, KeyError, ValueError, RecursionError) as fault:
        watched.stopped, watched.error = "died", f"the run's report is not right: {fault}"
        watched.tests.clear()
    # The compiled test module goes through the same pipe, and is not the test's output.
    if receiver.total > limit + MAX_CODE and not watched.stopped:
        watched.stopped, watched.error = "output", f"more than {limit} bytes were told"


def _taken_code(watched: ObservedRun, payload: bytes) -> None:
    watched.code = payload


def _taken_begin(watched: ObservedRun, payload: bytes) -> None:
    watched.begun.append(str(json.loads(payload)))
    watched.has_result = False


def _taken_test(watched: ObservedRun, payload: bytes) -> None:
    # A sealed frame is not enough: a second result for one test would let a later line replace a failure.
    if watched.has_result or not watched.begun:
        raise wire.Forged("a test that does not run tells how it ended")
    watched.tests.append(payload)
    watched.has_result = True


def _taken_lost(watched: ObservedRun, payload: bytes) -> None:
    # The parent sends LOST after every child; it counts only where the child ended without its result.
    if watched.has_result:
        return
    lost = json.loads(payload)
    text = f"Died: {_exit_words(int(lost['status']))}"
    facts = {
        "name": lost["name"],
        "outcome": "error",
        "error": text,
        "kind": "Died",
        "where": "test",
    }
    watched.tests.append(json.dumps(facts).encode())


def _taken_end(watched: ObservedRun, payload: bytes) -> None:
    end = json.loads(payload)
    watched.ended = True
    watched.error, watched.where, watched.how = end["error"], end["where"], end["how"]
    watched.stopped = "uncollected" if end["error"] else "finished"
    if end["altered"]:
        watched.stopped, watched.error = (
            "died",
            f"the tests altered what runs them: {end['altered']}",
        )
        watched.tests.clear()


def _taken_fault(watched: ObservedRun, payload: bytes) -> None:
    watched.stopped, watched.error = "fault", payload.decode("utf-8", "replace")


_TAKERS = {
    wire.FAULT: _taken_fault,
    wire.CODE: _taken_code,
    wire.BEGIN: _taken_begin,
    wire.TEST: _taken_test,
    wire.LOST: _taken_lost,
    wire.END: _taken_end,
}


def _end_process(pid: int, cage: confine.Cage) -> tuple[int, resource.struct_rusage]:
    cage.kill(pid)
    _, status, usage = os.wait4(pid, 0)
    return status, usage


def _judge(
    watched: ObservedRun, status: int, order: dict[str, Any], usage: resource.struct_rusage
) -> None:
    """Say why a run ended that did not report its end."""
    if not watched.stopped:
        limit = order["limits"]["cpu"]
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        # The kernel ends a process at its hard limit of CPU time by SIGKILL, which alone does not show that
        # from want of memory.
        if killed and usage.ru_utime + usage.ru_stime >= limit * MEASURED:
            watched.stopped, watched.error = "timeout", f"{limit:g} s of CPU time are over"
        else:
            watched.stopped, watched.error = (
                "died",
                f"the run's process ended: {_exit_words(status)}",
            )
    if (
        watched.stopped in ("timeout", "died", "output")
        and watched.begun
        and not watched.has_result
    ):
        watched.error += f" (in {watched.begun[-1][:200]})"


def _exit_words(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # Real-time signals, from 32 on, have no names of their own in `signal.Signals`.
        return f"signal {signal.Signals(number).name if number < 32 else number}"
    return f"exit status {os.WEXITSTATUS(status)}"


# A program that prints, or reads its input, would otherwise write into the answer or take bytes of the next
# order.
def _move_channels() -> tuple[int, int]:
    """Move the driver's pipes to high numbers, and leave nothing where programs read and write."""
    orders, answers = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(empty, 1)
    os.close(empty)
    return orders, answers


def _read(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(descriptor, size - len(data))
        if not part:
            break
        data += part
    return bytes(data)


def probe() -> None:
    """Create a cell and confine a process in it as a run is, or say what the kernel refuses."""
    try:
        os.close(cell.enter())
        cage, folder = confine.Cage(True), cell.Folder(True)
        limits = {"cpu": 1, "memory": 1 << 30, "file": 1 << 20, "processes": 8}
        pid = cage.fork()
        if pid == 0:
            cage.enter(folder.path, limits, 1 << 30, os.dup(1))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        if status:
            raise OSError(f"a run cannot be shut in: {_exit_words(status)}")
    except (OSError, KeyError) as error:
        sys.exit(f"{error}")
    sys.stdout.write("isolated\n")


def main() -> None:
    if "--probe" in sys.argv:
        probe()
        return
    SuiteWorker(isolated="--isolated" in sys.argv).serve()


if __name__ == "__main__":
    main()
