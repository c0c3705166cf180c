"""How a run's process reports to the worker: sealed, numbered frames through a pipe.

A frame is `length u32 | number u32 | seal 16 bytes | tag 1 byte + payload`. The seal is BLAKE2b over number,
tag and payload with a key that is drawn for this run and that only its worker and its runner have, so that
what a test writes into the pipe by hand is not taken for a fact.
"""

from __future__ import annotations

import os
import struct
from _blake2 import blake2b
from collections.abc import Callable
from dataclasses import dataclass, field

KEY = 32
SEAL = 16
HEAD = struct.Struct(">II16s")
NUMBER = struct.Struct(">I")

CODE, BEGIN, TEST, LOST, END, FAULT = b"C", b"B", b"T", b"L", b"E", b"F"
# Number of the frame that the process of test 0 sends, where each test has a process of its own.
APART = 1_000_000

Send = Callable[[bytes, bytes], None]


class Forged(ValueError):
    """What came through the pipe is not what the runner sends."""


def sender(descriptor: int, key: bytes, first: int = 0) -> Send:
    """A function (tag, payload) that writes a frame; in a forked copy of the process it ends that copy.

    All that it needs is taken now, so that a test which patches modules later does not reach it.
    """
    # A test may fork: without this check the copy would go on in the runner's own code and report the tests
    # that follow a second time.
    write, leave, get_pid, mine = os.write, os._exit, os.getpid, os.getpid()
    head, number, seal = HEAD.pack, NUMBER.pack, blake2b
    count = first

    def send(tag: bytes, payload: bytes) -> None:
        nonlocal count
        if get_pid() != mine:
            leave(70)
        body = tag + payload
        mac = seal(number(count) + body, digest_size=SEAL, key=key).digest()
        data = memoryview(head(len(body), count, mac) + body)
        count += 1
        while data:
            # `write` to a pipe may take a part only, where the payload is longer than the room left in the
            # pipe.
            data = data[write(descriptor, data) :]

    return send


@dataclass
class Receiver:
    """Takes bytes, gives checked frames. Raises Forged at the first that is not right, or beyond `limit`."""

    key: bytes
    limit: int
    apart: bool = False
    total: int = 0
    _data: bytearray = field(default_factory=bytearray)
    _next: int = 0
    _begun: int = 0
    _reported: set[int] = field(default_factory=set)

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        self.total += len(data)
        self._data += data
        frames = []
        while len(self._data) >= HEAD.size:
            length, number, mac = HEAD.unpack_from(self._data)
            # The length comes before the seal and is not yet checked: unbounded, it would make the worker
            # collect bytes for a frame that never ends.
            if not 0 < length <= self.limit:
                raise Forged("a frame of impossible length")
            if len(self._data) < HEAD.size + length:
                break
            body = bytes(self._data[HEAD.size : HEAD.size + length])
            del self._data[: HEAD.size + length]
            frames.append(self._verify_frame(number, mac, body))
        return frames

    def _verify_frame(self, number: int, mac: bytes, body: bytes) -> tuple[bytes, bytes]:
        right = blake2b(NUMBER.pack(number) + body, digest_size=SEAL, key=self.key).digest()
        if right != mac:
            raise Forged("a frame without the right seal")
        tag, payload = body[:1], body[1:]
        # Processes of single tests cannot share one counter with their parent, so the number says which test
        # it is.
        if number >= APART:
            self._from_apart(number, tag)
        elif number != self._next:
            raise Forged(f"frame {number} where {self._next} was due")
        else:
            self._next += 1
            # Only the parent sends BEGIN, and it waits for each child: the test that runs is always the last
            # one begun.
            self._begun += tag == BEGIN
        return tag, payload

    def _from_apart(self, number: int, tag: bytes) -> None:
        if not self.apart or tag != TEST or number != APART + self._begun - 1:
            raise Forged("a frame of a test that does not run")
        if number in self._reported:
            raise Forged("a test told twice how it ended")
        self._reported.add(number)

    @property
    def rest(self) -> int:
        """Bytes that are no whole frame."""
        return len(self._data)
