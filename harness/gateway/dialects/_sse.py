"""Server-sent events: taken out of chunks that are cut anywhere, and written.

The format is that of the HTML standard, section 9.2.6 (lines end in LF, CR or CRLF; a blank line ends an
event; several `data:` lines are joined to a text; a line that starts with a colon is a comment).
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects._json import NotJsonBody, load
from harness.gateway.neutral import Reply
from harness.gateway.provider_errors import ProviderError, read_error

# Bytes of one event; a longer one is dropped and counted. Closing events hold a whole answer.
MAX_EVENT = 32 << 20
BOM = b"\xef\xbb\xbf"
MAX_PIECES = 5
MIN_PIECE_CHARACTERS = 16


class Splitter:
    """Cuts a stream into the data of its events, in linear time. Holds a single event at a time."""

    def __init__(self) -> None:
        self.dropped = 0
        self._line = bytearray()
        self._data: bytearray | None = None
        self._size = 0
        self._after_return = False
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of each event that this chunk completes."""
        if not chunk:
            return
        # CR and LF of a single line end may come in two chunks.
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_return = False
            if not chunk:
                return
        # Remembered across chunks: a stream is cut anywhere, also between two bytes of a line's end.
        self._after_return = chunk.endswith(b"\r")
        *whole, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for end in whole:
            self._keep(end)
            line, self._line = bytes(self._line), bytearray()
            yield from self._take(line)
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        """What comes over the limit is dropped, but the size remembers it until the event ends."""
        self._size += len(part)
        if self._size <= MAX_EVENT:
            self._line += part

    def _take(self, line: bytes) -> Iterator[bytes]:
        if self._first:
            line, self._first = line.removeprefix(BOM), False
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                if self._data is None:
                    self._data = bytearray()
                else:
                    self._data += b"\n"
                self._data += value.removeprefix(b" ")
            return
        data, self._data = self._data, None
        size, self._size = self._size, 0
        if size > MAX_EVENT:
            self.dropped += 1
        elif data is not None:
            yield bytes(data)


class EventFold(ABC):
    """What the folds of all dialects share: events become objects, and invalid events are counted.

    A dialect implements `take` (for an event), `body` and `reply`; it sets `begun`, `complete` and, when the
    provider reports in the stream that it failed, `error`.
    """

    def __init__(self) -> None:
        self.complete = self.begun = False
        self.garbage = 0
        self.error: ProviderError | None = None
        self.failed_first = False
        self._splitter = Splitter()

    def feed(self, chunk: bytes) -> None:
        """Any piece of the stream, cut anywhere. Raises nothing: what is no event is counted."""
        for data in self._splitter.feed(chunk):
            if not self._take_data(data):
                self.garbage += 1

    def _take_data(self, data: bytes) -> bool:
        # No JSON, so it is looked at before anything is parsed.
        if data == b"[DONE]":
            return self.close_stream()
        try:
            event = load(data)
        except NotJsonBody:
            return False
        return isinstance(event, dict) and self.take(event)

    @property
    def is_usage_final(self) -> bool:
        return self.complete

    def end(self) -> None:
        """A dialect with a closing event: without it an answer is incomplete."""
        return

    def fail(self, event: Mapping[str, Any]) -> bool:
        """Keep the error that an event reports; the first counts."""
        if self.error is None:
            self.error, self.failed_first = (
                read_error(event) or ProviderError("error"),
                not self.begun,
            )
        return True

    def close_stream(self) -> bool:
        """`[DONE]`, which closes only the streams of chat completions."""
        return True

    @abstractmethod
    def take(self, event: dict[str, Any]) -> bool:
        """Adds an event; False when it does not belong to this dialect."""

    @abstractmethod
    def body(self) -> dict[str, Any]: ...

    @abstractmethod
    def reply(self) -> Reply: ...


def write(event: Mapping[str, Any], name: str = "") -> bytes:
    """An event. JSON is written as ASCII: U+2028 and the like end lines for some readers."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(event, separators=(',', ':'))}\n\n".encode()


def pieces(text: str) -> Iterator[str]:
    """The text in a few parts, as a model gives it."""
    step = max(MIN_PIECE_CHARACTERS, -(-len(text) // MAX_PIECES))
    for start in range(0, len(text), step):
        yield text[start : start + step]
