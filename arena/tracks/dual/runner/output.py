"""The programs' standard output and error, stored up to a limit."""

from __future__ import annotations

import os
from collections.abc import Callable

from arena.tracks.dual.runner.loop import READ, Loop

OUT, ERR = 0, 1
_CHUNK = 1 << 16


class Output:
    """Reads pipes; calls `flooded` after more than `limit` bytes between a `mark` and the next."""

    def __init__(self, loop: Loop, limit: int, flooded: Callable[[], None]) -> None:
        self._loop, self._limit, self._flooded = loop, limit, flooded
        self._data = (bytearray(), bytearray())
        self._since = [0, 0]

    def take(self, descriptor: int, stream: int) -> None:
        """Read a pipe (which is closed when it ends) from now on."""
        os.set_blocking(descriptor, False)
        self._loop.watch(descriptor, READ, lambda: self._read(descriptor, stream))

    def mark(self) -> None:
        """What comes from here on is the next step's."""
        self._since = [len(data) for data in self._data]

    def since(self, stream: int) -> bytes:
        """What came since the mark."""
        return bytes(self._data[stream][self._since[stream] :])

    def all(self, stream: int) -> bytes:
        return bytes(self._data[stream][: self._limit])

    def _read(self, descriptor: int, stream: int) -> None:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._loop.drop(descriptor)
            os.close(descriptor)
            return
        held = self._data[stream]
        # For each step: an order of many steps, none of which writes much, is no flood.
        room = self._limit - (len(held) - self._since[stream])
        held += data[: max(0, room)]
        if len(data) > room:
            self._flooded()
