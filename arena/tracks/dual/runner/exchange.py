"""A single HTTP request over a separate connection, in the supervisor's loop."""

from __future__ import annotations

import errno
import os
import socket
from types import TracebackType

from arena.tracks.dual.runner.loop import READ, WRITE, Loop
from arena.tracks.dual.runner.request import Request
from arena.tracks.dual.runner.response import Garbage, Response, ResponseReader

_CHUNK = 1 << 16


class HttpExchange:
    """Begins on construction; `finished` when the answer is whole, or cannot become so."""

    def __init__(self, loop: Loop, address: tuple[str, int], request: Request, size: int) -> None:
        self._loop, self._left = loop, memoryview(request.data)
        self._reader, self._error = ResponseReader(request.method, size), None  # type: ResponseReader, Exception | None
        self.finished = False
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        failed = self._socket.connect_ex(address)
        if failed not in (0, errno.EINPROGRESS):
            self._socket.close()
            raise OSError(failed, f"cannot connect: {os.strerror(failed)}")
        loop.watch(self._socket.fileno(), READ | WRITE, self._turn)

    def __enter__(self) -> HttpExchange:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.drop(self._socket.fileno())
        self._socket.close()

    @property
    def too_long(self) -> bool:
        return self._reader.too_long

    def result(self) -> Response:
        """Raises Garbage, or OSError, when there is none."""
        if self._reader.done:
            return self._reader.done
        raise self._error or Garbage("no answer")

    def _turn(self) -> None:
        try:
            if self._left:
                self._write()
            self._read()
        except BlockingIOError:
            return
        except (Garbage, OSError) as error:
            self._error, self.finished = error, True
            self._loop.drop(self._socket.fileno())

    def _write(self) -> None:
        try:
            self._left = self._left[self._socket.send(self._left[:_CHUNK]) :]
        except BlockingIOError:
            return
        except (BrokenPipeError, ConnectionResetError):
            self._left = memoryview(b"")  # it may have answered all the same
        if not self._left:
            self._loop.drop(self._socket.fileno())
            self._loop.watch(self._socket.fileno(), READ, self._turn)

    def _read(self) -> None:
        data = self._socket.recv(_CHUNK)
        self._reader.feed(data)
        if self._reader.done or not data:
            self.finished = True
