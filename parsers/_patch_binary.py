"""The binary parts of a patch, read as strictly as git does.

At a broken part git stops reading and takes the patch so far, without reporting what follows.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable

# Bytes that the binary parts of a patch may unpack to, all together.
MAX_UNPACKED = 256 << 20
# A few bytes can unpack to gigabytes, so the content is unpacked in pieces that are not stored.
CHUNK_BYTES = 1 << 20
_START = re.compile(rb"(literal|delta) (\d{1,18})$")
# git's base 85: a line begins with its number of bytes, A to Z for 1 to 26 and a to z for 27 to 52.
_LENGTHS = {code: n + 1 for n, code in enumerate(range(ord("A"), ord("Z") + 1))}
_LENGTHS |= {code: n + 27 for n, code in enumerate(range(ord("a"), ord("z") + 1))}


class BrokenBinary(ValueError):
    """A part that git does not take."""


def starts(line: bytes) -> bool:
    """Whether a part begins with this line."""
    return _START.match(line) is not None


def count_unpacked(first: bytes, following: Callable[[], bytes | None]) -> int:
    """Count the bytes of a part, no fewer than it unpacks to; stops a little above MAX_UNPACKED.

    first: its first line; following: returns the next line at each call, None at the end.
    Raises BrokenBinary.
    """
    match = _START.match(first)
    if match is None:
        raise BrokenBinary("neither a literal nor a delta")
    packed = b"".join(iter(lambda: _decode_line(following()), b""))
    size = int(match[2])
    if size > MAX_UNPACKED:
        return size
    start = _inflate_start(packed, size)
    # A short delta can make a large file, and it is git that makes it: the larger number counts.
    return max(size, _result(start)) if match[1] == b"delta" else size


def _decode_line(line: bytes | None) -> bytes:
    """Decode a line; b"" for an empty line, which ends a part."""
    if line == b"":
        return b""
    if line is None or len(line) < 6 or (len(line) - 1) % 5:
        raise BrokenBinary("a line of the wrong length")
    length, max_bytes = _LENGTHS.get(line[0], 0), (len(line) - 1) // 5 * 4
    if not max_bytes - 4 < length <= max_bytes:
        raise BrokenBinary("a line that disagrees with its length")
    try:
        return base64.b85decode(line[1:])[:length]
    except ValueError as error:
        raise BrokenBinary("a line of other characters") from error


def _inflate_start(packed: bytes, size: int) -> bytes:
    """How what is packed begins. Raises BrokenBinary unless it unpacks to `size` bytes."""
    stream, start, inflated = zlib.decompressobj(), b"", 0
    try:
        while inflated <= size and not stream.eof:
            data = stream.decompress(packed, CHUNK_BYTES)
            packed, inflated, start = (
                stream.unconsumed_tail,
                inflated + len(data),
                start or data[:32],
            )
            if not data and not stream.eof:
                break
    except zlib.error as error:
        raise BrokenBinary("not compressed") from error
    if inflated != size or not stream.eof:
        raise BrokenBinary("another size than is stated")
    return start


def _result(delta: bytes) -> int:
    """The size that a delta states for what it makes: the second of two numbers, seven bits a byte."""
    numbers = re.match(rb"[\x80-\xff]{0,9}[\x00-\x7f]([\x80-\xff]{0,9}[\x00-\x7f])", delta)
    if numbers is None:
        raise BrokenBinary("a delta without sizes")
    return sum((byte & 127) << 7 * place for place, byte in enumerate(numbers[1]))
