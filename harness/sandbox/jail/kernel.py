"""The few calls to the kernel that Python has no name for. Each raises OSError with the call's name."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_REMOUNT = 1, 32
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MNT_DETACH = 2
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _AMBIENT_CLEAR = 1, 38, 47, 4
_PR_SET_SECCOMP, _SECCOMP_FILTER = 22, 2
_CAPABILITY_VERSION = 0x20080522
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
# From 424 on the kernel gives calls the same number on every machine; `pivot_root` is older.
_MOUNT_SETATTR, _PIDFD_OPEN = 442, 434
_OPEN_TREE, _MOVE_MOUNT = 428, 429
_OPEN_TREE_CLONE, _FROM_EMPTY_PATH = 1, 4

_PR_SET_DUMPABLE = 4

_libc = ctypes.CDLL(None, use_errno=True)


def machine() -> str:
    return platform.machine()


def _check_result(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _text(value: str | None) -> bytes | None:
    return None if value is None else os.fsencode(value)


def unshare(flags: int) -> None:
    _check_result("unshare", _libc.unshare(ctypes.c_int(flags)))


def setns(descriptor: int, kind: int) -> None:
    _check_result("setns", _libc.setns(ctypes.c_int(descriptor), ctypes.c_int(kind)))


def pidfd_self() -> int:
    return _check_result("pidfd_open", _libc.syscall(_PIDFD_OPEN, os.getpid(), 0))


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    arguments = (_text(source), _text(target), _text(kind), ctypes.c_ulong(flags), _text(data))
    _check_result(f"mount {target}", _libc.mount(*arguments))


def unmount(target: str) -> None:
    _check_result(f"umount {target}", _libc.umount2(_text(target), MNT_DETACH))


def read_only(target: str, devices: bool = False) -> None:
    """Make a mount and all below it read-only, without set-uid and (but for `devices`) without devices."""
    wanted = ATTR_RDONLY | ATTR_NOSUID | (0 if devices else ATTR_NODEV)
    attributes = struct.pack("=QQQQ", wanted, 0, 0, 0)
    done = _libc.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, _text(target), _AT_RECURSIVE, attributes, len(attributes)
    )
    _check_result(f"mount_setattr {target}", done)


def lift(path: str) -> int:
    """A copy of the mounts at and below `path`, by a descriptor, to be put somewhere."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    return _check_result(
        f"open_tree {path}", _libc.syscall(_OPEN_TREE, _AT_FDCWD, _text(path), flags)
    )


def put(tree: int, path: str) -> None:
    """Mount what was lifted at `path`, and close the descriptor."""
    done = _libc.syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, _text(path), _FROM_EMPTY_PATH)
    os.close(tree)
    _check_result(f"move_mount {path}", done)


def remount_read_only(target: str) -> None:
    """Make a mount (nothing below it) read-only."""
    mount(None, target, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def dumpable(allowed: bool = True) -> None:
    """Make this process the owner of its files in /proc, also as another uid; or hide them from all."""
    _check_result("prctl", _libc.prctl(_PR_SET_DUMPABLE, int(allowed), 0, 0, 0))


def pivot_root(new: str, old: str) -> None:
    number = _PIVOT_ROOT[machine()]
    _check_result("pivot_root", _libc.syscall(number, _text(new), _text(old)))


def die_with_parent(signal_number: int) -> None:
    _check_result("prctl", _libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0))


def no_new_privileges() -> None:
    _check_result("prctl", _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def drop_capabilities() -> None:
    """Give up every capability, for good where no_new_privileges is set."""
    _check_result("prctl", _libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0))
    head = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _check_result("capset", _libc.capset(head, bytes(24)))


def filter_calls(program: bytes) -> None:
    """Put a seccomp filter (a classic BPF program of 8-byte instructions) in force for this process."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _check_result("prctl", _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, head, 0, 0))
