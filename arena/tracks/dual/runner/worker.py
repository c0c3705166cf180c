"""The warm worker: forks a supervisor for each order, and passes on its report.

It reads orders from its standard input and answers on its standard output, framed by a length. An answer is
a letter and its data: OBSERVED, WRONG (the order cannot be carried out), LACKING (the machine has no
such command), FAULT (ours).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn

from arena.tracks.dual.runner import wire
from arena.tracks.dual.runner.inside import NoCommand
from arena.tracks.dual.runner.order import Order, RunLimitsSpec
from arena.tracks.dual.runner.rootfs import BadOrder
from arena.tracks.dual.runner.supervise import Supervisor
from harness.sandbox.jail import kernel

OBSERVED, WRONG, LACKING, FAULT = b"S", b"W", b"N", b"F"
_CHUNK = 1 << 20


def main() -> None:
    if "--probe" in sys.argv:
        probe()
        return
    orders, answers = _move_channels()
    gc.collect()
    # Forked supervisors share these pages; the collector would copy them by writing to each object's header.
    gc.freeze()
    _send(answers, OBSERVED + b"ready")
    while (order := _next(orders)) is not None:
        answer, pid = _serve_order(order, (orders, answers))
        _send(answers, answer)
        os.waitpid(pid, 0)  # the namespaces' end takes a while that nobody need wait for


def probe() -> None:
    """Make a jail and run a command in it, or say what the machine refuses."""
    answer, pid = _serve_order(
        wire.dump(Order("run", ("true",), ({},), limits=RunLimitsSpec(seconds=10))), ()
    )
    os.waitpid(pid, 0)
    if answer[:1] != OBSERVED:
        sys.exit(answer[1:].decode("utf-8", "replace"))
    sys.stdout.write("isolated\n")


def _serve_order(order: bytes, channels: tuple[int, ...]) -> tuple[bytes, int]:
    """The answer to an order, and the supervisor that gave it: about to end, to be waited for."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        # The supervisor handles hostile data: it needs no way to the driver but its own pipe.
        for descriptor in (*channels, reading):
            os.close(descriptor)
        _supervise(order, writing)
    os.close(writing)
    answer = bytearray()
    while data := os.read(reading, _CHUNK):
        answer += data
        if len(answer) > wire.MAX_MESSAGE:
            break
    os.close(reading)
    if len(answer) > wire.MAX_MESSAGE:
        os.kill(pid, signal.SIGKILL)
        answer[:] = FAULT + b"more was seen than a message holds\n"
    # The line end is written last: without it the supervisor was killed in the middle of its answer.
    if not answer.endswith(b"\n"):
        answer[:] = FAULT + b"a supervisor ended before it had told all\n"
    return bytes(answer[:-1]), pid


def _supervise(order: bytes, writing: int) -> NoReturn:
    """In the supervisor's process; an answer that is whole ends with a line end."""
    try:
        kernel.die_with_parent(signal.SIGKILL)
        view = memoryview(_answer(order) + b"\n")
        while view:
            view = view[os.write(writing, view) :]
    finally:
        os._exit(0)  # and with this process ends process 1, by its own watch


def _answer(order: bytes) -> bytes:
    try:
        return OBSERVED + wire.dump(Supervisor(wire.load(Order, order)).observe())
    except BadOrder as error:
        return WRONG + str(error).encode("utf-8", "replace")
    except NoCommand as error:
        return LACKING + str(error).encode("utf-8", "replace")
    except BaseException as error:  # noqa: BLE001 - reported to the driver, whose fault it then is
        return FAULT + _words(error)


def _words(error: BaseException) -> bytes:
    return f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "replace")


def _move_channels() -> tuple[int, int]:
    """Move the driver's pipes to new numbers, and leave the empty device where programs read and write."""
    orders, answers = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(empty, 1)
    os.close(empty)
    return orders, answers


def _next(orders: int) -> bytes | None:
    head = _read(orders, wire.LENGTH.size)
    return None if head is None else _read(orders, *wire.LENGTH.unpack(head))


def _read(descriptor: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        part = os.read(descriptor, min(_CHUNK, size - len(data)))
        if not part:
            return None
        data += part
    return bytes(data)


def _send(answers: int, answer: bytes) -> None:
    view = memoryview(wire.LENGTH.pack(len(answer)) + answer)
    while view:
        view = view[os.write(answers, view) :]


if __name__ == "__main__":
    main()
