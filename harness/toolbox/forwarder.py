"""Runs in the agent's container: a TCP port of its loopback leads to the gateway's Unix socket.

    python -I -S forwarder.py --socket SOCKET --port PORT --ready FILE -- AGENT ARGUMENT...

Port 0 takes a free port. FILE is written with the port's number once it is open, before the agent starts.
The exit status is the agent's (128 + n for a signal n, 127 when there is no such program); SIGTERM, SIGINT
and SIGHUP are passed on to the agent's process group. Nothing of the project is imported: this file is all
that the container gets. A single thread serves all: threads would count against the limit of processes.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import socket
import subprocess
import sys
from pathlib import Path

CHUNK_BYTES = 64 * 1024
MAX_CONNECTIONS = 256
CONNECT_TIMEOUT_S = 5.0
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class End:
    """A side of a connection: what waits to be sent to it, and whether more may come."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.waiting = b""
        self.ended = False  # it will send no more
        self.is_shut = False  # it has been signalled that no more comes
        self.other: End = self

    def pull(self) -> None:
        """Read once, for the opposite side. Raises OSError when the connection is broken."""
        try:
            data = self.sock.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        self.ended = not data
        self.other.waiting = data
        self.other.push()

    def push(self) -> None:
        """Send what is waiting; then pass on that the opposite side has ended (its half only)."""
        if self.waiting:
            try:
                sent = self.sock.send(self.waiting)
            except BlockingIOError:
                return
            self.waiting = self.waiting[sent:]
        if self.other.ended and not self.waiting and not self.is_shut:
            self.is_shut = True
            self.sock.shutdown(socket.SHUT_WR)

    @property
    def selector_events(self) -> int:
        """Read only when what was read before has been passed on: memory stays a chunk a side."""
        reads = 0 if self.ended or self.other.waiting else selectors.EVENT_READ
        return reads | (selectors.EVENT_WRITE if self.waiting else 0)


class Forwarder:
    """Copies bytes between a listening socket's connections and a Unix socket."""

    def __init__(self, target: str, port: int) -> None:
        self._target = target
        self._open: set[End] = set()
        self._selector = selectors.DefaultSelector()
        self._listener = socket.create_server(("127.0.0.1", port), backlog=MAX_CONNECTIONS)
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._wake, self._waker = socket.socketpair()
        for end in (self._wake, self._waker):
            end.setblocking(False)
        self._selector.register(self._wake, selectors.EVENT_READ)
        # The end of the agent (SIGCHLD) interrupts the selector without a timeout that would poll.
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def serve(self, agent: subprocess.Popen[bytes]) -> int:
        """Copy until the agent has ended; returns its status."""
        while (status := agent.poll()) is None:
            for key, events in self._selector.select():
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is self._wake:
                    self._wake.recv(CHUNK_BYTES)
                elif key.data in self._open:
                    self._move(key.data, events)
        return status

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except OSError:  # it went away, or no descriptor is left
            return
        gate = socket.socket(socket.AF_UNIX)
        try:
            # Events of a stream are small, and would wait to be sent together.
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            gate.settimeout(CONNECT_TIMEOUT_S)
            gate.connect(self._target)
        except OSError as error:
            print(f"forwarder: {self._target}: {error.strerror or error}", file=sys.stderr)
            client.close()
            gate.close()
            return
        ends = End(client), End(gate)
        for end, peer in (ends, ends[::-1]):
            end.other = peer
            end.sock.setblocking(False)
            self._open.add(end)
            self._selector.register(end.sock, selectors.EVENT_READ, end)
        # Connections beyond wait in the backlog, until the loop accepts again.
        if len(self._open) >= 2 * MAX_CONNECTIONS:
            self._selector.unregister(self._listener)

    def _move(self, end: End, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                end.push()
            if events & selectors.EVENT_READ and not end.other.waiting:
                end.pull()
        except OSError:
            self._close(end)
            return
        if end.is_shut and end.other.is_shut:
            self._close(end)
            return
        for side in (end, end.other):
            self._watch(side)

    def _watch(self, end: End) -> None:
        registered = end.sock in self._selector.get_map()
        if not end.selector_events:
            if registered:
                self._selector.unregister(end.sock)
        elif registered:
            self._selector.modify(end.sock, end.selector_events, end)
        else:
            self._selector.register(end.sock, end.selector_events, end)

    def _close(self, end: End) -> None:
        for side in (end, end.other):
            if side.sock in self._selector.get_map():
                self._selector.unregister(side.sock)
            self._open.discard(side)
            side.sock.close()
        if self._listener not in self._selector.get_map():
            self._selector.register(self._listener, selectors.EVENT_READ)


def start(argv: list[str]) -> subprocess.Popen[bytes]:
    """Start the agent in a separate process group, and pass signals on to that group."""
    started: list[int] = []
    early: list[int] = []

    def pass_on(number: int, _: object) -> None:
        if not started:
            early.append(number)
            return
        try:
            os.killpg(started[0], number)
        except ProcessLookupError:
            return  # it has ended, which is what was wanted

    for number in PASSED_ON:
        signal.signal(number, pass_on)
    # A separate group gets the signals, so that what the agent starts ends with it.
    agent = subprocess.Popen(argv, start_new_session=True)
    started.append(agent.pid)
    for missed in early:
        pass_on(missed, None)
    return agent


def entry(argv: list[str]) -> int:
    """Run an agent behind a forwarder; returns the status to exit with."""
    parser = argparse.ArgumentParser(prog="forwarder")
    parser.add_argument("--socket", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ready")
    parser.add_argument("agent", nargs="+")
    options = parser.parse_args(argv)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # wakes the loop when the agent ends
    forwarder = Forwarder(options.socket, options.port)
    if options.ready:
        part = Path(f"{options.ready}.part")
        part.write_text(f"{forwarder.port}\n", "utf-8")
        part.replace(options.ready)
    try:
        agent = start(options.agent)
    except OSError as error:
        print(f"forwarder: {options.agent[0]}: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126
    status = forwarder.serve(agent)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    code = entry(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # connections that are left belong to what the agent left
