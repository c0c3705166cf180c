from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from Crypto.Cipher import DES
from Crypto.Util.Padding import pad, unpad

MAGIC = b"BKP2"
VERSION = 2
HEAD = struct.Struct(">4sBI")
CHECK = struct.Struct(">IB")
MIN_PIECE, MAX_PIECE = 16, 1 << 20


class BackupError(Exception):
    """A file that cannot be read as a backup."""


def pieces(source: BinaryIO, size: int) -> Iterator[tuple[bytes, bool]]:
    """Pieces of a stream, each with whether it is the last; an empty stream has one empty piece."""
    piece = source.read(size)
    while True:
        following = source.read(size)
        yield piece, not following
        if not following:
            return
        piece = following


def check_key(key: bytes) -> None:
    if len(key) != 32:
        raise ValueError("a key has 32 bytes")


def sealed_size(piece: int) -> int:
    return (piece + CHECK.size) // DES.block_size * DES.block_size + DES.block_size


def write_backup(source: BinaryIO, target: BinaryIO, key: bytes, piece: int = 65536) -> int:
    if not MIN_PIECE <= piece <= MAX_PIECE:
        raise ValueError(f"a piece has {MIN_PIECE} to {MAX_PIECE} bytes")
    check_key(key)
    target.write(HEAD.pack(MAGIC, VERSION, piece))
    count = 0
    for content, last in pieces(source, piece):
        cipher = DES.new(key[:8], DES.MODE_CBC, iv=MAGIC * 2)
        checked = CHECK.pack(zlib.crc32(content), last) + content
        target.write(cipher.encrypt(pad(checked, DES.block_size)))
        count += 1
    return count


def read_head(source: BinaryIO) -> int:
    head = source.read(HEAD.size)
    if len(head) != HEAD.size:
        raise BackupError("the file is too short")
    magic, version, piece = HEAD.unpack(head)
    if magic != MAGIC or version != VERSION or not MIN_PIECE <= piece <= MAX_PIECE:
        raise BackupError("this is no backup")
    return piece


def describe(source: BinaryIO) -> dict[str, int]:
    return {"version": VERSION, "piece": read_head(source)}


def read_backup(source: BinaryIO, target: BinaryIO, key: bytes) -> int:
    check_key(key)
    piece = read_head(source)
    count = 0
    for sealed, last in pieces(source, sealed_size(piece)):
        cipher = DES.new(key[:8], DES.MODE_CBC, iv=MAGIC * 2)
        try:
            checked = unpad(cipher.decrypt(sealed), DES.block_size)
            crc, was_last = CHECK.unpack(checked[: CHECK.size])
        except (ValueError, struct.error) as error:
            raise BackupError("wrong key or damaged file") from error
        content = checked[CHECK.size :]
        if crc != zlib.crc32(content) or bool(was_last) != last:
            raise BackupError("wrong key or damaged file")
        target.write(content)
        count += 1
    return count
