"""Leftovers of dead runs go; what a live run owns stays."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.sandbox import owner
from harness.sandbox.base import Backend
from tests.conftest import SMALL

pytestmark = pytest.mark.each_sandbox

ORPHAN = """
import os, signal
from parsers.registry import lookup
backend = lookup("harness.sandbox.backends", "{name}")()
from harness.command import Limits
box = backend.create(backend.resolve("arena/cpp"), Limits())
box.start()
print(os.getpid(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def owners(backend: Backend) -> set[str]:
    """Process ids of those who own a sandbox of this backend."""
    if backend.name == "docker":
        found = backend.client.api.containers(all=True, filters={"label": f"{owner.KIND}=sandbox"})  # type: ignore[attr-defined]
        notes = [container["Labels"][owner.OWNER] for container in found]
    else:
        folders = Path(tempfile.gettempdir()).glob("arena-local-*/owner")
        notes = [_text(path) for path in folders]
    return {note.split("/")[1] for note in notes if note}


def _text(path: Path) -> str:
    """Nothing where another process has removed its folder, or is making it."""
    try:
        return path.read_text()
    except OSError:
        return ""


def test_sandbox_of_a_killed_process_is_removed(backend: Backend) -> None:
    mine = backend.create(backend.resolve("arena/cpp"), SMALL)
    mine.start()
    try:
        script = ORPHAN.format(name=backend.name)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        pid = done.stdout.decode().strip()
        assert pid in owners(backend)
        backend.clean()
        assert pid not in owners(backend)
        assert str(os.getpid()) in owners(backend)
    finally:
        mine.stop()


@pytest.mark.docker
def test_a_container_that_somebody_started_by_hand_stays(docker: Backend) -> None:
    image = docker.resolve("arena/cpp")
    client = docker.client  # type: ignore[attr-defined]
    mine = client.containers.run(image, "sleep 60", detach=True, network_disabled=True)
    try:
        docker.clean()
        mine.reload()
        assert mine.status == "running"
    finally:
        mine.remove(force=True)


@pytest.mark.docker
@pytest.mark.parametrize("up", [True, False])
def test_another_machines_sandbox_on_the_same_engine_stays_while_it_is_up(
    docker: Backend, up: bool
) -> None:
    labels = owner.labels("sandbox") | {owner.OWNER: "00000000-another-boot@pid:[1]/1/1"}
    client = docker.client  # type: ignore[attr-defined]
    theirs = client.containers.run(
        docker.resolve("arena/cpp"), "sleep 60", labels=labels, detach=True, network_disabled=True
    )
    try:
        if not up:
            theirs.kill()
        docker.clean()
        assert any(found.id == theirs.id for found in client.containers.list(all=True)) == up
    finally:
        if up:
            theirs.remove(force=True)


def test_owner_of_a_pid_used_again_is_dead() -> None:
    boot, pid, started = owner.me().split("/")
    assert owner.alive(owner.me())
    assert not owner.alive(f"{boot}/{pid}/{int(started) + 1}")
    assert not owner.alive(f"other-boot/{pid}/{started}")
    assert not owner.alive("")


def test_an_owner_that_cannot_be_seen_counts_as_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's process where /proc hides it, and any where there is no /proc."""
    monkeypatch.setattr(owner, "_start_time", lambda pid: "")
    assert not owner.alive(owner.me())  # gone: this one may be signalled, and /proc is there

    def refused(pid: int, signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr("os.kill", refused)
    boot, pid, _ = owner.me().split("/")
    assert owner.alive(f"{boot}/{pid}/7")


@pytest.mark.parametrize(
    "owner_of", ["{boot}/\u00b2/1", "{boot}/1e3/1", "{boot}/99999999999/1", "{boot}//"]
)
def test_labels_that_name_no_process_are_of_the_dead(owner_of: str) -> None:
    assert not owner.alive(owner_of.format(boot=owner.me().split("/")[0]))


def test_what_somebody_else_put_in_the_place_of_a_note_tells_nothing(tmp_path: Path) -> None:
    dead = f"{owner.me().split('/')[0]}/1/1"
    (tmp_path / "own").write_text(dead)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    os.mkfifo(tmp_path / "pipe")
    found = {path.name: owner.is_abandoned(path) for path in tmp_path.iterdir()}
    assert found == {"own": True, "link": False, "bytes": True, "pipe": False}


@pytest.mark.local
def test_local_clean_touches_only_folders_of_ours(local: Backend) -> None:
    stranger = Path(tempfile.mkdtemp(prefix="arena-local-"))
    try:
        local.clean(everything=False)
        assert stranger.is_dir()
    finally:
        stranger.rmdir()


def test_owner_in_another_pid_namespace_is_left_alone() -> None:
    place, pid, started = owner.me().split("/")
    boot = place.partition("@")[0]
    assert owner.alive(f"{boot}@pid:[1]/{pid}/{started}")
    assert not owner.alive(f"other-boot@pid:[1]/{pid}/{started}")
    assert not owner.alive(f"{boot}/{pid}/{started}")
