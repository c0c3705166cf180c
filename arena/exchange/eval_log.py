"""The members of an `.eval` log of Inspect, also of a log whose end is cut off.

Form: a zip archive (PKWARE's APPNOTE.TXT, 4.3.7: local file header). inspect-ai 0.3.285 compresses members
with Zstandard (method 93), which Python 3.11's zipfile does not know; pyarrow unpacks it. The table of
contents is at the end, so a log that was cut has none: members are read by their local headers, in which
Inspect writes sizes (no data descriptors). A later member of a name replaces an earlier member.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from arena.exchange.bounded import PartUnreadable, charge_bytes, open_regular

LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
LOCAL_SIGNATURE = b"PK\x03\x04"
END_SIGNATURE = b"PK\x05\x06"
# The end of the table of contents and its comment are no longer.
END_BYTES = (1 << 16) + 22
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
ENCRYPTED, DATA_DESCRIPTOR = 0x1, 0x8
# A size that stands in the zip64 extra field.
WIDE = 0xFFFFFFFF
MAX_MEMBERS = 200_000
MAX_MEMBER_BYTES = 64 << 20
MAX_NAME_BYTES = 4096
CHUNK = 1 << 16


@dataclass(frozen=True)
class Member:
    """Where the packed bytes of a member are."""

    offset: int
    packed: int
    size: int
    method: int
    checksum: int


@dataclass
class EvalMembers:
    """An open log. cut: where it ends too early, "" for a complete log."""

    path: Path
    stream: BinaryIO
    members: dict[str, Member] = field(default_factory=dict)
    cut: str = ""

    def read(self, name: str) -> bytes:
        """The content of a member. Raises PartUnreadable."""
        member = self.members.get(name)
        where = f"{self.path}: {name}"
        if member is None:
            raise PartUnreadable(f"{where}: not in the log")
        if member.size > MAX_MEMBER_BYTES or member.packed > MAX_MEMBER_BYTES:
            raise PartUnreadable(f"{where}: larger than {MAX_MEMBER_BYTES} bytes")
        charge_bytes(member.size, where)
        self.stream.seek(member.offset)
        packed = self.stream.read(member.packed)
        try:
            data = UNPACK[member.method](packed, member.size)
        except KeyError:
            raise PartUnreadable(f"{where}: compressed by unknown method {member.method}") from None
        except (zlib.error, OSError, EOFError, ValueError) as error:
            raise PartUnreadable(f"{where}: broken: {str(error)[:160]}") from error
        if len(data) != member.size or zlib.crc32(data) != member.checksum:
            raise PartUnreadable(f"{where}: its content has another size or checksum")
        return data


def _inflate(packed: bytes, size: int) -> bytes:
    # A byte more than stated shows a wrong size, and a bomb unpacks no further.
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size + 1)


def _unpack_zstandard(packed: bytes, size: int) -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped]

    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        data: bytes = stream.read(size + 1)
    return data


# Method -> function of the packed bytes and the size in the header, which gives one byte more at most.
UNPACK: dict[int, Callable[[bytes, int], bytes]] = {
    STORED: lambda packed, size: packed[: size + 1],
    DEFLATED: _inflate,
    ZSTANDARD: _unpack_zstandard,
}


@contextmanager
def open_members(path: Path) -> Iterator[EvalMembers]:
    """The members of a log. Raises PartUnreadable for a file that is no zip archive."""
    with open_regular(path) as stream:
        log = EvalMembers(path, stream)
        _find_members(log)
        yield log


def _find_members(log: EvalMembers) -> None:
    end = log.stream.seek(0, 2)
    offset = 0
    while offset < end:
        log.stream.seek(offset)
        header = log.stream.read(LOCAL_HEADER.size)
        # The end of a log that was cut may be shorter than a signature.
        if header[:4] != LOCAL_SIGNATURE[: len(header[:4])]:
            break  # the table of contents
        if len(header) < LOCAL_HEADER.size:
            log.cut = f"cut at byte {offset}"
            return
        offset = _add_member(log, header, offset, end)
        if log.cut:
            return
        if len(log.members) > MAX_MEMBERS:
            raise PartUnreadable(f"{log.path}: more than {MAX_MEMBERS} members")
    if not offset:
        raise PartUnreadable(f"{log.path}: not a log: no zip archive")
    log.stream.seek(max(0, end - END_BYTES))
    if END_SIGNATURE not in log.stream.read():
        log.cut = "cut in its table of contents"


def _add_member(log: EvalMembers, header: bytes, offset: int, end: int) -> int:
    """Add the member at an offset; returns the offset behind it."""
    _, _, flags, method, _, _, checksum, packed, size, of_name, of_extra = LOCAL_HEADER.unpack(
        header
    )
    if of_name > MAX_NAME_BYTES:
        raise PartUnreadable(f"{log.path}: the name of a member is too long")
    name = log.stream.read(of_name).decode("utf-8", "replace")
    extra = log.stream.read(of_extra)
    # With a descriptor the size stands behind the data, and without the table nobody knows where that is.
    if flags & ENCRYPTED or flags & DATA_DESCRIPTOR:
        raise PartUnreadable(
            f"{log.path}: {name[:100]!r}: encrypted, or its size is not in its header"
        )
    if WIDE in (packed, size):
        packed, size = _wide_sizes(log, name, extra)
    start = offset + LOCAL_HEADER.size + of_name + of_extra
    # Members before it are whole: paid attempts are not given up for one that was cut.
    if start + packed > end:
        log.cut = f"cut in {name[:100]!r}"
        return end
    log.members[name] = Member(start, packed, size, method, checksum)
    behind: int = start + packed
    return behind


def _wide_sizes(log: EvalMembers, name: str, extra: bytes) -> tuple[int, int]:
    """(packed, size) of the zip64 extra field (APPNOTE.TXT, 4.5.3)."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1 and length >= 16 and at + 20 <= len(extra):
            size, packed = struct.unpack_from("<QQ", extra, at + 4)
            return packed, size
        at += 4 + length
    raise PartUnreadable(f"{log.path}: {name[:100]!r}: its size is missing")
