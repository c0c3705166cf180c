"""Files are bounded by their number too, and what is taken out is cut where it is made."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox import archive, watch
from harness.sandbox.base import Backend
from tests.conftest import SMALL
from tests.harness.sandbox.test_machine_faults import started

pytestmark = pytest.mark.slow
MANY = "import time; [open('/tmp/' + str(n), 'w').close() for n in range({})]; time.sleep(60)"


@pytest.mark.docker
@pytest.mark.parametrize(("files", "stopped"), [(1_000, "timeout"), (20_000, "disk")])
def test_empty_files_are_counted_as_disk(
    docker: Backend, monkeypatch: pytest.MonkeyPatch, files: int, stopped: str
) -> None:
    monkeypatch.setattr(watch, "FILES_LOOK", 1)
    limits = replace(SMALL, disk=10_000 * watch.A_FILE)
    with started(docker, limits) as box:
        seconds = 6 if stopped == "timeout" else 40  # a busy machine takes long for so many files
        done = box.exec(Command(f'python3 -c "{MANY.format(files)}"', timeout=seconds))
        assert done.stopped == stopped


@pytest.mark.each_sandbox
def test_sparse_files_are_not_drained(box: Sandbox) -> None:
    names = [str(number) for number in range(60)]
    line = "cd /src; for i in $(seq 0 59); do truncate -s 250M $i; done"
    assert box.exec(Command(line)).ok
    began = time.monotonic()
    assert len(box.get(names, "/src")) == archive.LIMIT
    assert time.monotonic() - began < 8
