"""Programs of other projects in environments of their own, made once from a lock and kept below the cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from harness.toolbox.interpreter import find
from tests.tiers import lacking

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "arena-tests"
ULIMITS = '[containers]\ndefault_ulimits = ["nofile=1024:4096", "nproc=4096:4096"]\n'


def environment(name: str, version: str) -> Path:
    """The folder of programs of `<name>.lock`, for a Python of this version; made when it is missing."""
    lock = HERE / f"{name}.lock"
    folder = CACHE / f"{name}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:16]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            python = find([version]).executable
            subprocess.run([python, "-m", "venv", folder], check=True)
            pip = [folder / "bin/pip", "install", "-q", "--require-hashes", "-r", lock]
            subprocess.run(pip, check=True)
            (folder / "whole").touch()
    return folder / "bin"


def podman_or_skip() -> str:
    """The program; where it is missing the test is skipped, or fails when CI requires engines."""
    found = shutil.which("podman")
    if found is None:
        lacking("Podman", "apt-get install podman")
    return found
