"""Programs that want out, more, or to be somebody else. Each does as little as shows the point."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import pytest

from arena.tracks.dual.runner import Copy
from arena.tracks.dual.runner.observation import ProcessEnded
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.orders import HANDLER, QUICK, running, serving

BOMB = """
import os, time
made = 0
for _ in range(500):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        time.sleep(5)
        os._exit(0)
    made += 1
print(made)
"""


def test_a_fork_bomb_meets_the_limit_and_ends_with_the_order(runner: ProgramRunner) -> None:
    began = time.monotonic()
    seen = runner.run(running(BOMB, limits=dataclasses.replace(QUICK, processes=20)))
    assert 10 <= int(seen.stdout) <= 20 and time.monotonic() - began < 15
    assert runner.run(running("print(1)")).stdout == "1\n"


KILLS = """
import os, signal
for pid in [os.getppid(), 1, -1, *(int(n) for n in os.listdir("/proc") if n.isdigit())]:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGKILL, signal.SIGSTOP):
        if pid in (os.getpid(), 0):
            continue
        try:
            os.kill(pid, number)
        except OSError:
            pass
print("alive")
"""


def test_nothing_that_it_can_signal_is_ours(runner: ProgramRunner) -> None:
    seen = runner.run(running(KILLS, {}, {}))
    assert [s.ended for s in seen.steps] == [ProcessEnded.OK] * 2, seen.why
    assert seen.stdout == "alive\nalive\n"


LOOKS = """
import os
found = [n for n in os.listdir("/proc") if n.isdigit() and int(n) != os.getpid()]
print("others", len(found))
for name in ("environ", "mem", "maps", "fd", "root", "cwd", "cmdline", "ns/mnt"):
    path = f"/proc/1/{name}"
    try:
        os.listdir(path) if name == "fd" else os.open(path, os.O_RDONLY)
        print("opened", path)
    except OSError:
        pass
for path in ("/srv/../old", "/old", "/.disk", "/root/.ssh", "/var/run/docker.sock", "/home", "/dev/vda", "/dev/mem"):
    if os.path.exists(path):
        print("there is", path)
print("fds", sorted(int(n) for n in os.listdir("/proc/self/fd"))[:3], len(os.listdir("/proc/self/fd")))
"""


def test_it_sees_nobody_but_itself(runner: ProgramRunner) -> None:
    seen = runner.run(running(LOOKS))
    assert seen.stdout == "others 0\nfds [0, 1, 2] 4\n", seen.stderr


def test_this_project_is_not_in_the_place(runner: ProgramRunner) -> None:
    """Neither the packages, nor what another candidate or an expected value could be read from."""
    root = Path(__file__).resolve().parents[4]
    program = f"""
        import os
        print([n for n in ("harness", "arena", "tests", "tasks", "parsers") if os.path.exists("{root}/" + n)])
        try:
            import harness
        except ImportError:
            print("none")
    """
    assert runner.run(running(program)).stdout == "[]\nnone\n"


CALLS = """
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, done):
    print(name, errno.errorcode.get(ctypes.get_errno(), "") if done < 0 else "done")
tried("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
tried("umount", libc.umount2(b"/proc", 2))
tried("ptrace", libc.ptrace(16, 1, 0, 0))
tried("unshare", libc.unshare(0x10000000))
tried("setns", libc.setns(0, 0))
tried("memfd", libc.memfd_create(b"x", 0))
tried("setuid", libc.setuid(0))
tried("keyctl", libc.syscall(250, 0, 0, 0, 0, 0))
tried("bpf", libc.syscall(321, 0, 0, 0))
for family in (socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK):
    try:
        socket.socket(family, socket.SOCK_RAW)
        print("socket", family)
    except OSError:
        pass
for path in ("/etc/x", "/x", "/opt/arena/bin/x", "/run/arena/x", "/proc/sys/kernel/hostname", "/usr/x"):
    try:
        open(path, "w")
        print("wrote", path)
    except OSError:
        pass
try:
    os.mknod("/tmp/disk", 0o600 | 0o060000, os.makedev(254, 0))
    print("made a device")
except OSError:
    pass
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system calls by number")
def test_calls_to_the_kernel_that_no_program_needs(runner: ProgramRunner) -> None:
    lines = runner.run(running(CALLS)).stdout.splitlines()
    names = ("mount", "umount", "ptrace", "unshare", "setns", "memfd", "setuid", "keyctl", "bpf")
    assert [line.split()[0] for line in lines] == list(names)
    assert {line.split()[1] for line in lines} <= {"EPERM", "EINVAL"}, lines


def test_the_disk_is_small(runner: ProgramRunner) -> None:
    program = """
        import os
        def fill(path):
            written = 0
            try:
                with open(path, "wb", buffering=0) as file:
                    for _ in range(64):
                        written += file.write(b"x" * (1 << 20))
            except OSError as error:
                print(error.strerror)
            return written
        total = sum(fill(f"{folder}/{n}") for folder in ("/srv/app", "/tmp", "/dev/shm") for n in "ab")
        print(total >> 20)
        many = 0
        try:
            for many in range(40_000):
                os.mkdir(f"/tmp/{many}")
        except OSError:
            print("no more")
    """
    seen = runner.run(running(program, limits=dataclasses.replace(QUICK, disk=4 << 20)))
    lines = seen.stdout.splitlines()
    assert int(lines[-2]) <= 4 and lines[-1] == "no more", seen.stderr
    assert len(seen.after) <= 10_000 + 1


SPOILED = {
    "gone": "import os, shutil\nshutil.rmtree('/srv/app')",
    "a link": "import os, shutil\nshutil.rmtree('/srv/app'); os.symlink('/etc', '/srv/app')",
    "a pipe": "import os\nos.mkfifo('/srv/app/pipe'); os.mkfifo('/tmp/p')",
    "a hole": "f = open('/srv/app/hole', 'wb')\nf.truncate(60 << 20)\nf.close()",
    "a vast hole": "f = open('/srv/app/hole', 'wb')\nf.truncate(10 << 30)",
    "a loop": "import os\nos.symlink('loop', '/srv/app/loop'); os.symlink('/', '/srv/app/root')",
    "closed": "import os\nos.mkdir('shut'); open('shut/f', 'w').write('x'); os.chmod('shut', 0)",
    "deep": "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')",
    "odd names": "open(b'/srv/app/\\xff\\n', 'w').write('x')",
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_tree_that_was_made_to_hurt(runner: ProgramRunner, name: str) -> None:
    began = time.monotonic()
    seen = runner.run(running(SPOILED[name]))
    assert seen.ended is ProcessEnded.OK and time.monotonic() - began < 15
    assert not any(path.startswith(("/etc", "/srv/app/root/", "/usr")) for path in seen.after)
    expected = {
        "gone": lambda: "/srv/app" not in seen.after,
        "a link": lambda: (
            (seen.after["/srv/app"].kind, seen.after["/srv/app"].target) == ("link", "/etc")
        ),
        "a pipe": lambda: {seen.after[p].kind for p in ("/srv/app/pipe", "/tmp/p")} == {"other"},
        "a hole": lambda: seen.after["/srv/app/hole"].size == 60 << 20,
        "a vast hole": lambda: "File too large" in seen.stderr,
        "a loop": lambda: seen.after["/srv/app/root"].target == "/",
        "closed": lambda: seen.after["/srv/app/shut/f"].content == "x",
        "deep": lambda: "/srv/app/d/d/d" in seen.after,
        "odd names": lambda: "/srv/app/\udcff\n" in seen.after,
    }
    assert expected[name](), seen.stderr


def test_a_folder_that_is_gone_ends_no_order(runner: ProgramRunner) -> None:
    seen = runner.run(running("import shutil; shutil.rmtree('/srv/app')", {}, {}))
    assert [s.ended for s in seen.steps] == [ProcessEnded.OK, ProcessEnded.NO_START]
    assert seen.steps[1].text.startswith("cannot go to /srv/app: ")


def test_links_of_a_fixture_are_not_followed(runner: ProgramRunner, tmp_path: Path) -> None:
    """Neither when it is copied, nor when something is put below it."""
    (tmp_path / "host.txt").write_text("of the host")
    fixture = tmp_path / "fixture"
    fixture.mkdir()
    (fixture / "out").symlink_to(tmp_path)
    (fixture / "file").symlink_to(tmp_path / "host.txt")
    os.mkfifo(fixture / "pipe")
    order = running(
        "import os; print(os.path.exists('data/file'), os.readlink('data/file'))",
        copies=(Copy(str(fixture), "/srv/app/data"),),
        files={"/srv/app/data/file": b"put"},
    )
    seen = runner.run(order)
    assert seen.stdout.startswith("True") is False and "host.txt" not in str(seen.after.keys())
    assert (tmp_path / "host.txt").read_text() == "of the host"
    assert seen.before["/srv/app/data/file"].kind == "file"
    assert "/srv/app/data/pipe" not in seen.before


def test_a_link_of_a_fixture_does_not_lead_to_the_host(
    runner: ProgramRunner, tmp_path: Path
) -> None:
    """While a place is made, the host's root lies in it: what is put below a link must not reach it."""
    fixture, outside = tmp_path / "fixture", tmp_path / "outside"
    fixture.mkdir()
    outside.mkdir()
    (fixture / "way").symlink_to(f"/old{outside}")
    copies = (Copy(str(fixture), "/srv/app/data"),)
    with pytest.raises(ValueError, match=r"cannot be put in its place: .*Read-only"):
        runner.run(running("pass", copies=copies, files={"/srv/app/data/way/f": b"x"}))
    assert list(outside.iterdir()) == []
    assert runner.run(running("pass", copies=copies)).ended is ProcessEnded.OK


def test_what_the_pipe_of_hooks_is_told(runner: ProgramRunner) -> None:
    """Rubbish and floods hide no canary, and cost no more than time."""
    program = """
        import json, os, subprocess
        pipe = os.open(os.environ["ARENA_SEEN"], os.O_WRONLY)
        os.write(pipe, b"rubbish without an end")
        subprocess.run(["canary", "one"])
        for _ in range(300):
            os.write(pipe, b"x" * 4000)
        os.write(pipe, b"\\n\\x01canary\\x0099\\x00")
        os.write(pipe, b"\\n" + json.dumps({"kind": "k", "what": "w"}).encode() + b"\\n")
        for _ in range(3000):
            os.write(pipe, b'{"kind": "many"}\\n')
        subprocess.run(["canary", "two"])
    """
    seen = runner.run(running(program))
    assert seen.canaries == (("canary", "one"), ("canary", "two"))
    assert 1 <= len(seen.calls) <= 2000 and seen.ended is ProcessEnded.OK


def test_a_program_may_not_read_the_pipe_of_hooks_empty(runner: ProgramRunner) -> None:
    program = """
        import os, subprocess
        try:
            os.open(os.environ["ARENA_SEEN"], os.O_RDONLY | os.O_NONBLOCK)
            print("opened")
        except OSError as error:
            print(type(error).__name__)
        subprocess.run(["canary"])
    """
    seen = runner.run(running(program))
    assert (seen.stdout, seen.canaries) == ("PermissionError\n", (("canary",),))


def test_a_service_that_ignores_its_end(runner: ProgramRunner) -> None:
    program = HANDLER + (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "Handler.do_GET = lambda self: self.say('x')\nserve(Handler)"
    )
    began = time.monotonic()
    seen = runner.run(serving(program, {"path": "/"}))
    assert seen.ended is ProcessEnded.OK and time.monotonic() - began < 15


def test_a_program_that_shuts_itself_off_from_looks(runner: ProgramRunner) -> None:
    """A process can hide its memory from others of its user, not from the supervisor."""
    program = """
        import ctypes, time
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        x = b"x" * (200 << 20)
        time.sleep(60)
    """
    seen = runner.run(running(program, limits=dataclasses.replace(QUICK, memory=100 << 20)))
    assert seen.ended is ProcessEnded.MEMORY
