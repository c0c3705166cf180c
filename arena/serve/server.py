"""The socket, the server on it, and how it ends."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

MAX_CONNECTIONS = 200
# Seconds that open answers get when the server ends.
GRACE = 3


class AddressUnusable(ValueError):
    """The server cannot listen on the address; the message is a line."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free port. Raises AddressUnusable."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise AddressUnusable(f"--host {host}: no such address here") from error
    family, kind, protocol, _, address = addresses[0]
    opened = socket.socket(family, kind, protocol)
    try:
        # A server that is started again need not wait until the old one's connections have timed out.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(128)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            message = f"port {port} of {host} is in use; --port 0 takes a free one"
            raise AddressUnusable(message) from error
        raise AddressUnusable(f"cannot listen on {host}:{port}: {error.strerror}") from error
    return opened


@dataclass(frozen=True)
class Address:
    """The address of a server."""

    host: str
    port: int

    @property
    def url(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - a name of it
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


class _Server(uvicorn.Server):
    """A server that after a signal returns from `run` as usual, so that its caller goes on."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: Sequence[socket.socket] | None = None) -> None:
        await super().startup(list(sockets or ()))
        if self.started:
            self._begun()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        import signal

        # uvicorn's own raises the signal again at the end, which would end the process.
        ends = (signal.SIGINT, signal.SIGTERM)
        earlier_handlers = {number: signal.signal(number, self.handle_exit) for number in ends}
        try:
            yield
        finally:
            for number, handler in earlier_handlers.items():
                signal.signal(number, handler)


def run(app: ASGIApp, opened: socket.socket, begun: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; `begun` is called when the server answers."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_level="warning",
        access_log=False,  # addresses may hold the token
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    _Server(config, begun).run(sockets=[opened])
