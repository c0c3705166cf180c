"""The end of every connection of a program that is not to itself: recorded, and answered where that helps.

It listens in a network namespace that treats every address as local (`network.py`). At the ports of PORTS it
accepts; names are answered on port 53. All else is recorded as packets, and refused; packets that came too
fast to be read are reported as lost.
"""

from __future__ import annotations

import ctypes
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress

from arena.tracks.dual.runner import dns, mail, packets, web
from arena.tracks.dual.runner.loop import READ, Loop
from arena.tracks.dual.runner.observation import ObservedConnection
from arena.tracks.dual.runner.order import RunReply

PORTS = (
    *(
        21,
        22,
        23,
        25,
        53,
        80,
        110,
        143,
        389,
        443,
        445,
        465,
        587,
        636,
        993,
        1099,
        1389,
        1433,
        1521,
        2375,
    ),
    *(
        3000,
        3306,
        3389,
        4444,
        5000,
        5432,
        5672,
        6379,
        8000,
        8080,
        8081,
        8443,
        8888,
        9000,
        9200,
        11211,
        27017,
    ),
)
MAX_SEEN, MAX_OPEN = 500, 200
BACKLOG, AT_ONCE = 1024, 32
MAX_WAITING = 16 << 20
MAX_DATA, MAX_NOTED = 64 << 10, 16 << 10
IDLE, EVERY = 0.15, 0.05
_ETH_ALL, _OUTGOING = 3, 4
_PACKET_INFO = 8  # IP_PKTINFO
_ROOM = 33  # SO_RCVBUFFORCE
_FILTER, _PACKETS, _STATISTICS = 26, 263, 6  # SO_ATTACH_FILTER, SOL_PACKET, PACKET_STATISTICS
_DNS = 53


class Sinkhole:
    """`listen` in the sinkhole's namespace, `attach` to a loop, `connections` in the end."""

    def __init__(self, replies: Sequence[RunReply]) -> None:
        self._replies = replies
        self._listeners: list[socket.socket] = []
        self._callers: list[_Caller] = []
        self._noted: dict[tuple[str, str, int, bytes], None] = {}
        self._lost = 0
        self._knocked: dict[tuple[str, int], None] = {}
        self._accepted: set[tuple[str, int]] = set()

    def listen(self) -> None:
        """Raises OSError."""
        six = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if six else socket.AF_INET
        for port in PORTS:
            self._listeners.append(
                socket.create_server(("", port), family=family, dualstack_ipv6=six, backlog=BACKLOG)
            )
        self._names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._names.setsockopt(socket.IPPROTO_IP, _PACKET_INFO, 1)
        self._names.bind(("", _DNS))
        self._packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_ALL))
        steps = ctypes.create_string_buffer(packets.FIRST)
        program = struct.pack("HxxxxxxP", len(packets.FIRST) // 8, ctypes.addressof(steps))
        self._packets.setsockopt(socket.SOL_SOCKET, _FILTER, program)
        with suppress(PermissionError):  # what a kernel gives by itself holds some 500 packets
            self._packets.setsockopt(socket.SOL_SOCKET, _ROOM, MAX_WAITING)

    def attach(self, loop: Loop) -> None:
        self._loop = loop
        for listener in self._listeners:
            listener.setblocking(False)
            loop.watch(listener.fileno(), READ, lambda at=listener: self._accept(at))  # type: ignore[misc]
        for channel, call in ((self._names, self._name), (self._packets, self._packet)):
            channel.setblocking(False)
            loop.watch(channel.fileno(), READ, call)
        loop.every(EVERY, self._sweep)

    def connections(self) -> tuple[ObservedConnection, ...]:
        """All that came, in order; what is the same came once or more often."""
        for caller in list(self._callers):
            self._end(caller)
        while self._packet():  # they are bounded: who sent them has ended
            pass
        # A SYN whose connection was never accepted, such as that of a port scan that does not finish it.
        for knocked in self._knocked:
            if knocked not in self._accepted:
                self._note("tcp", *knocked, b"")
        connections = [
            ObservedConnection(kind, host, port, data[:MAX_NOTED].decode("utf-8", "replace"))
            for kind, host, port, data in self._noted
        ]
        _, dropped = struct.unpack("II", self._packets.getsockopt(_PACKETS, _STATISTICS, 8))
        lost = self._lost + dropped
        return (*connections, *([ObservedConnection("lost", f"{lost} packets", 0)] if lost else []))

    def _note(self, kind: str, host: str, port: int, data: bytes) -> None:
        if len(self._noted) >= MAX_SEEN:
            self._lost += (kind, host, port, data[:MAX_NOTED]) not in self._noted
        else:
            self._noted[(kind, host, port, data[:MAX_NOTED])] = None

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(AT_ONCE):
            try:
                taken, _ = listener.accept()
            except BlockingIOError:
                return
            self._took(taken)

    def _took(self, taken: socket.socket) -> None:
        # The oldest gives way: a program that holds connections open must not keep later ones from being
        # seen.
        if len(self._callers) >= MAX_OPEN:
            self._end(self._callers[0])
        taken.setblocking(False)
        caller = _Caller(taken)
        self._callers.append(caller)
        self._accepted.add((caller.host, caller.port))
        self._loop.watch(taken.fileno(), READ, lambda: self._receive(caller))
        if caller.port in mail.PORTS:
            _send(taken, mail.GREETING)

    def _receive(self, caller: _Caller) -> None:
        try:
            data = caller.socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        caller.heard = time.monotonic()
        if not data or len(caller.data) > MAX_DATA:
            self._end(caller)
            return
        caller.data += data
        if caller.port in mail.PORTS:
            _send(caller.socket, caller.talk.answer(data))
        elif web.complete(bytes(caller.data)):
            _send(caller.socket, web.answer(bytes(caller.data), self._replies))
            self._end(caller)

    def _sweep(self) -> None:
        """Close what waits for an answer that it will not get."""
        now = time.monotonic()
        for caller in list(self._callers):
            waits = (
                caller.data
                and caller.port not in mail.PORTS
                and not web.is_request_start(bytes(caller.data))
            )
            if waits and now - caller.heard > IDLE:
                self._end(caller)

    def _end(self, caller: _Caller) -> None:
        data = bytes(caller.data)
        host = web.host(data)
        self._note("tcp" if host is None else "http", host or caller.host, caller.port, data)
        self._callers.remove(caller)
        self._loop.drop(caller.socket.fileno())
        caller.socket.close()

    def _name(self) -> None:
        try:
            query, ancillary, _, source = self._names.recvmsg(4096, 64)
        except BlockingIOError:
            return
        answer = dns.answer_query(query)
        if answer is None:
            return
        where = next((d for _, kind_, d in ancillary if kind_ == _PACKET_INFO), bytes(12))
        # A resolver drops an answer from another address than it asked, and every address is ours.
        info = struct.pack(
            "=I4s4s", 0, where[8:12], bytes(4)
        )  # answer from the address that was asked
        self._names.sendmsg([answer[2]], [(socket.IPPROTO_IP, _PACKET_INFO, info)], 0, source)

    def _packet(self) -> bool:
        """Whether there may be more."""
        for _ in range(AT_ONCE):
            try:
                packet, source = self._packets.recvfrom(1 << 16)
            except BlockingIOError:
                return False
            # A packet socket also sees what this side sends.
            first_packet = packets.parse_first_packet(packet) if source[2] != _OUTGOING else None
            if first_packet is not None:
                self._record_attempt(*first_packet)
        return True

    def _record_attempt(self, kind: str, host: str, port: int, data: bytes) -> None:
        query = dns.answer_query(data) if port == _DNS and kind == "udp" else None
        if query is not None:
            name, of, _ = query
            self._note("dns", name, _DNS, of.encode())
        # Noted with its data when the connection ends, and only if it was never accepted as a knock.
        elif kind == "tcp" and port in PORTS and len(self._knocked) < MAX_SEEN:
            self._knocked[(host, port)] = None
        else:
            self._note(kind, host, port, data)


class _Caller:
    """A connection to the sinkhole."""

    def __init__(self, taken: socket.socket) -> None:
        self.socket = taken
        self.host, self.port = taken.getsockname()[:2]
        # IPv4 callers of a dual-stack socket have mapped addresses.
        self.host = self.host.removeprefix("::ffff:")
        self.data = bytearray()
        self.heard = time.monotonic()
        self.talk = mail.Talk()


def _send(to: socket.socket, data: bytes) -> None:
    """Send as many bytes as possible at once: a caller that does not read gets no more."""
    try:
        to.send(data)
    except OSError:
        return
