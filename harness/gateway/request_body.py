"""A request's body: read within limits, unpacked, and parsed. Everything in it is hostile."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol

from harness.gateway.dialects._json import NotJsonBody, load
from harness.gateway.models import ConnectionDropped

MEBIBYTE = 1 << 20
# Content codings, with the window that zlib reads each by.
_WINDOWS = {b"gzip": 31, b"x-gzip": 31, b"deflate": 15}

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Hold = Callable[[int], None]


class BadBody(ValueError):
    """The body is not accepted; the message is a line, `status` the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Holder(Protocol):
    def hold(self, size: int) -> bool: ...


@contextmanager
def held_bytes(holder: Holder) -> Iterator[Hold]:
    """A function that counts the bytes of a request with `holder`; they are released at the end."""
    held = 0

    def hold(size: int) -> None:
        nonlocal held
        held += size
        if not holder.hold(size):
            raise BadBody(413, "too many large requests are open")

    try:
        yield hold
    finally:
        holder.hold(-held)


async def read_body(
    headers: Mapping[bytes, bytes], receive: Receive, limit: int, hold: Hold
) -> bytes:
    """The whole body, unpacked. Raises BadBody, and ConnectionDropped when the client leaves."""
    content_length = headers.get(b"content-length", b"")
    # Cut to 20 digits: Python refuses, or takes long, to read a number of thousands of digits.
    if content_length.isdigit() and int(content_length[:20]) > limit:
        _too_long(limit)
    coding = headers.get(b"content-encoding", b"identity").strip().lower()
    if coding not in _WINDOWS and coding != b"identity":
        raise BadBody(415, "content-encoding: only gzip, deflate and identity are known")
    unpack = zlib.decompressobj(_WINDOWS[coding]) if coding in _WINDOWS else None
    parts: list[bytes] = []
    length = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionDropped("the client left before its request was whole")
        part = message.get("body", b"")
        more = message.get("more_body", False)
        if unpack is not None:
            # Unpacked up to the limit only: a few KB of gzip can hold gigabytes of zeros.
            part = _decompress(unpack, part, limit + 1 - length)
        length += len(part)
        if length > limit:
            _too_long(limit)
        hold(len(part))
        parts.append(part)
    # A body that is cut off must not count as whole, even where what came is JSON.
    if unpack is not None and not unpack.eof:
        raise BadBody(400, "the packed body breaks off")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _decompress(unpack: Any, part: bytes, max_bytes: int) -> bytes:
    try:
        data: bytes = unpack.decompress(part, max_bytes)
    except zlib.error as error:
        raise BadBody(400, f"the packed body is damaged: {error}") from error
    return data


def _too_long(limit: int) -> NoReturn:
    raise BadBody(413, f"the body is larger than {limit // MEBIBYTE} MiB")


def read_object(data: bytes) -> dict[str, Any]:
    """The JSON object that a body holds, of bounded depth and with finite numbers. Raises BadBody."""
    try:
        body = load(data)
    except NotJsonBody as error:
        raise BadBody(400, f"the body is no JSON that can be read: {error}") from error
    if not isinstance(body, dict):
        raise BadBody(400, "the body is no JSON object")
    return body
