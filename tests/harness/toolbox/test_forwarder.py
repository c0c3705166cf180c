"""The forwarder: bytes both ways, halves that end by themselves, and the agent's own status."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.toolbox import FORWARDER, forwarder

pytestmark = pytest.mark.slow

Handler = Callable[[socket.socket], None]
Serve = Callable[[Handler], None]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Answer each connection to `gate.sock` by a function in a thread of its own."""
    listener = socket.socket(socket.AF_UNIX)

    def start(handler: Handler) -> None:
        listener.bind(str(tmp_path / "gate.sock"))
        listener.listen(512)

        def answer(sock: socket.socket) -> None:
            with sock:
                handler(sock)

        def accept() -> None:
            while True:
                try:
                    sock, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(sock,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    yield start
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


AGENT = """
import hashlib, pathlib, socket, sys, threading, time
port = int(open(sys.argv[1]).read())
def connect(): return socket.create_connection(("127.0.0.1", port))
def drain(sock):
    parts = []
    while part := sock.recv(65536): parts.append(part)
    return b"".join(parts)
def told():  # the gate's words; it lives on until they come, for its end would end the connection too
    file, until = pathlib.Path(sys.argv[1]).with_name("told"), time.monotonic() + 60
    while not (file.exists() and file.read_text()) and time.monotonic() < until: time.sleep(0.02)
    print(file.read_text() if file.exists() else "")
"""


def argv(folder: Path, *agent: str) -> list[str]:
    ready = str(folder / "ready")
    given = ["--socket", str(folder / "gate.sock"), "--port", "0", "--ready", ready]
    return [sys.executable, "-I", "-S", str(FORWARDER), *given, "--", *agent]


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    agent = [sys.executable, "-I", "-S", "-c", AGENT + code, str(folder / "ready")]
    return subprocess.run(
        argv(folder, *agent), capture_output=True, text=True, timeout=120, check=False
    )


def echo(sock: socket.socket) -> None:
    while data := sock.recv(65536):
        sock.sendall(data)


def test_bytes_come_back_whole_and_in_order(tmp_path: Path, serve: Serve) -> None:
    serve(echo)
    code = """
data = bytes(range(256)) * 40_000
sock = connect()
def send(): sock.sendall(data); sock.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
print(hashlib.sha256(drain(sock)).hexdigest())
"""
    said = run(tmp_path, code)
    assert said.stdout.strip() == hashlib.sha256(bytes(range(256)) * 40_000).hexdigest(), said


def test_a_client_that_has_said_all_still_gets_its_answer(tmp_path: Path, serve: Serve) -> None:
    def late(sock: socket.socket) -> None:
        while sock.recv(65536):
            pass
        for _ in range(3):
            time.sleep(0.05)
            sock.sendall(b"event\n")

    serve(late)
    code = "s = connect(); s.sendall(b'ask'); s.shutdown(socket.SHUT_WR); print(drain(s).decode())"
    assert run(tmp_path, code).stdout.split() == ["event"] * 3


def test_a_gate_that_has_said_all_still_hears_the_client(tmp_path: Path, serve: Serve) -> None:
    def first(sock: socket.socket) -> None:
        sock.sendall(b"hello")
        sock.shutdown(socket.SHUT_WR)
        heard = sock.recv(65536)
        (tmp_path / "told").write_text(heard.decode())

    serve(first)
    assert run(tmp_path, "s = connect(); drain(s); s.sendall(b'after'); told()").stdout == "after\n"


def test_the_first_event_does_not_wait_for_the_next(tmp_path: Path, serve: Serve) -> None:
    def slow(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(repr(time.monotonic()).encode())
        time.sleep(60)

    serve(slow)
    code = "s = connect(); s.sendall(b'x'); d = s.recv(99); print(time.monotonic() - float(d))"
    assert 0 <= float(run(tmp_path, code).stdout) < 50


def test_a_client_that_leaves_is_told_to_the_gate(tmp_path: Path, serve: Serve) -> None:
    def endless(sock: socket.socket) -> None:
        try:
            while True:
                sock.sendall(b"x" * 65536)
        except OSError:
            (tmp_path / "told").write_text("left")

    serve(endless)
    assert run(tmp_path, "s = connect(); s.recv(10); s.close(); told()").stdout == "left\n"


@pytest.mark.slow
def test_a_client_that_does_not_read_is_held_in_bounded_memory(
    tmp_path: Path, serve: Serve
) -> None:
    sent = [0]

    def flood(sock: socket.socket) -> None:
        sock.settimeout(0.5)
        try:
            while sent[0] < 64 << 20:
                sent[0] += sock.send(b"x" * 65536)
        except TimeoutError:
            pass

    serve(flood)
    run(tmp_path, "s = connect(); time.sleep(2)")
    assert 0 < sent[0] < 32 << 20


def test_more_connections_than_it_takes_at_a_time_all_come_through(
    tmp_path: Path, serve: Serve
) -> None:
    serve(echo)
    code = """
socks = [connect() for _ in range(300)]
for i, s in enumerate(socks): s.sendall(b"%d" % i); s.shutdown(socket.SHUT_WR)
bad = 0
for i, s in enumerate(socks): bad += drain(s) != b"%d" % i; s.close()
print(bad)
"""
    assert run(tmp_path, code).stdout.strip() == "0"


def test_no_gate_is_a_broken_connection_and_said(tmp_path: Path) -> None:
    said = run(tmp_path, "print(drain(connect()))")
    assert "gate.sock: No such file" in said.stderr
    assert said.stdout.strip() == "b''"


@pytest.mark.parametrize(
    ("agent", "status"),
    [
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -9 $$"], 128 + 9),
        (["/no/such/agent"], 127),
        (["/"], 126),
    ],
)
def test_the_status_is_the_agents(tmp_path: Path, agent: list[str], status: int) -> None:
    done = subprocess.run(argv(tmp_path, *agent), capture_output=True, timeout=120, check=False)
    assert done.returncode == status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_agent_and_its_children(tmp_path: Path, number: int) -> None:
    line = 'sleep 60 & echo $! > child; trap "exit 9" TERM INT HUP; echo up > up; wait'
    process = subprocess.Popen(argv(tmp_path, "sh", "-c", line), cwd=tmp_path)
    wait_for(lambda: (tmp_path / "up").exists())
    process.send_signal(number)
    assert process.wait(60) == 9
    child = int((tmp_path / "child").read_text())
    if number == signal.SIGTERM:  # a shell has its background children ignore the interrupt
        wait_for(lambda: ended(child))


def test_a_signal_while_the_agent_starts_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, argv: list[str], **more: bool) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            super().__init__(argv, **more)

    before = {number: signal.getsignal(number) for number in forwarder.PASSED_ON}
    monkeypatch.setattr(forwarder.subprocess, "Popen", Interrupted)
    try:
        with forwarder.start(["sleep", "30"]) as agent:
            assert agent.wait(25) == -signal.SIGTERM
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_it_ends_with_the_agent_though_connections_are_open(tmp_path: Path, serve: Serve) -> None:
    serve(lambda sock: time.sleep(100))
    started = time.monotonic()
    run(tmp_path, "s = connect(); s.sendall(b'x')")
    assert time.monotonic() - started < 60


def test_input_is_the_agents(tmp_path: Path) -> None:
    done = subprocess.run(
        argv(tmp_path, "cat"), input=b"prompt", capture_output=True, timeout=120, check=False
    )
    assert done.stdout == b"prompt"


@pytest.mark.slow
def test_it_starts_at_once(tmp_path: Path) -> None:
    def once() -> float:
        started = time.monotonic()
        subprocess.run(argv(tmp_path, "true"), check=True, timeout=120)
        return time.monotonic() - started

    assert min(once() for _ in range(10)) < 0.5


def test_nothing_of_the_repository_is_imported(tmp_path: Path) -> None:
    for name in ("argparse", "selectors", "socket", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(argv(tmp_path, "true"), cwd=tmp_path, env=env, timeout=120, check=False)
    assert done.returncode == 0


def wait_for(condition: Callable[[], bool], seconds: float = 45) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"
