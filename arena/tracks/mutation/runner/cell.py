"""Where a warm worker lives: namespaces with a separate root, read-only but for its scratch folder.

As root the cell's mounts are created with root's rights and everything after that runs as nobody; as a
normal user all is created inside a user namespace. Nothing of the host is in it but system folders, the
Python that runs, and of this project the files of the worker itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from harness.sandbox.jail import kernel
from harness.sandbox.jail.system import DEVICES, ETC, MOUNT_POINTS, NOBODY, SYSTEM, outermost

PACKAGES = ("arena/tracks/mutation/runner", "harness", "parsers")
SCRATCH = "/tmp"  # noqa: S108 - inside the cell


class Folder:
    """The folder of runs, at the same path in each run of a worker."""

    def __init__(self, isolated: bool) -> None:
        self._isolated = isolated
        place = Path(SCRATCH) if isolated else Path(tempfile.mkdtemp(prefix="arena-testbed-"))
        self.path = place / "run"
        self.path.mkdir(exist_ok=True)

    def fresh(self) -> None:
        """Empty it, where runs have no private mount."""
        if not self._isolated:
            shutil.rmtree(self.path, ignore_errors=True)
            self.path.mkdir(exist_ok=True)

    def remove(self) -> None:
        if not self._isolated:
            shutil.rmtree(self.path.parent, ignore_errors=True)


def project() -> Path:
    """The folder that holds this project's packages."""
    return Path(__file__).resolve().parents[4]


def visible_paths() -> list[str]:
    """The folders of the host that a worker sees, those that hold others first."""
    wanted = [*SYSTEM, sys.prefix, sys.base_prefix, str(Path(sys.executable).parent)]
    wanted += [p for p in sys.path if p and Path(p).is_dir() and Path(p) != project()]
    wanted += [str(project() / name) for name in PACKAGES]
    return outermost(wanted)


def visible_below(place: str) -> list[str]:
    """The folders that a worker sees and that are below `place`."""
    return [
        path for path in visible_paths() if path.startswith(place + "/") and Path(path).is_dir()
    ]


def enter() -> int:
    """Move this process (and what it forks) into a new cell; gives a descriptor of the host's /proc.

    The process that called goes on outside and ends with its child's status; the child returns from here as
    process 1. Raises OSError naming the call that the kernel refused.
    """
    # Opened before the new root, which has no /proc: the maps of users can be written only there.
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
    uid, gid = os.getuid(), os.getgid()
    inner = kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
    if uid == 0:
        kernel.unshare(kernel.CLONE_NEWNS)
        _build()
        # Before the ids change, which ends the right to do it.
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        # A change of ids makes a process undumpable, and root then owns its files in /proc, the maps too.
        kernel.dumpable()
        kernel.unshare(kernel.CLONE_NEWUSER)
        _map(proc, NOBODY, NOBODY)
        kernel.unshare(inner | kernel.CLONE_NEWNS)
    else:
        kernel.unshare(kernel.CLONE_NEWUSER)
        _map(proc, uid, gid)
        kernel.unshare(inner | kernel.CLONE_NEWNS)
        _build()
    _become_first()
    return proc


def _map(proc: int, uid: int, gid: int) -> None:
    for name, text in (
        # The kernel lets an unprivileged process map its group only once `setgroups` is denied.
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        descriptor = os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc)
        os.write(descriptor, text.encode())
        os.close(descriptor)


def _become_first() -> None:
    """Continue as process 1 of the new pid namespace; the parent waits, and ends as that process does."""
    kernel.die_with_parent(signal.SIGKILL)
    child = os.fork()
    if child:
        os.closerange(0, 2)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    kernel.die_with_parent(signal.SIGKILL)


def _build() -> None:
    """Build a new root on a tmpfs, then drop the old root."""
    # Private first, or the mounts would show on the host.
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    plain = kernel.MS_NOSUID | kernel.MS_NODEV
    root = next(p for p in MOUNT_POINTS if p.is_dir())
    kernel.mount("tmpfs", str(root), "tmpfs", plain, "size=1m,mode=0755")
    (root / SCRATCH[1:]).mkdir()
    kernel.mount("tmpfs", str(root) + SCRATCH, "tmpfs", plain, "size=16m,mode=0777")
    for path in visible_paths():  # some may lie below the scratch folder: a checkout in /tmp
        _mount(root, path)
    for name in DEVICES:
        _bind(f"/dev/{name}", root / "dev" / name, devices=True)
    (root / "dev/shm").symlink_to(SCRATCH)
    (root / "etc").mkdir(exist_ok=True)
    for name, text in ETC.items():
        (root / "etc" / name).write_text(text)
    for name in ("old", "proc", "root", "home"):
        (root / name).mkdir(exist_ok=True)
    os.chdir(root)
    # `pivot_root` and not `chroot`, which a process with a descriptor of the outside can leave.
    kernel.pivot_root(".", "old")
    os.chdir("/")
    kernel.unmount("/old")
    kernel.remount_read_only("/")


def _mount(root: Path, path: str) -> None:
    source, target = Path(path), root / path[1:]
    if source.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source.readlink())
    else:
        _bind(path, target, devices=False)


def _bind(source: str, target: Path, devices: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if Path(source).is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    kernel.mount(source, str(target), None, kernel.MS_BIND | kernel.MS_REC)
    kernel.read_only(str(target), devices)
