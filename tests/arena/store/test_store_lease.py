"""One driver a run, told apart without a clock, and free again when its process is gone."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO

import pytest

from arena.store import lease as leases
from arena.store.store import RunBusy, Store, UnknownRun
from tests.postgres import Postgres

pytestmark = pytest.mark.rotating(2)

DRIVER = """
import os, sys, time
from arena.store.store import Store
store = Store(sys.argv[1])
with store.lease("r"):
    child = os.fork() if sys.argv[2] == "fork" else -1
    if child:
        print("held", child, flush=True)
    time.sleep(300)
"""


def driver(store: Store, how: str = "") -> tuple[subprocess.Popen[str], int]:
    """A process that holds the lease, and the id of the process that it forked."""
    command = [sys.executable, "-c", DRIVER, store.url, how]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said, child = process.stdout.readline().split()
    assert said == "held"
    return process, int(child)


def wait_until_free(store: Store) -> None:
    deadline = time.monotonic() + 120
    while store.has_driver("r"):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize("how", ["", "fork"])
def test_a_lease_ends_with_its_process(how: str, store: Store) -> None:
    """Also when a process that it forked lives on."""
    store.open_run("pack", [], {}, "r")
    assert not store.has_driver("r")
    process, child = driver(store, how)
    try:
        assert store.has_driver("r")
        started = time.monotonic()
        with pytest.raises(RunBusy, match=r"^run r: another driver") as told, store.lease("r"):
            raise AssertionError
        assert "\n" not in str(told.value)
        assert time.monotonic() - started < 10
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until_free(store)
        with store.lease("r") as lease:
            lease.renew()
            assert store.has_driver("r")
    finally:
        process.kill()
        if how == "fork":
            os.kill(child, signal.SIGKILL)
    assert not store.has_driver("r")


@pytest.mark.slow
def test_runs_are_driven_apart_and_in_one_process_too(store: Store) -> None:
    for run in ("r", "s.2"):
        store.open_run("pack", [], {}, run)
    with store.lease("r"), store.lease("s.2"):
        assert store.has_driver("s.2")
        with pytest.raises(RunBusy), Store(store.url).lease("r"):
            raise AssertionError
    assert not store.has_driver("r")
    with store.lease("latest"):
        assert store.has_driver("s.2")
    with pytest.raises(UnknownRun):
        store.lease("none")
    with pytest.raises(ZeroDivisionError), store.lease("r"):
        raise ZeroDivisionError
    assert not store.has_driver("r")


@pytest.mark.slow
def test_a_run_is_free_as_soon_as_its_driver_is_done(store: Store) -> None:
    """A server once kept the lock until it had noticed that the connection was closed."""
    store.open_run("pack", [], {}, "r")
    for _ in range(40):
        with store.lease("r"):
            assert store.has_driver("r")
        assert not store.has_driver("r")


def test_a_lease_is_taken_again_after_the_server_was_away(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(postgres.new_database())
    store.open_run("pack", [], {}, "r")
    with store.lease("r") as lease:
        postgres.stop()
        postgres.start()
        assert not store.has_driver("r")
        lease.renew()
        assert store.has_driver("r")
        postgres.stop()
        postgres.start()
        with store.lease("r"), pytest.raises(RunBusy):
            lease.renew()


def test_two_that_ask_at_once_do_not_take_each_other_for_a_driver(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.open_run("pack", [], {}, "r")
    with store.lease("r"):
        assert store.has_driver("r")
    locked = leases._try_lock
    told: list[bool] = []

    def slowly(held: IO[str], *how: int) -> bool:
        """The first that asks is held up with the lock in its hands."""
        free = locked(held, *how)
        patch.undo()
        told.append(store.has_driver("r"))
        return free

    with monkeypatch.context() as patch:
        patch.setattr(leases, "_try_lock", slowly)
        assert not store.has_driver("r")
    assert not any(told)


class Wire:
    """A way to a server through TCP, on which clients can be cut off while the server hears nothing of it."""

    def __init__(self, server: Postgres, url: str) -> None:
        self._server, self._listening = server, socket.create_server(("127.0.0.1", 0))
        port, database = self._listening.getsockname()[1], url.partition("?")[0].rpartition("/")[2]
        self.url = f"postgresql://{server.user}@127.0.0.1:{port}/{database}?sslmode=disable"
        self._ends: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here = self._listening.accept()[0]
            except OSError:  # closed
                return
            there = socket.socket(socket.AF_UNIX)
            there.connect(str(self._server.folder / ".s.PGSQL.5432"))
            self._ends.append((here, there))
            for pair in ((here, there), (there, here)):
                threading.Thread(target=self._carry, args=pair, daemon=True).start()

    @staticmethod
    def _carry(one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(1 << 16):
                other.sendall(data)
        except OSError:  # cut
            return

    def cut(self) -> None:
        for here, _ in self._ends:
            with contextlib.suppress(OSError):  # cut before
                here.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()
        for pair in self._ends:
            for end in pair:
                end.close()


@pytest.fixture
def wire(postgres: Postgres) -> Iterator[Wire]:
    made = Wire(postgres, postgres.new_database())
    yield made
    made.close()


def test_a_driver_that_was_cut_off_does_not_take_its_own_old_session_for_another(
    wire: Wire,
) -> None:
    """The server holds a session for a minute after the network between has forgotten it."""
    store = Store(wire.url)
    store.open_run("pack", [], {}, "r")
    with store.lease("r") as lease:
        for _ in range(2):
            wire.cut()
            lease.renew()
            assert store.has_driver("r")
            with pytest.raises(RunBusy), store.lease("r"):
                raise AssertionError
    wait_until_free(store)


def test_a_lease_gives_up_a_server_that_vanished_as_soon_as_other_connections_do(
    wire: Wire,
) -> None:
    store = Store(wire.url)
    store.open_run("pack", [], {}, "r")
    with store.lease("r") as lease:
        connection = lease._connection  # type: ignore[attr-defined]
        with socket.socket(fileno=os.dup(connection.connection.driver_connection.fileno())) as end:
            waits = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
    assert waits == 30_000
