"""The filter of system calls that a run lives under: what it refuses, and the BPF program that says so.

Numbers are those of the kernel's tables (arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h). Refused calls fail with EPERM; `clone3` with ENOSYS, so that the C library
falls back to `clone`, whose flags a filter can see.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Sequence

# Calls whose number is the same on every machine.
_SHARED = {
    "pidfd_getfd": 438,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "process_mrelease": 448,
    "lsm_set_self_attr": 460,
    "open_tree_attr": 467,
}

_X86_64 = {
    "shmget": 29,
    "shmat": 30,
    "shmctl": 31,
    "shmdt": 67,
    "execve": 59,
    "semget": 64,
    "semop": 65,
    "semctl": 66,
    "msgget": 68,
    "msgsnd": 69,
    "msgrcv": 70,
    "msgctl": 71,
    "ptrace": 101,
    "syslog": 103,
    "mknod": 133,
    "uselib": 134,
    "personality": 135,
    "vhangup": 153,
    "modify_ldt": 154,
    "pivot_root": 155,
    "adjtimex": 159,
    "chroot": 161,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "sethostname": 170,
    "setdomainname": 171,
    "iopl": 172,
    "ioperm": 173,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "semtimedop": 220,
    "clock_settime": 227,
    "mq_open": 240,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "mknodat": 259,
    "unshare": 272,
    "move_pages": 279,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "memfd_create": 319,
    "kexec_file_load": 320,
    "bpf": 321,
    "execveat": 322,
    "userfaultfd": 323,
}
_AARCH64 = {
    "mknodat": 33,
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "chroot": 51,
    "vhangup": 58,
    "quotactl": 60,
    "acct": 89,
    "personality": 92,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "delete_module": 106,
    "clock_settime": 112,
    "syslog": 116,
    "ptrace": 117,
    "reboot": 142,
    "sethostname": 161,
    "setdomainname": 162,
    "settimeofday": 170,
    "adjtimex": 171,
    "mq_open": 180,
    "msgget": 186,
    "msgctl": 187,
    "msgrcv": 188,
    "msgsnd": 189,
    "semget": 190,
    "semctl": 191,
    "semtimedop": 192,
    "semop": 193,
    "shmget": 194,
    "shmctl": 195,
    "shmat": 196,
    "shmdt": 197,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "execve": 221,
    "swapon": 224,
    "swapoff": 225,
    "migrate_pages": 238,
    "move_pages": 239,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "name_to_handle_at": 264,
    "open_by_handle_at": 265,
    "clock_adjtime": 266,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "memfd_create": 279,
    "bpf": 280,
    "execveat": 281,
    "userfaultfd": 282,
    "kexec_file_load": 294,
}
_CLONE3 = 435
MACHINES = {
    "x86_64": (0xC000003E, _X86_64, {"socket": 41, "clone": 56}),
    "aarch64": (0xC00000B7, _AARCH64, {"socket": 198, "clone": 220}),
}
# As in `harness.sandbox.seccomp`: six flags from bit 25 on, mounts (bit 17) and time (bit 7).
_NEW_NAMESPACES = 0x7E020000 | 0x00000080
_AF_UNIX = 1
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _ARCH_AT, _ARGUMENT_AT = 0, 4, 16


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _ERRNO | number)


def program(
    machine: str, allowed: Iterable[str] = (), families: Sequence[int] = (_AF_UNIX,)
) -> bytes:
    """The filter as classic BPF, 8 bytes a step.

    `allowed`: names of refused calls that are allowed all the same; `families`: of sockets. Raises KeyError
    for a machine without a table, or a name that no table has.
    """
    arch, _, looked_at = MACHINES[machine]
    numbers = refused_calls(machine)
    for name in allowed:
        if not any(name in table for _, table, _ in MACHINES.values()):
            raise KeyError(name)
        numbers.pop(name, None)
    steps = [
        _step(_LOAD, _ARCH_AT),
        # A 32-bit program on a 64-bit kernel has different numbers for the same calls: it is killed.
        _step(_EQUAL, arch, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        # x32 numbers name the same calls again, and would pass by a table of the usual numbers.
        _step(_AT_LEAST, _X32, 0, 1),
        _refuse(errno.EPERM),
        _step(_EQUAL, _CLONE3, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for number in sorted(numbers.values()):
        steps += [_step(_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    left = range(len(families) - 1, -1, -1)
    steps += [
        _step(_EQUAL, looked_at["socket"], 0, len(families) + 3),
        _step(_LOAD, _ARGUMENT_AT),
        *(
            _step(_EQUAL, family, to_go + 1, 0)
            for family, to_go in zip(families, left, strict=True)
        ),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
        _step(_EQUAL, looked_at["clone"], 0, 3),
        _step(_LOAD, _ARGUMENT_AT),
        _step(_ANY, _NEW_NAMESPACES, 0, 1),
        _refuse(errno.EPERM),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def refused_calls(machine: str) -> dict[str, int]:
    """Names and numbers of the calls that are refused whatever their arguments."""
    return {**_SHARED, **MACHINES[machine][1]}
