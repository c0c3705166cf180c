"""What a sweep survives: kills at any moment, a database that is locked or down, a disk that is full.

After each nothing that had finished is lost, and nothing that is stored is made or graded again.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest

from arena.store.model import AttemptKey
from arena.store.store import Store
from tests.postgres import server_or_skip
from tests.tiers import lacking

ROOT = Path(__file__).parents[3]
PATIENCE = 240


@pytest.fixture(params=[3.0, pytest.param(60.0, marks=pytest.mark.nightly)])
def away(request: pytest.FixtureRequest) -> float:
    """Seconds for which a database is not there: more than a store waits for by itself."""
    return float(request.param)


def start(place: str, run: str, log: Path, seconds: float, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.arena.sweep.child", place, run, str(log), str(seconds)]
    return subprocess.Popen(
        [*command, *(more or ("2",))],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def done_of(log: Path) -> Counter[str]:
    """How often each stage of each attempt was done."""
    lines = log.read_text().splitlines() if log.exists() else []
    return Counter(" ".join(line.split()[:3]) for line in lines)


def wait_for(log: Path, lines: int, process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + PATIENCE
    while done_of(log).total() < lines:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit, "nothing goes on"
        time.sleep(0.01)


def finish(process: subprocess.Popen[str]) -> None:
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out.strip()) == (0, "done"), err


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
@pytest.mark.parametrize("kills", [5, pytest.param(20, marks=pytest.mark.nightly)])
def test_a_driver_that_is_killed_at_any_moment_loses_nothing_and_repeats_nothing(
    tmp_path: Path, kills: int
) -> None:
    store, log = Store(tmp_path / "store"), tmp_path / "log"
    keys = [AttemptKey(f"t{n}", f"a{m}", "m") for n in range(20) for m in range(kills)]
    run = store.open_run("pack", keys, {})
    moments = random.Random(20_261_122)
    for _ in range(kills):
        ended = {a.id: a for a in store.attempts(run) if a.health}
        made = {a.key for a in store.attempts(run) if a.patch}
        before = done_of(log)
        process = start(str(tmp_path / "store"), run, log, 0.01)
        wait_for(log, before.total() + moments.randrange(1, 25), process)
        time.sleep(moments.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        now = {a.id: a for a in store.attempts(run)}
        assert {id_: now[id_] for id_ in ended} == ended, "what had finished is as it was"
        again = done_of(log) - before
        assert not {f"grade {a.key.task} {a.key.agent}" for a in ended.values()} & set(again)
        assert not {f"solve {key.task} {key.agent}" for key in made} & set(again)
    finish(start(str(tmp_path / "store"), run, log, 0.0))
    found = store.attempts(run)
    assert {(a.health, a.label, a.evidence["patch"] == a.key.task) for a in found} == {
        ("ok", "C&S", True)
    }
    assert all(a.usd >= 0.5 for a in found)


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_a_database_that_is_locked_is_waited_for(tmp_path: Path, away: float) -> None:
    store, log = Store(tmp_path / "store"), tmp_path / "log"
    run = store.open_run("pack", [AttemptKey(f"t{n}", "a") for n in range(60)], {})
    process = start(str(tmp_path / "store"), run, log, 0.02, "2", "0.2")
    wait_for(log, 10, process)
    (database,) = (tmp_path / "store").glob("*.sqlite")
    other = sqlite3.connect(database, timeout=60, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    time.sleep(away)
    other.execute("COMMIT")
    other.close()
    finish(process)
    assert {a.label for a in store.attempts(run)} == {"C&S"}
    assert set(done_of(log).values()) == {1}


FULL = """
    import subprocess, sys, time
    from pathlib import Path
    from arena.store.model import AttemptKey
    from arena.store.store import Store
    folder, log = Path(sys.argv[1]), Path(sys.argv[2])
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=True)
    store = Store(folder / "store")
    run = store.open_run("pack", [AttemptKey(f"t{n}", "a") for n in range(60)], {})
    command = [sys.executable, "-m", "tests.arena.sweep.child", str(folder / "store"), run, str(log)]
    child = subprocess.Popen([*command, "0.02", "2", "5"], stdout=subprocess.PIPE, text=True)
    while not log.exists() or len(log.read_text().splitlines()) < 10:
        assert child.poll() is None
        time.sleep(0.01)
    try:
        with (folder / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
    except OSError as error:
        print("full:", error.errno)
    time.sleep(4)
    print("alive:", child.poll() is None)
    (folder / "filler").unlink()
    out, _ = child.communicate(timeout=200)
    print("ended:", out.strip())
    print("labels:", sorted({a.label or a.reason for a in store.attempts(run)}))
"""


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_a_full_disk_is_waited_for_with_what_was_paid_for_in_hand(tmp_path: Path) -> None:
    """The disk is a small tmpfs in a namespace of its own, where the test may mount one."""
    room = tmp_path / "room"
    room.mkdir()
    apart = ["unshare", "--mount"] + (["--map-root-user"] if os.geteuid() else [])
    done = subprocess.run(
        [*apart, sys.executable, "-c", textwrap.dedent(FULL), str(room), str(tmp_path / "log")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if "unshare failed" in done.stderr:
        lacking("mount namespace", "root, or user namespaces")
    assert done.returncode == 0, done.stderr
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert told == {"full": "28", "alive": "True", "ended": "done", "labels": "['C&S']"}
    assert set(done_of(tmp_path / "log").values()) == {1}, "nothing is made or graded again"


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_a_server_that_is_down_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: float
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    log = tmp_path / "log"
    with server_or_skip() as server:
        url = server.new_database()
        store = Store(url)
        run = store.open_run("pack", [AttemptKey(f"t{n}", "a") for n in range(60)], {})
        process = start(url, run, log, 0.02, "2", "0.5")
        wait_for(log, 10, process)
        server.stop()
        time.sleep(away)
        assert process.poll() is None, process.communicate()
        server.start()
        finish(process)
        assert {a.label for a in Store(url).attempts(run)} == {"C&S"}
    assert set(done_of(log).values()) == {1}
