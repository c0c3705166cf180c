"""Collect a stream within a bound."""

from __future__ import annotations


class Capture:
    """Stores up to `limit` bytes; `full`: there was more."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.full = False
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        room = self.limit - self._size
        if len(chunk) > room:
            self.full = True
            chunk = chunk[:room]
        self._chunks.append(chunk)
        self._size += len(chunk)

    @property
    def data(self) -> bytes:
        return b"".join(self._chunks)
