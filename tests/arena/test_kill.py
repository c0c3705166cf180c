"""A run that is killed half-way goes on where it was: nothing finished is lost, graded twice or left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.store.store import Attempt, Store, UnknownRun
from harness.sandbox.base import Backend
from harness.sandbox.owner import KIND, OWNER

ARENA = Path(sys.executable).with_name("arena")
TASKS = ("brook-include", "tarn-index-lookup")
DUE = {"stub": "IC", "gold": "CV"}
PATIENCE = 300


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    tasks = [part for task in TASKS for part in ("--task", task)]
    agents = [part for agent in DUE for part in ("--agent", agent)]
    fixed = ["run", "--pack", "starter", "--sandbox", "docker", "--workers", "2", "--json"]
    return subprocess.Popen(
        [ARENA, *fixed, *tasks, *agents, *more],
        env={**os.environ, "ARENA_HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(folder: Path) -> dict[str, Attempt]:
    """Attempts of the latest run that have a result, by id."""
    store = Store(folder)
    try:
        run = store.run("latest").id
    except UnknownRun:
        return {}
    return {attempt.id: attempt for attempt in store.attempts(run) if attempt.health}


def sandboxes(docker: Backend, pid: int) -> list[str]:
    """Containers that the process made; others may belong to a run beside this test."""
    client = docker.client  # type: ignore[attr-defined]
    found = client.api.containers(all=True, filters={"label": f"{KIND}=sandbox"})
    return [c["Id"] for c in found if c["Labels"][OWNER].split("/")[1] == str(pid)]


def kill_after_the_first_result(process: subprocess.Popen[str], folder: Path) -> None:
    limit = time.monotonic() + PATIENCE
    while not ended(folder):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < limit, "no attempt ended"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.nightly
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, docker: Backend) -> None:
    first = start(tmp_path)
    kill_after_the_first_result(first, tmp_path)
    kept = ended(tmp_path)
    assert 1 <= len(kept) < len(TASKS) * len(DUE), "killed half-way"

    second = start(tmp_path, "--resume", "latest")
    out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    rows = json.loads(out)["attempts"]
    assert {(row["task"], row["agent"]): row["label"] for row in rows} == {
        (task, agent): due for task in TASKS for agent, due in DUE.items()
    }
    now = ended(tmp_path)
    assert len(now) == len(TASKS) * len(DUE)
    assert {id_: now[id_] for id_ in kept} == kept, "finished attempts are not graded again"
    told = [line for line in err.splitlines() if line.startswith("[")]
    assert len(told) == len(now) - len(kept)
    assert sandboxes(docker, first.pid) == []
    assert sandboxes(docker, second.pid) == []


@pytest.mark.docker
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_what_is_interrupted_leaves_no_container_at_work(
    by: signal.Signals, tmp_path: Path, docker: Backend
) -> None:
    process = subprocess.Popen(
        [ARENA, "tasks", "check", "starter", "--task", TASKS[0], "--sandbox", "docker"],
        env={**os.environ, "ARENA_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            by, signal.SIG_DFL
        ),  # ignored in the background of a script
    )
    limit = time.monotonic() + PATIENCE
    while not sandboxes(docker, process.pid):
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.1)
    process.send_signal(by)
    assert "interrupted" in process.communicate(timeout=25)[1]
    assert process.returncode == 130
    while sandboxes(docker, process.pid):
        assert time.monotonic() < limit, "its containers are still there"
        time.sleep(0.1)
