"""What the machine does to a command is a fault and no result: short memory, a full disk, a stand-still."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.command import Command, Limits
from harness.protocols import Sandbox
from harness.sandbox import archive, container, watch
from harness.sandbox import script as wrapper
from harness.sandbox.backends import local as local_backend
from harness.sandbox.base import Backend, ImageMissing, SandboxDied
from harness.sandbox.channel import CommandChannel
from harness.sandbox.engine import exec_status
from harness.sandbox.jail import shortage
from harness.sandbox.script import ENDED, Memory, read_note
from tests.conftest import SMALL

pytestmark = pytest.mark.each_sandbox

V1 = "/sys/fs/cgroup/memory/memory"
V2 = "/sys/fs/cgroup/memory.events"


@contextmanager
def started(backend: Backend, limits: Limits = SMALL) -> Iterator[Any]:
    box = backend.create(backend.resolve("arena/cpp"), limits)
    box.start()
    try:
        yield box
    finally:
        box.stop()


def told(before: str, after: str, free: str = "overlay 100 50 50 50% /") -> bytes:
    return f"arena-began\n{before}arena-ended\n{after}{free}\n".encode()


def v1(kills: int, peak: int) -> str:
    return f"{V1}.oom_control:oom_kill {kills}\n{V1}.limit_in_bytes:1000\n{V1}.max_usage_in_bytes:{peak}\n"


def v2(kills: int, met: int) -> str:
    return f"{V2}:oom {met}\n{V2}:oom_kill {kills}\n"


@pytest.mark.parametrize(
    ("before", "after", "who"),
    [
        (v1(0, 10), v1(1, 1000), "sandbox"),
        (v1(0, 10), v1(1, 500), "machine"),
        (v1(1, 1000), v1(1, 1000), ""),
        (v2(0, 0), v2(1, 1), "sandbox"),
        (v2(1, 1), v2(2, 1), "machine"),
        ("", "", ""),
    ],
)
def test_a_kill_for_the_machines_memory_is_told_from_one_for_the_sandboxs(
    before: str, after: str, who: str
) -> None:
    note = read_note(told(before, after))
    assert note.short == who
    assert (note.began, note.ended, note.free) == (True, True, 50 << 10)


def test_a_note_of_nothing_tells_nothing() -> None:
    assert read_note(b"") == read_note(b"nonsense: x")
    assert read_note(b"").after == Memory() and read_note(b"").free is None


@pytest.mark.docker
def test_a_kill_that_one_command_lived_with_is_not_the_next_ones(docker: Backend) -> None:
    with started(docker) as box:
        eat = "perl -e '$x = \"a\" x 400000000'"
        assert box.exec(Command(f"{eat}; exit 0")).ok
        assert box.exec(Command("exit 1")).stopped == ""
        assert box.exec(Command(eat)).stopped == "memory"
        assert box.exec(Command(f"{eat}; kill -9 -1")).stopped == "memory", "the wrapper died too"


@pytest.mark.rotating(4)
@pytest.mark.docker
@pytest.mark.parametrize("last", ["", "; kill -9 -1"])
def test_a_kill_for_the_machines_memory_is_a_fault(
    docker: Backend, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    monkeypatch.setattr(
        Memory, "since", lambda now, was: "machine" if now.kills > was.kills else ""
    )
    with started(docker) as box, pytest.raises(SandboxDied, match="out of memory"):
        box.exec(Command(f"perl -e '$x = \"a\" x 400000000'{last}"))


@pytest.mark.docker
def test_a_command_cannot_make_a_fault_of_the_machine_up(
    docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = told("", v1(9, 1), "overlay 9 9 0 9% /").decode().replace("\n", "\\n")
    line = f"read _ _ _ up _ < /proc/$PPID/stat; for f in /proc/$up/fd/*; do printf %b '{forged}' > $f; done; kill -TERM $up"
    with started(docker) as box:
        for _ in range(2):  # the shell that it ends is begun anew
            done = box.exec(Command(line))
            assert (done.status, done.stopped) == (143, "")
        monkeypatch.setattr(container, "PROTECTED_FOLDER", "")  # any shell runs commands
        monkeypatch.setattr(container, "SHELL", "exec sh -s")
        box._channel.close()
        with pytest.raises(SandboxDied, match="out of memory"):
            box.exec(Command(line))


@pytest.mark.local
def test_a_kill_for_memory_during_a_failing_local_command_is_a_fault(
    local: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started(local) as box:
        counts = iter([(3, 7), (4, 8)])
        monkeypatch.setattr(shortage, "counts", lambda: next(counts))
        with pytest.raises(SandboxDied, match="out of memory"):
            box.exec(Command("sh -c 'kill -9 $$'"))


def test_a_full_disk_is_a_fault(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (wrapper, local_backend):
        monkeypatch.setattr(module, "MIN_FREE_BYTES", 1 << 60)
    with pytest.raises(SandboxDied, match="the disk is full"):
        box.exec(Command("exit 1"))


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.docker
def test_an_engine_that_begins_late_takes_nothing_of_a_commands_time(
    docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CommandChannel.run

    def late(channel: CommandChannel, script: str) -> Iterator[tuple[bytes, bytes]]:
        time.sleep(3)  # more than the timeout and what is added to it
        yield from run(channel, script)

    monkeypatch.setattr(container, "GRACE_S", 0.5)
    with started(docker) as box:
        monkeypatch.setattr(CommandChannel, "run", late)
        done = box.exec(Command("echo said", timeout=1))
        assert (done.output, done.stopped) == (b"said\n", "")
        assert box.exec(Command("sleep 90", timeout=1)).stopped == "timeout"
        monkeypatch.setattr(container, "BEGIN_TIMEOUT_S", 1.0)
        with pytest.raises(SandboxDied, match="did not begin"):
            box.exec(Command("echo said", timeout=1))


def test_a_command_whose_stream_is_lost_while_it_runs_has_no_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Podman:
        """It says 0 of what still runs."""

        def exec_inspect(self, _: str) -> dict[str, Any]:
            return {"Running": True, "ExitCode": 0}

    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert exec_status(Podman(), "id") is None


def test_an_archive_that_is_cut_short_is_a_fault() -> None:
    whole = archive.pack({"report": b"x" * 5000}, 0o644, 0)
    assert archive.expect_whole(whole) == whole
    for cut in (0, 512, 3000):
        with pytest.raises(SandboxDied, match="cut short"):
            archive.expect_whole(whole[:cut])


@pytest.mark.docker
@pytest.mark.parametrize("way", ["get", "take_tree"])
def test_a_stream_of_an_archive_that_breaks_off_is_a_fault(
    docker: Backend, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    run = CommandChannel.run

    def cut(channel: CommandChannel, script: str) -> Iterator[tuple[bytes, bytes]]:
        yield b"".join(output for output, _ in run(channel, script))[:700], b""

    with started(docker) as box:
        box.put({"f/a": b"a" * 2000, "f/b": b"b"}, "/src")
        monkeypatch.setattr(CommandChannel, "run", cut)
        short = io.BytesIO()
        take: dict[str, Callable[[], object]] = {
            "get": lambda: box.get(["f/a", "f/b"], "/src"),
            "take_tree": lambda: box.take_tree("/src/f", short, 1 << 20),
        }
        made = box._container.get_archive("/src/f")
        monkeypatch.setattr(
            type(box._container), "get_archive", lambda *_, **__: ([next(made[0])[:512]], {})
        )
        with pytest.raises(SandboxDied, match="cut short"):
            take[way]()


@pytest.mark.docker
def test_a_container_that_is_gone_is_no_missing_folder(docker: Backend) -> None:
    with started(docker) as box:
        box._container.remove(force=True)
        with pytest.raises(SandboxDied):
            box.take_tree("/src", io.BytesIO(), 1 << 20)
        box._started_container = None  # there is nothing to remove


@pytest.mark.local
def test_namespaces_that_cannot_be_made_are_a_fault(local: Backend) -> None:
    with started(local) as box:
        shutil.rmtree(box._root / "fs/src")
        with pytest.raises(SandboxDied, match="did not begin: bwrap"):
            box.exec(Command("echo never"))


@pytest.mark.local
def test_a_snapshot_that_is_gone_is_no_empty_sandbox(local: Backend) -> None:
    box = local.create("arena/env:gone", SMALL)
    try:
        with pytest.raises(ImageMissing, match="is gone"):
            box.start()
    finally:
        box.stop()


@pytest.mark.local
def test_a_local_tar_that_is_killed_is_a_fault(
    local: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started(local) as box:
        killed = ["sh", "-c", "head -c 700 /dev/zero; kill -9 $$"]
        monkeypatch.setattr(box, "_argv", lambda *_: killed)
        with pytest.raises(SandboxDied, match="cut short"):
            box.get(["a"], "/src")
        with pytest.raises(SandboxDied, match="cut short"):
            box.take_tree("/src", io.BytesIO(), 1 << 20)


STOPPED = """
    import sys
    from harness.sandbox import script, watch
    from harness.sandbox.backends import local
    from harness.sandbox.backends.local import LocalBackend
    from harness.command import Command, Limits
    from harness.sandbox.base import SandboxDied
    local.GRACE_S, script.STANDSTILL_S, watch.STANDSTILL_S = 0.5, 1.5, 1.5
    backend = LocalBackend()
    box = backend.create(backend.resolve("arena/cpp"), Limits())
    box.start()
    print("begins", flush=True)
    try:
        done = box.exec(Command(sys.argv[1], timeout=2))
        print(done.stopped or done.output.decode().strip())
    except SandboxDied as fault:
        print(fault)
    finally:
        box.stop()
"""


@pytest.mark.nightly("waits for a limit to end it")
@pytest.mark.local
@pytest.mark.parametrize(
    ("line", "said"), [("sleep 1; echo whole", "whole"), ("sleep 90", "stood still for")]
)
def test_a_stand_still_of_ours_is_no_timeout(
    local: Backend, tmp_path: Path, line: str, said: str
) -> None:
    """As Ctrl-Z does: the command ends while nobody looks."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(STOPPED))
    argv = [sys.executable, str(script), line]
    env = {**os.environ, "PYTHONPATH": os.getcwd(), "ARENA_HOME": str(tmp_path)}  # noqa: PTH109
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGSTOP)
        time.sleep(5)  # more than the timeout and what is added to it
        process.send_signal(signal.SIGCONT)
        assert said in process.stdout.read()


def test_limits_that_cannot_be_watched_are_a_fault(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> str:
        raise OSError(24, "Too many open files")

    for kind in (watch.ContainerWatch, watch.TreeWatch):
        monkeypatch.setattr(kind, "exceeded_limit", full)
    with pytest.raises(SandboxDied, match="could not be watched: OSError"):
        box.exec(Command("sleep 20"))


def test_the_wrappers_marks_are_not_in_what_a_command_writes(box: Sandbox) -> None:
    assert ENDED not in box.exec(Command("echo err >&2; echo out")).output
