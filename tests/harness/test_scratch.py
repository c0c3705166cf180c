"""Temporary folders of dead runs are removed, those of live ones never."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.scratch import make_scratch, sweep_scratch

DIES = "from harness.scratch import make_scratch; print(make_scratch('t'))"


def test_only_what_a_dead_process_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = make_scratch("t")
    done = subprocess.run([sys.executable, "-c", DIES], capture_output=True, text=True, check=True)
    dead = Path(done.stdout.strip())
    other = tmp_path / "arena-scratch-t-unknown"
    other.mkdir()
    assert dead.is_dir() and dead.parent == tmp_path
    assert sweep_scratch() == [f"folder {dead}"]
    assert not dead.exists() and mine.is_dir() and other.is_dir()
    assert mine.stat().st_mode & 0o077 == 0
    shutil.rmtree(mine)
