"""The reading of an HTTP/1.1 response as it comes, from a server that may send anything (RFC 9112)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_HEAD, MAX_HEADERS = 64 << 10, 200
# The reason phrase may be missing, and a lone line feed ends a line: RFC 9112 lets a receiver accept it.
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?: [^\r\n]*)?\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_NUMBER = re.compile(r"\d{1,15}")
_BODILESS = (204, 304)


class Garbage(Exception):
    """What came is no response."""


@dataclass(frozen=True)
class Response:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """All values of a header (in lower case), joined by commas; "" when it is not there."""
        return ", ".join(value for header, value in self.headers if header == name)


class ResponseReader:
    """`feed` takes data; `done` is the response when it is whole. `size`: maximum size of a body in bytes."""

    def __init__(self, method: str, size: int) -> None:
        self._method, self._size = method, size
        self._data = bytearray()
        self._status, self._headers = 0, ()  # type: tuple[int, tuple[tuple[str, str], ...]]
        self._body = bytearray()
        self._left: int | None = None
        self._chunked = False
        self.too_long = False
        self.done: Response | None = None

    def feed(self, data: bytes) -> None:
        """Take what came; b"" says that no more comes. Raises Garbage."""
        self._data += data
        while not self.done and not self._status:
            if not self._head():
                break
        if self._status and not self.done:
            self._take(ended=not data)
        if not data and not self.done:
            began = "within the body" if self._status else "before the end of the header"
            raise Garbage(f"the connection ended {began}")

    def _head(self) -> bool:
        """Take a header from the front; False when it is not whole yet."""
        end = _HEAD_END.search(self._data)
        if end is None:
            if len(self._data) > MAX_HEAD:
                raise Garbage(f"a header of more than {MAX_HEAD} bytes")
            if self._data and not b"HTTP/1.".startswith(self._data[:7]):
                raise Garbage("the answer is no HTTP/1.1")
            return False
        if end.start() > MAX_HEAD:
            raise Garbage(f"a header of more than {MAX_HEAD} bytes")
        head = bytes(self._data[: end.start()]) + b"\n"
        first = _STATUS.match(head)
        if first is None:
            raise Garbage("the answer is no HTTP/1.1")
        del self._data[: end.end()]
        status = int(first[1])
        if 100 <= status < 200:
            return True  # the real one follows
        self._status, self._headers = status, _headers(head[first.end() :])
        self._expect()
        return False

    def _expect(self) -> None:
        # Reversed, so that of several headers of a name the first one counts.
        by_name = dict(reversed(self._headers))
        self._chunked = "chunked" in by_name.get("transfer-encoding", "").lower()
        length = by_name.get("content-length", "").strip()
        # Whatever their headers say, these have no body (RFC 9112, section 6.3).
        if self._method == "HEAD" or self._status in _BODILESS:
            self._left, self._chunked = 0, False
        # Transfer-Encoding takes precedence over Content-Length (RFC 9112, section 6.3).
        elif not self._chunked and length:
            if not _NUMBER.fullmatch(length):
                raise Garbage(f"a Content-Length of {length[:40]!r}")
            self._left = int(length)

    def _take(self, ended: bool) -> None:
        if self._chunked:
            finished = self._chunks()
        else:
            taken = self._data if self._left is None else self._data[: self._left - len(self._body)]
            self._body += taken
            self._data.clear()
            finished = ended if self._left is None else len(self._body) >= self._left
        if len(self._body) > self._size:
            self.too_long = True
            del self._body[self._size :]
            finished = True
        if finished:
            self.done = Response(self._status, self._headers, bytes(self._body))

    def _chunks(self) -> bool:
        """Take whole chunks from the front; True after the last chunk."""
        at = 0
        while len(self._body) <= self._size:
            size = _SIZE.match(self._data, at)
            if size is None:
                # A size line may have an extension, of any length; a server could keep the reader waiting
                # with it.
                if len(self._data) - at > 300:
                    raise Garbage("a chunk without a size")
                break
            length = int(size[1], 16)
            if length == 0:
                return True
            there = len(self._data) - size.end()
            room = self._size - len(self._body)
            cut = there <= length or (there == length + 1 and self._data.endswith(b"\r"))
            # A chunk larger than what may be taken is not waited for: its beginning already goes over the
            # limit.
            if cut and min(there, length) <= room:
                break  # the chunk, with its line end, is not whole, and may be taken yet
            self._body += self._data[size.end() : size.end() + length]
            at = size.end() + length
            at += 2 if self._data[at : at + 2] == b"\r\n" else 1
        del self._data[:at]
        return False


def _headers(text: bytes) -> tuple[tuple[str, str], ...]:
    headers = []
    for line in text.split(b"\n")[:MAX_HEADERS]:
        name, colon, value = line.rstrip(b"\r").partition(b":")
        if colon:
            decoded = value.strip().decode("utf-8", "replace")
            headers.append((name.strip().decode("latin-1").lower(), decoded))
    return tuple(headers)


def saved_value(response: Response, wanted: str) -> str | None:
    """The value at "/json/pointer" (RFC 6901) of the body, or of "header:Name"; None when it is not there."""
    if wanted.lower().startswith("header:"):
        return response.header(wanted[7:].lower()) or None
    try:
        value: Any = json.loads(response.body)
        for part in wanted.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None
    return value if isinstance(value, str) else json.dumps(value)
