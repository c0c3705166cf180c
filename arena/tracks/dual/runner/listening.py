"""Addresses where the programs of a namespace listen, from /proc/net/tcp and tcp6 (proc(5))."""

from __future__ import annotations

import os
import re
import socket

# 0A is the state LISTEN; in it the remote port is always 0.
_LISTENS = re.compile(
    rb"^\s*\d+: ([0-9A-F]{8}(?:[0-9A-F]{24})?):([0-9A-F]{4}) [0-9A-F]+:0000 0A ", re.M
)
_ANY4, _ANY6 = "00000000", "0" * 32
_MAX_BYTES = 1 << 16


def addresses(proc: int) -> list[tuple[str, int]]:
    """The addresses at which something listens in this process's network, IPv4 before IPv6.

    `proc`: a descriptor of a /proc in which this process is.
    """
    return [a for name in ("tcp", "tcp6") for a in parse_listeners(_read(proc, name))]


def parse_listeners(table: bytes) -> list[tuple[str, int]]:
    return [(_address(m[1].decode()), int(m[2], 16)) for m in _LISTENS.finditer(table)]


def _address(text: str) -> str:
    """Words of four bytes, each in the machine's order; where all addresses are meant, loopback."""
    if text == _ANY4:
        return "127.0.0.1"
    if text == _ANY6:
        return "::1"
    packed = b"".join(bytes.fromhex(text[at : at + 8])[::-1] for at in range(0, len(text), 8))
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def _read(proc: int, name: str) -> bytes:
    try:
        descriptor = os.open(f"self/net/{name}", os.O_RDONLY, dir_fd=proc)
    except FileNotFoundError:  # a kernel without IPv6
        return b""
    try:
        return os.read(descriptor, _MAX_BYTES)
    finally:
        os.close(descriptor)
