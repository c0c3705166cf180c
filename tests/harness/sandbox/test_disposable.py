"""Sandboxes that take turns in one container, run for real in a file system that bubblewrap makes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.sandbox.base import EngineUnavailable
from harness.sandbox.disposable import PLACES, DisposableBackend
from tests.tiers import lacking

REPOSITORY = Path(__file__).parents[3]
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", str(REPOSITORY), sys.base_prefix)


def test_no_folder_of_an_ordinary_machine_is_moved() -> None:
    """Without root's marker it refuses, before it touches anything."""
    backend = DisposableBackend()
    assert "no container to throw away" in backend.available()
    before = [place.stat().st_ino for place in PLACES if place.exists()]
    with pytest.raises(EngineUnavailable):
        backend.prepare()
    assert [place.stat().st_ino for place in PLACES if place.exists()] == before


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Any]:
    if os.geteuid() != 0 or shutil.which("bwrap") is None:
        lacking("root and bubblewrap", "apt-get install bubblewrap")
    argv = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent"]
    argv += ["--cap-add", "ALL", "--proc", "/proc", "--dev", "/dev"]
    for path in SYSTEM:
        argv += ["--ro-bind-try", path, path]
    program = ["-m", "tests.harness.sandbox.disposable_program"]
    argv += ["--chdir", str(REPOSITORY), sys.executable, "-B", *program]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.local
@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "due"),
    [
        ("is_root", [1, "", ""]),
        ("reads_home", [2, "", ""]),
        ("writes", [0, "content", ""]),
        ("other_sandbox", [1, "", ""]),
        ("same_sandbox", [0, "contentof-first", ""]),
        ("no_folder", 126),
        ("daemon", [0, "", ""]),
        ("processes_after_daemon", 0),
        ("kills_all", 137),
        ("after_kills", [0, "alive", ""]),
        ("timeout", "timeout"),
        ("output", "output"),
        ("memory", "memory"),
        ("stopped_under_a_command", [[137, "begun", "sandbox"], "SandboxDied"]),
        ("snapshot", [0, "contentof-first", ""]),
        ("bytes_of_get", True),
        ("places_after_stop", [False, False, False]),
    ],
)
def test_a_sandbox_has_its_turn_alone(outcomes: dict[str, Any], what: str, due: object) -> None:
    assert outcomes[what] == due
