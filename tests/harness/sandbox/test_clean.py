"""Leftovers of dead runs go; what a live run owns stays."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.sandbox import owner
from harness.sandbox.base import Backend
from tests.conftest import SMALL

ORPHAN = """
import os, signal
from parsers.registry import lookup
backend = lookup("harness.sandbox.backends", "{name}")()
from harness.sandbox.base import Limits
box = backend.create(backend.resolve("arena/cpp"), Limits())
box.start()
print("started", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_sandbox_of_a_killed_process_is_removed(backend: Backend) -> None:
    mine = backend.create(backend.resolve("arena/cpp"), SMALL)
    mine.start()
    try:
        script = ORPHAN.format(name=backend.name)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        assert done.stdout == b"started\n"
        assert len(backend.clean()) == 1
        assert backend.clean() == []
    finally:
        mine.stop()


def test_owner_of_a_pid_used_again_is_dead() -> None:
    boot, pid, started = owner.me().split("/")
    assert owner.alive(owner.me())
    assert not owner.alive(f"{boot}/{pid}/{int(started) + 1}")
    assert not owner.alive(f"other-boot/{pid}/{started}")
    assert not owner.alive("")


@pytest.mark.local
def test_local_clean_touches_only_folders_of_ours(local: Backend) -> None:
    stranger = Path(tempfile.mkdtemp(prefix="arena-local-"))
    try:
        local.clean(everything=False)
        assert stranger.is_dir()
    finally:
        stranger.rmdir()
