"""The few requests to the kernel's routing socket that a jail's network needs (rtnetlink(7), RFC 3549)."""

from __future__ import annotations

import os
import socket
import struct

_ACK = 2
_REQUEST, _WANT_ACK, _EXCLUSIVE, _CREATE = 1, 4, 0x200, 0x400
_NEW_LINK, _NEW_ADDRESS, _NEW_ROUTE = 16, 20, 24
_LINK_ADDRESS, _LINK_NAME, _LINK_INFO, _LINK_NAMESPACE = 1, 3, 18, 28
_INFO_KIND, _INFO_DATA, _PEER = 1, 2, 1
_ADDRESS, _LOCAL, _ADDRESS_FLAGS = 1, 2, 8
_DESTINATION, _DEVICE, _TABLE_MAIN = 1, 4, 254
_NO_DUPLICATE_CHECK = 2
_UP, _NO_NEIGHBOURS = 1, 0x80  # IFF_UP, IFF_NOARP
_HARDWARE = bytes.fromhex("02005e000001")  # of both ends of a pair
_UNICAST, _ROUTE_LOCAL, _BOOT, _LINK, _HOST = 1, 2, 3, 253, 254


class Netlink:
    """A routing socket of the network namespace in which the caller creates it."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        self._socket.bind((0, 0))

    def close(self) -> None:
        self._socket.close()

    def pair(self, name: str, peer: str, namespace: int) -> None:
        """Two joined devices: `name` here, `peer` in the network namespace behind a descriptor.

        Neither asks who has an address: what is sent would wait for the answer, and be lost if the sender
        ended first. A device that does not ask sends to its hardware address, so both have the same.
        """
        head = struct.pack("=BxHiII", 0, 0, 0, _NO_NEIGHBOURS, _NO_NEIGHBOURS)
        head += _part(_LINK_ADDRESS, _HARDWARE)
        far = head + _text(_LINK_NAME, peer) + _number(_LINK_NAMESPACE, namespace)
        info = _text(_INFO_KIND, "veth") + _part(_INFO_DATA, _part(_PEER, far))
        self._ask(_NEW_LINK, head + _text(_LINK_NAME, name) + _part(_LINK_INFO, info), create=True)

    def up(self, name: str) -> None:
        index = _index(self._socket, name)
        self._ask(_NEW_LINK, struct.pack("=BxHiII", 0, 0, index, _UP, _UP))

    def address(self, name: str, address: str) -> None:
        """Assign an address to a device. It has no neighbours."""
        packed, family = _pack_address(address)
        head = struct.pack("=BBBBI", family, 8 * len(packed), 0, 0, _index(self._socket, name))
        parts = _part(_LOCAL, packed) + _part(_ADDRESS, packed)
        if family == socket.AF_INET6:
            # IPv6 first asks the network whether an address is taken, and does not use it until nobody has
            # answered.
            parts += _number(_ADDRESS_FLAGS, _NO_DUPLICATE_CHECK)
        self._ask(_NEW_ADDRESS, head + parts, create=True)

    def route(self, name: str, to: str, bits: int) -> None:
        """Send to a network, by the first bits of an address, through a device, without neighbour queries."""
        packed, family = _pack_address(to)
        head = struct.pack("=BBBBBBBBI", family, bits, 0, 0, _TABLE_MAIN, _BOOT, _LINK, _UNICAST, 0)
        parts = _part(_DESTINATION, packed) if bits else b""
        device = _number(_DEVICE, _index(self._socket, name))
        self._ask(_NEW_ROUTE, head + parts + device, create=True)

    def everything_local(self, family: int) -> None:
        """Take what is sent to any address as sent to this namespace, but for what has a route.

        In the main table: the local table is consulted first, and would take the answers as well.
        """
        head = struct.pack(
            "=BBBBBBBBI", family, 0, 0, 0, _TABLE_MAIN, _BOOT, _HOST, _ROUTE_LOCAL, 0
        )
        device = _number(_DEVICE, _index(self._socket, "lo"))
        self._ask(_NEW_ROUTE, head + device, create=True)

    def _ask(self, kind: int, body: bytes, create: bool = False) -> None:
        flags = _REQUEST | _WANT_ACK | (_CREATE | _EXCLUSIVE if create else 0)
        self._socket.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        answer = self._socket.recv(1 << 16)
        length, what, _, _, _ = struct.unpack_from("=IHHII", answer)
        # The acknowledgement is a message of kind NLMSG_ERROR whose error is 0.
        if what != _ACK or length < 20:
            raise OSError(f"netlink: an answer of kind {what}")
        (error,) = struct.unpack_from("=i", answer, 16)
        if error:
            raise OSError(-error, f"netlink request {kind}: {os.strerror(-error)}")


def _index(channel: socket.socket, name: str) -> int:
    """The number of a device, in the namespace of the socket."""
    import fcntl

    request = struct.pack("16sI", name.encode(), 0) + bytes(20)
    got: bytes = fcntl.ioctl(channel.fileno(), 0x8933, request)  # SIOCGIFINDEX
    (index,) = struct.unpack_from("I", got, 16)
    return int(index)


def _pack_address(address: str) -> tuple[bytes, int]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.inet_pton(family, address), family


def _part(kind: int, data: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def _text(kind: int, value: str) -> bytes:
    return _part(kind, value.encode() + b"\0")


def _number(kind: int, value: int) -> bytes:
    return _part(kind, struct.pack("=I", value))
