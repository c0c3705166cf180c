"""What a command writes in a container is whole, also when it comes together with the header of the answer."""

from __future__ import annotations

import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from harness.sandbox.engine import ExecStreams

HEADER = (
    b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
    b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
)
WRITTEN = [(b"out" * 9000, b""), (b"", b"err"), (b"last", b"")]


def frame(out: bytes, error: bytes) -> bytes:
    return struct.pack(">BxxxL", 2 if error else 1, len(out or error)) + (out or error)


@pytest.fixture
def engine() -> Iterator[docker.APIClient]:
    """One that answers once, and says header and output in one breath, as to a client on a busy machine."""
    with tempfile.TemporaryDirectory(prefix="arena-e-") as folder, socket.socket(socket.AF_UNIX) as listener:  # fmt: skip
        address = str(Path(folder, "s"))
        listener.bind(address)
        listener.listen()

        def answer() -> None:
            caller, _ = listener.accept()
            with caller:
                asked = b""
                while b'"Detach"' not in asked:
                    asked += caller.recv(65536)
                caller.sendall(HEADER + b"".join(frame(*one) for one in WRITTEN))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield docker.APIClient(base_url=f"unix://{address}", version="1.41")
        thread.join(60)


def test_nothing_that_came_with_the_header_is_lost(engine: docker.APIClient) -> None:
    assert list(ExecStreams(engine, "id").read()) == WRITTEN
