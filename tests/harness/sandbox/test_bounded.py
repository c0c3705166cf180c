"""Files are bounded by their number too, and what is taken out is cut where it is made."""

from __future__ import annotations

import time
from dataclasses import replace
from unittest.mock import MagicMock

import pytest

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox import archive, watch
from harness.sandbox.base import Backend
from tests.conftest import SMALL
from tests.harness.sandbox.test_machine_faults import started

pytestmark = pytest.mark.slow
MANY = "import time; [open('/tmp/' + str(n), 'w').close() for n in range({})]; time.sleep(60)"


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.docker
@pytest.mark.parametrize(("files", "stopped"), [(1_000, "timeout"), (20_000, "disk")])
def test_empty_files_are_counted_as_disk(
    docker: Backend, monkeypatch: pytest.MonkeyPatch, files: int, stopped: str
) -> None:
    monkeypatch.setattr(watch, "FILES_POLL_S", 1.0)
    limits = replace(SMALL, disk=10_000 * watch.A_FILE)
    with started(docker, limits) as box:
        seconds = 6 if stopped == "timeout" else 40  # a busy machine takes long for so many files
        done = box.exec(Command(f'python3 -c "{MANY.format(files)}"', timeout=seconds))
        assert done.stopped == stopped


@pytest.mark.nightly("waits for a limit to end it")
def test_a_count_that_takes_long_is_made_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[float] = []

    def count(*_: object) -> int:
        counted.append(time.monotonic())
        time.sleep(0.1)
        return 0

    monkeypatch.setattr(watch, "FILES_POLL_S", 0.05)
    monkeypatch.setattr(watch, "changed_files", count)
    container = MagicMock()
    container.client.api.containers.return_value = [{"SizeRw": 1}]
    disk = watch.ContainerDisk(1 << 30)
    until = time.monotonic() + 2.5
    while time.monotonic() < until:
        assert not disk.is_exceeded(container)
        time.sleep(0.02)
    assert 1 <= len(counted) <= 2, "0.1 s of counting, then 2 s of rest; 50 without"


def test_a_tree_that_the_engine_cannot_look_through_is_too_much() -> None:
    container = MagicMock()
    container.client.api.containers.return_value = [{"SizeRw": -1}]
    disk = watch.ContainerDisk(1 << 30)
    assert [disk.is_exceeded(container) for _ in range(2)] == [False, True]


DEEP = "n=$(printf 'd%.0s' $(seq 240)); for i in $(seq 20); do mkdir $n && cd $n || break; done"


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.docker
def test_no_path_hides_what_is_written(docker: Backend) -> None:
    with started(docker, replace(SMALL, disk=16 << 20)) as box:
        done = box.exec(
            Command(f"cd /tmp; ({DEEP}); head -c 40M /dev/zero >/tmp/a; sleep 30", timeout=25)
        )
        assert done.stopped == "disk"


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.docker
def test_files_of_many_short_commands_are_counted(
    docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "FILES_POLL_S", 1.0)
    with started(docker, replace(SMALL, disk=1_000 * watch.A_FILE)) as box:
        runs = (
            box.exec(Command(f"cd /tmp; seq {n}0001 {n}0500 | xargs touch; sleep 0.5"))
            for n in range(1, 9)
        )
        assert any(done.stopped == "disk" for done in runs)


@pytest.mark.each_sandbox
def test_sparse_files_are_not_drained(box: Sandbox) -> None:
    names = [str(number) for number in range(60)]
    line = "cd /src; for i in $(seq 0 59); do truncate -s 250M $i; done"
    assert box.exec(Command(line)).ok
    began = time.monotonic()
    assert len(box.get(names, "/src")) == archive.MAX_BYTES
    assert time.monotonic() - began < 8
