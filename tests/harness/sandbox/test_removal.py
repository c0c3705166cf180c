"""A local sandbox that is ended while a command runs in it ends the command, and its folder is gone."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from harness.command import Command, Limits
from harness.sandbox import removal
from harness.sandbox.backends.local import LocalSandbox
from harness.sandbox.base import Backend, SandboxDied
from harness.sandbox.removal import remove_folder

WRITES = "n=0; while :; do n=$((n+1)); mkdir -p /src/$((n % 50))/a && echo $n > /src/$((n % 50))/a/$n; done"


@pytest.mark.local
def test_a_command_that_still_writes_is_ended_with_its_sandbox(local: Backend) -> None:
    box = local.create("arena/cpp", Limits())
    assert isinstance(box, LocalSandbox)
    box.start()
    folder = box._folder
    faults: list[BaseException] = []

    def run() -> None:
        try:
            box.exec(Command(WRITES, "/src", timeout=60))
        except SandboxDied as fault:
            faults.append(fault)

    thread = threading.Thread(target=run)
    thread.start()
    while not any((folder / "fs/src").iterdir()):
        time.sleep(0.05)
    box.stop()
    assert not folder.exists()
    thread.join(20)
    assert not thread.is_alive() and len(faults) == 1


def test_a_folder_that_is_written_to_meanwhile_is_removed_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, real, calls = tmp_path / "box", removal.shutil.rmtree, []

    def rmtree(path: Path) -> None:
        calls.append(path)
        if len(calls) < 3:
            raise OSError(39, "Directory not empty")
        real(path)

    folder.mkdir()
    monkeypatch.setattr(removal.shutil, "rmtree", rmtree)
    monkeypatch.setattr(removal, "PAUSE_S", 0.0)
    remove_folder(folder)
    assert (folder.exists(), len(calls)) == (False, 3)


def test_a_folder_that_stays_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rmtree(path: Path) -> None:
        raise OSError(39, "Directory not empty")

    monkeypatch.setattr(removal.shutil, "rmtree", rmtree)
    monkeypatch.setattr(removal, "REMOVAL_TIMEOUT_S", 0.0)
    with pytest.raises(OSError, match="not empty"):
        remove_folder(tmp_path)


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    remove_folder(tmp_path / "never")
