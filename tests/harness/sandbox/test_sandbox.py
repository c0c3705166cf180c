"""Both sandboxes hold what they promise, against commands that try to get out or never end."""

from __future__ import annotations

import shutil
import socket
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.command import Command, Limits, Mount
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.backends import local as backends_local
from harness.sandbox.backends.local import OPEN_NAMESPACES
from harness.sandbox.base import Backend, SandboxDied
from tests.conftest import SMALL
from tests.tiers import lacking

pytestmark = pytest.mark.each_sandbox

EATER = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 64; i++) { char *p = malloc(8 << 20); memset(p, 1, 8 << 20); }
    return sleep(90);  /* the local sandbox looks every fifth of a second, later on a busy machine */
}
"""


def run(box: Sandbox, line: str, timeout: float = 120.0) -> tuple[int, str, str]:
    done = box.exec(Command(line, "/src", timeout))
    return done.status, done.output.decode(), done.stopped


def test_output_and_status_come_back(box: Sandbox) -> None:
    assert run(box, "echo out; echo err >&2; exit 3") == (3, "out\nerr\n", "")


def test_fatal_signal_is_a_shells_status(box: Sandbox) -> None:
    assert run(box, "sh -c 'kill -SEGV $$'")[0] == 139


def test_not_root_and_no_capabilities(box: Sandbox) -> None:
    _, output, _ = run(box, "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status")
    assert output.split() == [output.split()[0], "CapEff:", "0" * 16, "NoNewPrivs:", "1"]
    assert int(output.split()[0]) != 0


def test_no_network(box: Sandbox) -> None:
    status, output, _ = run(
        box, "cat /proc/net/route /proc/net/dev | grep -vE 'lo:|Iface|face|Inter'"
    )
    assert (status, output) == (1, "")


def test_both_loopbacks_are_there(box: Sandbox) -> None:
    """Tests of servers connect to ::1 as to 127.0.0.1 (libcoap's end in a crash where they cannot)."""
    done = box.exec(Command("cat /proc/net/if_inet6 && cat /proc/net/fib_trie"))
    assert b"00000000000000000000000000000001" in done.output and b"127.0.0.1" in done.output


def test_system_folders_are_read_only(box: Sandbox) -> None:
    assert (
        run(box, "touch /usr/bin/x 2>/dev/null || touch /etc/x 2>/dev/null || echo refused")[1]
        == "refused\n"
    )


def test_timeout_inside_leaves_the_sandbox_usable(box: Sandbox) -> None:
    started = time.monotonic()
    assert run(box, "sleep 300", timeout=1)[2] == "timeout"
    assert time.monotonic() - started < 60
    assert run(box, "echo still here")[1] == "still here\n"


@pytest.mark.nightly("waits for a limit to end it")
def test_ignoring_term_does_not_help(box: Sandbox) -> None:
    assert run(box, "trap '' TERM; while :; do sleep 0.1; done", timeout=1)[2] == "timeout"


def test_a_commands_own_124_is_no_timeout(box: Sandbox) -> None:
    assert run(box, "exit 124") == (124, "", "")


def test_nothing_goes_on_after_a_command(box: Sandbox) -> None:
    run(box, "(setsid sh -c 'sleep 1; echo late > /src/late' >/dev/null 2>&1 &)")
    time.sleep(1.5)
    assert run(box, "ls /src")[1] == ""


def test_fork_bomb_is_bounded(box: Sandbox) -> None:
    started = time.monotonic()
    run(box, "bomb() { bomb | bomb & }; bomb; sleep 1; echo over", timeout=5)
    assert time.monotonic() - started < 60
    assert run(box, "echo usable")[1] == "usable\n"


def test_memory_limit_is_told_apart_from_failing(box: Sandbox) -> None:
    box.put({"eat.c": EATER.encode()}, "/src")
    assert run(box, "cc -O0 -o eat eat.c")[0] == 0
    assert run(box, "./eat")[2] == "memory"


def test_a_plain_kill_is_not_memory(box: Sandbox) -> None:
    status, _, stopped = run(box, "sh -c 'kill -9 $$'")
    assert (status, stopped) == (137, "")


def test_disk_limit(backend: Backend) -> None:
    box = backend.create(backend.resolve("arena/cpp"), Limits(disk=64 << 20))
    box.start()
    try:
        line = "for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=/tmp/$i bs=1M count=30 2>&-; sleep 1; done; sleep 90"
        assert run(box, line)[2] == "disk"
    finally:
        box.stop()


def test_output_limit(backend: Backend) -> None:
    box = backend.create(backend.resolve("arena/cpp"), SMALL)
    box.start()
    try:
        done = box.exec(Command("yes", "/src", 30))
        assert done.stopped == "output"
        assert len(done.output) == SMALL.output
    finally:
        box.stop()


def test_put_and_get_keep_names_and_bytes(box: Sandbox) -> None:
    files = {"a b/c\nd.txt": b"\x00\xff", "plain": b"x" * 100_000, "-dash": b"-"}
    box.put(files, "/src")
    assert archive.unpack(box.get([*files, "missing"], "/src")) == files


def test_get_follows_no_link(box: Sandbox) -> None:
    run(box, "ln -s /etc/passwd link; ln -s /etc dir")
    assert archive.unpack(box.get(["link", "dir/passwd"], "/src")).keys() <= {"dir/passwd"}
    assert "link" not in archive.unpack(box.get(["link"], "/src"))


def test_snapshot_is_found_and_starts_with_its_files(backend: Backend, box: Sandbox) -> None:
    box.put({"kept/file": b"kept"}, "/src")
    name = "arena/env:test-snapshot"
    box.snapshot(name, {})
    assert backend.find(name) is not None
    assert backend.find("arena/env:nothing-of-that-name") is None
    again = backend.create(name, SMALL)
    again.start()
    try:
        assert run(again, "cat kept/file; echo more > kept/file; cat kept/file")[1] == "keptmore\n"
    finally:
        again.stop()


@pytest.mark.docker
def test_killed_container_is_a_fault_and_no_result(docker: Backend) -> None:
    import threading

    box = docker.create(docker.resolve("arena/cpp"), SMALL)
    box.start()
    try:
        killer = threading.Timer(1.0, lambda: box._container.kill())  # type: ignore[attr-defined]
        killer.start()
        with pytest.raises(SandboxDied):
            box.exec(Command("sleep 30", "/src", 60))
    finally:
        box.stop()


@pytest.mark.local
def test_local_link_planted_in_the_sandbox_leads_nowhere(local: Backend, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("safe")
    tmp_path.chmod(0o777)
    box = local.create(local.resolve("arena/cpp"), SMALL)
    box.start()
    try:
        run(box, f"ln -s {tmp_path} out")
        box.put({"out/victim": b"overwritten"}, "/src")
    finally:
        box.stop()
    assert victim.read_text() == "safe"


def test_a_mount_can_be_read_and_not_written_and_its_socket_reached(
    backend: Backend, tmp_path: Path
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="arena-m-"))  # a socket's path is limited to 107 bytes
    folder.chmod(0o755)
    (folder / "seen").write_text("there")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        (folder / "s").chmod(0o666)
        server.listen()
        mount = Mount(str(folder), "/tmp/mount" if backend.name == "docker" else "/mount")
        box = backend.create(backend.resolve("arena/cpp"), SMALL, [mount])
        box.start()
        try:
            where = mount.inside
            assert box.exec(Command(f"cat {where}/seen")).output == b"there"
            assert not box.exec(Command(f"echo > {where}/seen; echo > {where}/new")).ok
            connect = f"perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(q({where}/s)) or exit 9'"
            assert box.exec(Command(connect)).ok
        finally:
            box.stop()
            shutil.rmtree(folder)


def test_a_private_folder_is_the_users_own_runs_programs_and_ends_with_the_sandbox(
    backend: Backend,
) -> None:
    """Where images keep a folder closed, as /root, an agent may need it."""
    work = "echo 'echo ran' > /root/x && chmod 700 /root /root/x 2>/dev/null; sh -c '/root/x'"
    for _ in range(2):
        box = backend.create(backend.resolve("arena/cpp"), SMALL, [Mount("", "/root")])
        box.start()
        try:
            assert box.exec(Command("ls -A /root")).output == b""
            assert b"ran" in box.exec(Command(work)).output
            assert box.exec(Command("cat /root/x")).ok
        finally:
            box.stop()


def test_a_tree_comes_whole_with_links_and_modes(box: Sandbox) -> None:
    box.exec(Command("mkdir t t/d; echo 1 > t/d/x; chmod +x t/d/x; ln -s /etc t/l", "/tmp"))
    with tempfile.TemporaryFile() as file:
        assert box.take_tree("/tmp/t", file, 1 << 20)
        file.seek(0)
        with tarfile.open(fileobj=file) as tar:
            found = {m.name: m for m in tar}
    assert found["t/l"].linkname == "/etc" and found["t/d/x"].mode & 0o111
    with tempfile.TemporaryFile() as file:
        assert not box.take_tree("/tmp/t", file, 100)
        assert not box.take_tree("/tmp/none", file, 1 << 20)


@pytest.fixture
def here(local: Backend) -> Iterator[Sandbox]:
    """A local sandbox with little room."""
    box = local.create(local.resolve("arena/cpp"), Limits(disk=48 << 20))
    box.start()
    yield box
    box.stop()


@pytest.mark.local
def test_local_shared_memory_is_counted_as_disk(here: Sandbox) -> None:
    assert run(here, "echo kept > /dev/shm/x; cat /dev/shm/x") == (0, "kept\n", "")
    line = "for i in 1 2 3; do head -c 40M /dev/zero > /dev/shm/$i; done; sleep 90"
    assert run(here, line)[2] == "disk"


@pytest.mark.local
def test_local_devices_can_be_used_and_not_added_to(here: Sandbox) -> None:
    line = "head -c 9 /dev/zero > /dev/null && tty -s </dev/tty; head -c 1M /dev/zero > /dev/large"
    assert "Read-only file system" in run(here, line)[1]


@pytest.mark.local
def test_local_has_no_user_namespaces_inside(here: Sandbox, local: Backend) -> None:
    if OPEN_NAMESPACES in local.not_isolated():
        lacking("bubblewrap's --disable-userns", "bubblewrap 0.8 or later")
    assert run(here, "unshare -Ur true")[0] != 0
    assert "namespace" not in " ".join(local.not_isolated())


@pytest.mark.local
def test_local_without_the_switch_says_that_user_namespaces_are_open(
    local: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends_local, "CLOSED", ("--no-such-switch",))
    backends_local.closes_namespaces.cache_clear()
    try:
        assert OPEN_NAMESPACES in local.not_isolated()
        box = local.create(local.resolve("arena/cpp"), SMALL)
        box.start()
        assert run(box, "echo works")[1] == "works\n"
        box.stop()
    finally:
        backends_local.closes_namespaces.cache_clear()


@pytest.mark.local
def test_local_empty_files_take_room(here: Sandbox) -> None:
    line = "mkdir many; cd many; seq 20000 | xargs touch; sleep 90"
    assert run(here, line)[2] == "disk"
