"""Answers to name queries (RFC 1035): every name is the sink's, but for those never in use (RFC 6761)."""

from __future__ import annotations

import socket
import struct

from arena.tracks.dual.runner.order import SINK

MAX_NAME = 255
TYPES = {1: "A", 28: "AAAA", 16: "TXT", 15: "MX", 5: "CNAME", 12: "PTR", 33: "SRV", 255: "ANY"}
_A = 1
_RESPONSE, _NO_SUCH_NAME = 0x8180, 3
_HEAD = struct.Struct(">HHHHHH")


def answer_query(query: bytes) -> tuple[str, str, bytes] | None:
    """The name and type of a query, and the answer to it; None for what is no query."""
    if len(query) < _HEAD.size:
        return None
    number, flags, questions, _, _, _ = _HEAD.unpack_from(query)
    queried = _name(query, _HEAD.size)
    if flags & 0x8000 or questions != 1 or queried is None or len(query) < queried[1] + 4:
        return None
    name, end = queried
    (kind, _) = struct.unpack_from(">HH", query, end)
    question = query[_HEAD.size : end + 4]
    lower = name.lower().rstrip(".")
    if lower == "invalid" or lower.endswith(".invalid"):
        return (
            name,
            _type(kind),
            _HEAD.pack(number, _RESPONSE | _NO_SUCH_NAME, 1, 0, 0, 0) + question,
        )
    address = "127.0.0.1" if lower == "localhost" or lower.endswith(".localhost") else SINK
    record = struct.pack(">HHHIH", 0xC00C, _A, 1, 60, 4) + socket.inet_aton(address)
    # No AAAA, so that programs come by IPv4; the name is seen in either query.
    count = 1 if kind == _A else 0
    head = _HEAD.pack(number, _RESPONSE, 1, count, 0, 0)
    return name, _type(kind), head + question + record * count


def _type(kind: int) -> str:
    return TYPES.get(kind, str(kind))


def _name(data: bytes, at: int) -> tuple[str, int] | None:
    """The name at an offset, and where it ends; None where it is cut or has a pointer."""
    labels: list[str] = []
    # No pointers are followed: a hostile query could make a loop of them.
    while at < len(data) and at - _HEAD.size <= MAX_NAME:
        length = data[at]
        if length == 0:
            return ".".join(labels), at + 1
        if length > 63 or at + 1 + length > len(data):
            return None
        labels.append(data[at + 1 : at + 1 + length].decode("latin-1"))
        at += 1 + length
    return None
