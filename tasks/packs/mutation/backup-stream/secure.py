from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from Crypto.Cipher import ChaCha20_Poly1305
from Crypto.Random import get_random_bytes

MAGIC = b"BKP2"
VERSION = 2
HEAD = struct.Struct(">4sBI16s")
TAG_BYTES = 16
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


def piece_cipher(key: bytes, stream: bytes, number: int, head: bytes, last: bool):
    """The nonce of 24 bytes is random for the stream, and counts within it."""
    cipher = ChaCha20_Poly1305.new(key=key, nonce=stream + struct.pack(">Q", number))
    cipher.update(head + (b"\x01" if last else b"\x00"))
    return cipher


def check_key(key: bytes) -> None:
    if len(key) != 32:
        raise ValueError("a key has 32 bytes")


def write_backup(source: BinaryIO, target: BinaryIO, key: bytes, piece: int = 65536) -> int:
    if not MIN_PIECE <= piece <= MAX_PIECE:
        raise ValueError(f"a piece has {MIN_PIECE} to {MAX_PIECE} bytes")
    check_key(key)
    stream = get_random_bytes(16)
    head = HEAD.pack(MAGIC, VERSION, piece, stream)
    target.write(head)
    count = 0
    for content, last in pieces(source, piece):
        cipher = piece_cipher(key, stream, count, head, last)
        sealed, tag = cipher.encrypt_and_digest(content)
        target.write(sealed + tag)
        count += 1
    return count


def read_head(source: BinaryIO) -> tuple[bytes, int, bytes]:
    head = source.read(HEAD.size)
    if len(head) != HEAD.size:
        raise BackupError("the file is too short")
    magic, version, piece, stream = HEAD.unpack(head)
    if magic != MAGIC or version != VERSION or not MIN_PIECE <= piece <= MAX_PIECE:
        raise BackupError("this is no backup")
    return head, piece, stream


def describe(source: BinaryIO) -> dict[str, int]:
    _, piece, _ = read_head(source)
    return {"version": VERSION, "piece": piece}


def read_backup(source: BinaryIO, target: BinaryIO, key: bytes) -> int:
    check_key(key)
    head, piece, stream = read_head(source)
    count = 0
    for sealed, last in pieces(source, piece + TAG_BYTES):
        if len(sealed) < TAG_BYTES:
            raise BackupError("the file is damaged")
        cipher = piece_cipher(key, stream, count, head, last)
        try:
            content = cipher.decrypt_and_verify(sealed[:-TAG_BYTES], sealed[-TAG_BYTES:])
        except ValueError as error:
            raise BackupError("wrong key or damaged file") from error
        target.write(content)
        count += 1
    return count
