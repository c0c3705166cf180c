"""Destination and content of packets that reached the sinkhole's device: all traffic passes here first."""

from __future__ import annotations

import socket
import struct

TCP = 6
# UDP, and what few know but whose header begins with ports all the same: DCCP, SCTP, UDP-Lite.
DATAGRAMS = frozenset({17, 33, 132, 136})
# Headers of IPv6 that come before the others (RFC 8200): those that state their length, and a fragment's.
_LONG, _PIECE = frozenset({0, 43, 60}), 44
_MAX_EXTENSION_HEADERS = 8
_SYN, _ACK = 0x02, 0x10
_BYTE, _HEADER, _AT_HEADER, _SHIFT, _MASK = 0x30, 0xB1, 0x50, 0x74, 0x54
_JUMP, _EQUALS, _RETURN = 0x05, 0x15, 0x06
# A filter for the kernel (classic BPF, packet(7)): of TCP only what opens a connection.
#
# What is sent by the others is read elsewhere, and would take the room of what is seen nowhere else.
FIRST = b"".join(
    struct.pack("=HBBI", *step)
    for step in (
        # First byte: version 4 goes on, all else jumps to the IPv6 part.
        (_BYTE, 0, 0, 0),
        (_SHIFT, 0, 0, 4),
        (_EQUALS, 0, 5, 4),
        # Byte 9 of an IPv4 header is its protocol.
        (_BYTE, 0, 0, 9),
        (_EQUALS, 0, 9, TCP),
        # The length of the IPv4 header, then the byte of flags of the TCP header behind it.
        (_HEADER, 0, 0, 0),
        (_AT_HEADER, 0, 0, 13),
        (_JUMP, 0, 0, 3),
        # Byte 6 of an IPv6 header is the next header; extension headers are left to the reader.
        (_BYTE, 0, 0, 6),
        (_EQUALS, 0, 4, TCP),
        (_BYTE, 0, 0, 40 + 13),
        (_MASK, 0, 0, _SYN | _ACK),
        (_EQUALS, 1, 0, _SYN),
        (_RETURN, 0, 0, 0),
        (_RETURN, 0, 0, 1 << 18),
    )
)


def parse_first_packet(packet: bytes) -> tuple[str, str, int, bytes] | None:
    """("tcp" | "udp", address, port, data) of a first TCP packet or a UDP packet; None for the rest."""
    if not packet:
        return None
    read = {4: _four, 6: _six}.get(packet[0] >> 4)
    result = read(packet) if read else None
    if result is None:
        return None
    protocol, address, rest = result
    if protocol in DATAGRAMS and len(rest) >= 8:
        return "udp", address, struct.unpack_from(">H", rest, 2)[0], rest[8:]
    if protocol == TCP and len(rest) >= 20 and rest[13] & (_SYN | _ACK) == _SYN:
        return "tcp", address, struct.unpack_from(">H", rest, 2)[0], rest[(rest[12] >> 4) * 4 :]
    return None


def _four(packet: bytes) -> tuple[int, str, bytes] | None:
    length = (packet[0] & 15) * 4
    # The last two are the offset of a fragment: only the first fragment holds the ports.
    if len(packet) < max(20, length) or length < 20 or packet[6] & 0x1F or packet[7]:
        return None
    return packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20]), packet[length:]


def _six(packet: bytes) -> tuple[int, str, bytes] | None:
    if len(packet) < 40:
        return None
    kind, rest = packet[6], packet[40:]
    # A packet can be a long chain of empty headers, and the program sends as many packets as it likes.
    for _ in range(_MAX_EXTENSION_HEADERS):
        if len(rest) < 8 or (kind == _PIECE and (rest[2] or rest[3] & 0xF8)):
            return None  # of a datagram in pieces only the first has ports
        if kind in _LONG:
            kind, rest = rest[0], rest[8 * (rest[1] + 1) :]
        elif kind == _PIECE:
            kind, rest = rest[0], rest[8:]
        else:
            break
    return kind, socket.inet_ntop(socket.AF_INET6, packet[24:40]), rest
