"""A sweep outlives the container engine under it: it waits for it, and goes on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from arena.jobs import Capacity
from arena.protocols import Setup
from arena.store.model import Attempt, AttemptKey
from arena.store.store import Store, UnknownRun
from arena.sweep.drive import drive
from arena.sweep.engines.local import LocalEngine
from arena.sweep.faults import POISON
from arena.sweep.progress import AWAY, BACK
from arena.tracks.passing import TRIES
from arena.tracks.repo.track import RepoTrack
from harness.command import Command, ExecResult, Limits, Mount
from harness.grade.grader import Grader
from harness.sandbox.backends.docker import DockerBackend
from harness.sandbox.base import Backend
from harness.sandbox.container import DockerSandbox
from tasks.loader import load_pack
from tests.arena.sweep.daemon import IMAGE, Daemon, daemon_or_skip
from tests.mini.shell import shell_mini

ARENA = Path(sys.executable).with_name("arena")
PATIENCE = 240
DUE = {"noop": "NO", "gold": "CV", "fixed": "C&S"}
# Each leaves another patch, so that none is served the verdict of another.
WRITERS = [f"command:echo '# {number}' >> src/text.sh" for number in range(3)]
GONE = 3.0


@pytest.fixture(scope="module")
def daemon(docker: Backend) -> Iterator[Daemon]:
    with daemon_or_skip(docker) as started:
        yield started


def start(folder: Path, daemon: Daemon, agents: list[str]) -> subprocess.Popen[str]:
    file = folder / "daemon.toml"
    file.write_text(
        f'pack = "pack"\nsandbox = "docker"\nmatrix.agents = {json.dumps(agents)}\n'
        "concurrency.sandboxes = 2\n"
    )
    with told_of(folder).open("w") as told:
        return subprocess.Popen(
            [ARENA, "sweep", "run", str(file), "--json"],
            env={**os.environ, "ARENA_HOME": str(folder / "home"), "DOCKER_HOST": daemon.url},
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
        )


def told_of(folder: Path) -> Path:
    """What the sweep says meanwhile."""
    return folder / "told"


def labelled(folder: Path) -> dict[str, Attempt]:
    store = Store(folder / "home")
    try:
        run = store.run("latest").id
    except UnknownRun:
        return {}
    return {attempt.key.agent: attempt for attempt in store.attempts(run) if attempt.label}


def wait_for(enough: Callable[[], bool], folder: Path, process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + PATIENCE
    while not enough():
        assert process.poll() is None, told_of(folder).read_text()
        assert time.monotonic() < limit, "nothing goes on"
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.nightly
def test_a_sweep_goes_on_by_itself_when_its_engine_is_killed_and_started_again(
    daemon: Daemon, tmp_path: Path
) -> None:
    shell_mini(tmp_path, IMAGE)
    process = start(tmp_path, daemon, [*DUE, *WRITERS])
    wait_for(lambda: len(labelled(tmp_path)) >= 2, tmp_path, process)
    daemon.end(signal.SIGKILL)
    before = labelled(tmp_path)
    assert len(before) < len(DUE) + len(WRITERS), "it was killed in the middle"
    wait_for(lambda: AWAY in told_of(tmp_path).read_text(), tmp_path, process)
    time.sleep(GONE)
    assert process.poll() is None, told_of(tmp_path).read_text()
    daemon.start()
    out, _ = process.communicate(timeout=PATIENCE)
    told = told_of(tmp_path).read_text()
    assert process.returncode == 0, told
    assert json.loads(out)["labels"] == {"NO": 1, "CV": 1, "C&S": 1, "IC": len(WRITERS)}
    assert told.count(AWAY) == told.count(BACK) == 1 and "Traceback" not in told, told
    after = labelled(tmp_path)
    assert {agent: after[agent] for agent in before} == before, (
        "none of them is made or graded again"
    )
    assert {agent: after[agent].label for agent in DUE} == DUE
    assert max(attempt.tries for attempt in after.values()) == 2, "an outage is a try, however long"
    assert daemon.containers() == []


# Memory of the sandboxes that are removed while a command runs in them.
REMOVED = 300 << 20


class Robbed(DockerSandbox):
    """Somebody removes its container under each command."""

    def exec(self, command: Command) -> ExecResult:
        self._container.remove(force=True)
        return super().exec(command)


class Robbing(DockerBackend):
    """Its sandboxes with REMOVED bytes of memory are robbed."""

    def create(self, image: str, limits: Limits, mounts: Sequence[Mount] = ()) -> DockerSandbox:
        if limits.memory != REMOVED:
            return super().create(image, limits, mounts)
        return Robbed(self.client, image, limits, mounts)


def add_task(pack: Path, name: str, changes: dict[str, str]) -> None:
    """A copy of the tiny task with other texts in its `task.toml`."""
    shutil.copytree(pack / "mini-twice", pack / name)
    file = pack / name / "task.toml"
    text = file.read_text().replace('id = "mini-twice"', f'id = "{name}"')
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


@pytest.mark.slow
@pytest.mark.docker
@pytest.mark.nightly
def test_tasks_that_end_their_sandbox_each_time_end_nothing_else(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One loses its container under every command, one eats its memory as it is built; the third is as any."""
    monkeypatch.setenv("DOCKER_HOST", daemon.url)
    pack = shell_mini(tmp_path, IMAGE).folder
    add_task(pack, "a-robbed", {'memory = "512m"': 'memory = "300m"'})
    add_task(
        pack, "b-hungry", {'"mkdir -p build': '"tail /dev/zero && mkdir -p build', "512m": "64m"}
    )
    store, agents = Store(tmp_path / "store"), ["gold", "fixed", *WRITERS]
    grader = Grader(Robbing(), store)
    track = RepoTrack(load_pack(pack), lambda: grader)
    tasks = ["a-robbed", "b-hungry", "mini-twice"]
    run = store.open_run(
        "mini", [AttemptKey(task, agent) for task in tasks for agent in agents], {}
    )
    capacity = Capacity(2, 2)
    drive(store, run, Setup("repo", str(pack)), LocalEngine(track, store), capacity, track.needs)
    found = {task: [a for a in store.attempts(run) if a.key.task == task] for task in tasks}
    assert sorted(str(a.label) for a in found["mini-twice"]) == [
        "C&S",
        "CV",
        *["IC"] * len(WRITERS),
    ]
    for task in ("a-robbed", "b-hungry"):
        assert {(a.health, a.label) for a in found[task]} == {("infra", None)}, task
    assert any(a.reason.startswith("SandboxDied") for a in found["a-robbed"])
    assert any("memory" in a.reason for a in found["b-hungry"])
    flying = capacity.sandboxes
    assert sum(a.tries for a in found["a-robbed"]) <= TRIES * (POISON + flying - 1)
    assert sum(a.tries for a in found["b-hungry"]) <= POISON + flying - 1, "it would come back"
    assert daemon.containers() == []
