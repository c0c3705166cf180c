"""A signal from outside, such as a terminal's Ctrl-C, is never taken for what ran in a local sandbox."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psutil
import pytest

from harness.command import Command, Limits
from harness.protocols import Sandbox
from harness.sandbox.base import Backend, SandboxDied

pytestmark = pytest.mark.local
PATIENCE = 120


@pytest.fixture
def box(local: Backend) -> Iterator[Sandbox]:
    sandbox = local.create(local.resolve("arena/cpp"), Limits())
    sandbox.start()
    yield sandbox
    sandbox.stop()


def sandboxed() -> psutil.Process:
    """The child that holds the sandbox, once a command runs in it."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        with suppress(psutil.NoSuchProcess):  # one that ended between two looks
            for child in psutil.Process().children():
                inside = [one.name() for one in child.children(recursive=True)]
                if "bwrap" in child.name() and "sleep" in inside:
                    return child
        time.sleep(0.02)
    raise AssertionError("no sandbox runs")


def test_a_sandbox_that_a_signal_from_outside_ends_is_a_fault(box: Sandbox) -> None:
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(box.exec, Command(f"sleep {PATIENCE}", timeout=PATIENCE))
        found = sandboxed()
        assert os.getpgid(found.pid) != os.getpgid(0), "Ctrl-C at the terminal does not reach it"
        found.send_signal(signal.SIGTERM)  # a SIGINT may be ignored from birth
        with pytest.raises(SandboxDied, match="signal 15"):
            done.result(PATIENCE)
