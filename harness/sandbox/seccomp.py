"""The system calls that a container is refused: for keepers of machines, and on processes of others.

A list of what is refused and not of what is allowed, which an engine asks for as a whole; every capability is
dropped beside it. LeakSanitizer stops its threads by `ptrace` and reads their registers: this is left.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

EPERM, ENOSYS = 1, 38
# EPERM and no kill of the process: programs of honest projects try some of these and go on without.
REFUSED = (
    *("acct", "add_key", "bpf", "chroot", "clock_adjtime", "clock_adjtime64", "clock_settime"),
    *(
        "clock_settime64",
        "create_module",
        "delete_module",
        "fanotify_init",
        "finit_module",
        "fsconfig",
    ),
    *("fsmount", "fsopen", "fspick", "get_kernel_syms", "init_module", "io_uring_enter"),
    *(
        "io_uring_register",
        "io_uring_setup",
        "ioperm",
        "iopl",
        "kcmp",
        "kexec_file_load",
        "kexec_load",
    ),
    *("keyctl", "listmount", "listns", "lookup_dcookie", "lsm_set_self_attr", "migrate_pages"),
    *(
        "mount",
        "mount_setattr",
        "move_mount",
        "move_pages",
        "name_to_handle_at",
        "nfsservctl",
        "open_by_handle_at",
    ),
    *(
        "open_tree",
        "open_tree_attr",
        "perf_event_open",
        "pidfd_getfd",
        "pivot_root",
        "process_madvise",
    ),
    *(
        "process_vm_writev",
        "query_module",
        "quotactl",
        "quotactl_fd",
        "reboot",
        "request_key",
        "setdomainname",
    ),
    *(
        "sethostname",
        "setns",
        "settimeofday",
        "statmount",
        "stime",
        "swapoff",
        "swapon",
        "syslog",
        "_sysctl",
    ),
    *(
        "sysfs",
        "umount",
        "umount2",
        "unshare",
        "uselib",
        "userfaultfd",
        "ustat",
        "vhangup",
        "vm86",
        "vm86old",
    ),
)
# Flags of `clone`: time, mounts, cgroups, names, messages, users, processes, network.
NEW_NAMESPACES = (1 << 7, 1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)
# Sockets to the kernel's ciphers and to the machine's host.
FAMILIES = (38, 40)
# Requests of `ptrace` that are left: to peek, to go on, to read registers, to attach and to detach.
TRACING = frozenset({1, 2, 3, 7, 12, 14, 16, 17, 0x4202, 0x4204})
MACHINES = (
    ("SCMP_ARCH_X86_64", ("SCMP_ARCH_X86", "SCMP_ARCH_X32")),
    ("SCMP_ARCH_AARCH64", ("SCMP_ARCH_ARM",)),
)


def profile() -> str:
    """The profile as an engine takes it."""
    rules = [_refuse(REFUSED), _refuse(["clone3"], errno=ENOSYS)]  # its flags cannot be seen
    rules += [_refuse(["clone"], 0, "MASKED_EQ", flag, flag) for flag in NEW_NAMESPACES]
    rules += [_refuse(["socket"], 0, "EQ", family) for family in FAMILIES]
    # Filters know no "none of these": each number that is not left is refused by a rule.
    refused_requests = {*range(64), *range(0x4200, 0x4220)} - TRACING
    rules += [_refuse(["ptrace"], 0, "EQ", request) for request in sorted(refused_requests)]
    rules += [_refuse(["ptrace"], 0, "GT", 0x421F)]
    rules += [_refuse(["prlimit64"], 0, "NE", 0)]  # limits of a process other than the caller
    machines = [{"architecture": name, "subArchitectures": list(more)} for name, more in MACHINES]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "archMap": machines, "syscalls": rules})


def _refuse(
    names: Iterable[str],
    index: int | None = None,
    op: str = "",
    value: int = 0,
    second: int = 0,
    errno: int = EPERM,
) -> dict[str, Any]:
    """A rule: these calls are refused, with `index` only for that value of the argument."""
    args = [{"index": index, "value": value, "valueTwo": second, "op": f"SCMP_CMP_{op}"}]
    return {
        "names": list(names),
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": errno,
        "args": [] if index is None else args,
    }
