"""Nobody inside traces, writes to or bends what runs a command; LeakSanitizer still works."""

from __future__ import annotations

import json

import pytest

from harness.command import Command
from harness.protocols import Sandbox
from harness.sandbox import container, seccomp
from harness.sandbox.base import Backend
from tests.harness.sandbox.test_machine_faults import started

pytestmark = [pytest.mark.slow, pytest.mark.each_sandbox]
TRY = """
import ctypes, glob, os
c = ctypes.CDLL(None, use_errno=True)

def said(number):
    return os.strerror(ctypes.get_errno()) if number < 0 else "done"

for path in glob.glob("/proc/[0-9]*"):
    pid, words = int(path[6:]), open(path + "/cmdline").read()
    if "arena-ke" not in words and pid != 1:
        continue
    try:
        open(path + "/mem", "r+b")
        print(pid, "memory open")
    except PermissionError:
        print(pid, "memory closed")
    print(pid, "attach", said(c.ptrace(16, pid, 0, 0)))
child = os.fork()
if not child:
    import time
    time.sleep(3)
    os._exit(0)
print("seize", said(c.ptrace(0x4206, child, 0, 0)))
print("attach own", said(c.ptrace(16, child, 0, 0)))
os.waitpid(child, 0)
for name, request in {"text": 4, "data": 5, "user": 6, "registers": 13, "sets": 0x4205}.items():
    print("write", name, said(c.ptrace(request, child, 0, 0)))
print("write far", said(c.syscall(311, child, 0, 0, 0, 0, 0)))
print("unshare", said(c.unshare(1 << 28)))
"""
LEAK = """
#include <stdlib.h>
int main(void)
{
    void *volatile lost = malloc(33);
    lost = 0;
    return 0;
}
"""


def told(box: Sandbox) -> list[str]:
    box.put({"try.py": TRY.encode()}, "/src")
    return box.exec(Command("python3 /src/try.py; :")).output.decode().splitlines()


def test_nobody_inside_traces_or_writes_to_what_runs_a_command(box: Sandbox) -> None:
    lines = told(box)
    wrapped = [line for line in lines if line.endswith(("memory open", "memory closed"))]
    assert len(wrapped) >= 3, "the first process, timeout and its shell"
    assert all(line.endswith("memory closed") for line in wrapped)
    attached = [line for line in lines if " attach " in line]
    assert len(attached) == len(wrapped)
    assert all(line.endswith("Operation not permitted") for line in attached)


@pytest.mark.docker
def test_nobody_inside_writes_to_any_other_process(docker: Backend) -> None:
    with started(docker) as box:
        lines = told(box)
    assert "attach own done" in lines, "as LeakSanitizer does"
    refused = [line for line in lines if line.startswith(("write", "seize", "unshare"))]
    assert len(refused) == 8
    assert all(line.endswith("Operation not permitted") for line in refused)


@pytest.mark.parametrize(
    "compiler", ["clang -fsanitize=leak", "clang -fsanitize=address", "gcc -fsanitize=address"]
)
def test_leaks_are_still_found(box: Sandbox, compiler: str) -> None:
    box.put({"leak.c": LEAK.encode()}, "/src")
    line = f"cd /src && {compiler} -g leak.c -o leak && ASAN_OPTIONS=detect_leaks=1 ./leak"
    assert b"33 byte(s) leaked" in box.exec(Command(line)).output


@pytest.mark.docker
def test_where_nothing_can_be_kept_commands_run_all_the_same(
    docker: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "PROTECTED_FOLDER", "/nowhere/kept")
    with started(docker) as box:
        done = box.exec(Command("echo said"))
    assert (done.output, done.stopped) == (b"said\n", "") and done.seconds < 4


def test_a_program_is_stopped_and_ends_as_ever(box: Sandbox) -> None:
    assert box.exec(Command("sleep 9", timeout=1)).stopped == "timeout"
    assert box.exec(Command("exit 7")).status == 7


def test_the_profile_is_small_and_says_what_it_refuses() -> None:
    found = json.loads(seccomp.profile())
    named = [name for rule in found["syscalls"] for name in rule["names"]]
    assert {"process_vm_writev", "bpf", "unshare", "clone3", "io_uring_setup"} <= set(named)
    assert len(seccomp.REFUSED) == len(set(seccomp.REFUSED))
    asked = {rule["args"][0]["value"] for rule in found["syscalls"] if rule["names"] == ["ptrace"]}
    assert not asked & seccomp.TRACING
