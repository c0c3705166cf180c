"""`arena sweep run` as a process of its own, to which signals are sent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.sweep.file import load_sweep
from tests.arena.sweep.matrix_track import write_sweep
from tests.arena.sweep.test_sweep_cli import PATIENCE, PLAIN, ROOT, store_of

pytestmark = [pytest.mark.slow, pytest.mark.rotating(2)]


def begun(tmp_path: Path, seconds: float) -> subprocess.Popen[str]:
    """A sweep whose attempts take so long, when its first attempt is in flight."""
    write_sweep(tmp_path, PLAIN)
    environment = {**os.environ, "ARENA_HOME": str(tmp_path / "home")}
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.arena.sweep.slow_sweep"),
            *("sweep", "run", str(tmp_path / "nightly.toml"), "--workers", "2", "--json"),
        ],
        cwd=ROOT,
        env={**environment, "SECONDS_OF_AN_ATTEMPT": str(seconds)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    store, run = store_of(tmp_path), load_sweep(tmp_path / "nightly.toml").run
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        if any(row.id == run for row in store.runs()) and store.run(run).spent_seconds > 0:
            return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate()[1])


def test_one_signal_lets_attempts_in_flight_end(tmp_path: Path) -> None:
    process = begun(tmp_path, seconds=1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3, err
    told = json.loads(out)
    assert told["ended"] == "stopped"
    assert 0 < told["unlabelled"] < 16 or told["labels"] == {}
    assert "once more ends at once" in err
    assert "Traceback" not in err
    store = store_of(tmp_path)
    assert not store.has_driver(told["run"])
    assert sum(store.counts(told["run"]).labels.values()) == 16 - told["unlabelled"]


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    process = begun(tmp_path, seconds=3600)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "to go on: arena sweep resume sweep-nightly-" in err
    assert "Traceback" not in err
