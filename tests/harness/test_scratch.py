"""Temporary folders of dead runs are removed, those of live ones never."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.sandbox import owner
from harness.sandbox.backends.local import LocalBackend
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


def test_a_folder_whose_owner_is_not_written_yet_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live run makes its folder, then the file that says so, then writes into it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("arena-scratch-t-new", "arena-local-new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "owner").touch()
    assert sweep_scratch() == LocalBackend().clean() == []
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_goes_while_it_is_looked_at_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run beside this one ends, and removes its own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("arena-scratch-t-going", "arena-local-going"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "owner").write_text(owner.me())
    monkeypatch.setattr(Path, "read_text", gone)
    assert sweep_scratch() == LocalBackend().clean() == []


def gone(path: Path) -> str:
    raise FileNotFoundError(path)
