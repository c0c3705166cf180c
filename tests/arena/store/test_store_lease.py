"""One driver a run, told apart without a clock, and free again when its process is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from arena.store.store import RunBusy, Store, UnknownRun
from tests.postgres import Postgres

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
    deadline = time.monotonic() + 30
    while store.driven("r"):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("how", ["", "fork"])
def test_a_lease_ends_with_its_process(how: str, store: Store) -> None:
    """Also when a process that it forked lives on."""
    store.open_run("pack", [], {}, "r")
    assert not store.driven("r")
    process, child = driver(store, how)
    try:
        assert store.driven("r")
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
            assert store.driven("r")
    finally:
        process.kill()
        if how == "fork":
            os.kill(child, signal.SIGKILL)
    assert not store.driven("r")


def test_runs_are_driven_apart_and_in_one_process_too(store: Store) -> None:
    for run in ("r", "s.2"):
        store.open_run("pack", [], {}, run)
    with store.lease("r"), store.lease("s.2"):
        assert store.driven("s.2")
        with pytest.raises(RunBusy), Store(store.url).lease("r"):
            raise AssertionError
    assert not store.driven("r")
    with store.lease("latest"):
        assert store.driven("s.2")
    with pytest.raises(UnknownRun):
        store.lease("none")
    with pytest.raises(ZeroDivisionError), store.lease("r"):
        raise ZeroDivisionError
    assert not store.driven("r")


def test_a_lease_is_taken_again_after_the_server_was_away(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(postgres.new_database())
    store.open_run("pack", [], {}, "r")
    with store.lease("r") as lease:
        postgres.stop()
        postgres.start()
        assert not store.driven("r")
        lease.renew()
        assert store.driven("r")
        postgres.stop()
        postgres.start()
        with store.lease("r"), pytest.raises(RunBusy):
            lease.renew()
