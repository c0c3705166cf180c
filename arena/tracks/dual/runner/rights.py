"""User and group of the processes of an order: as root, nobody's in a separate user namespace; as a
different user, that user's in such a namespace.
"""

from __future__ import annotations

import os

from harness.sandbox.jail import kernel
from harness.sandbox.jail.system import NOBODY

# Of the kernel's choice when memory is short (proc(5), oom_score_adj): programs go before all else.
SCORE = b"800"


class Rights:
    """`proc`: a descriptor of the host's /proc. Call `begin` before and `drop` after mounting."""

    def __init__(self, proc: int) -> None:
        self._proc = proc
        self.root = os.getuid() == 0
        self.owner = NOBODY if self.root else os.getuid()
        self.group = NOBODY if self.root else os.getgid()

    def begin(self) -> None:
        """Get the rights to make namespaces and mounts."""
        if not self.root:
            kernel.unshare(kernel.CLONE_NEWUSER)
            self._map()

    def drop(self) -> int:
        """Give up root. Returns a descriptor of the user namespace, for `join`."""
        if self.root:
            self._become_owner()
            kernel.unshare(kernel.CLONE_NEWUSER)
            self._map()
        return os.open("self/ns/user", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._proc)

    def join(self, namespace: int) -> None:
        """Give up root in another process of the order, and come into the same user namespace."""
        if self.root:
            self._become_owner()
            kernel.setns(namespace, kernel.CLONE_NEWUSER)

    def _become_owner(self) -> None:
        os.setgroups([])
        os.setresgid(self.group, self.group, self.group)
        os.setresuid(self.owner, self.owner, self.owner)
        # A change of ids makes a process undumpable, and its files in /proc, which `_map` writes, would be
        # root's.
        kernel.dumpable()

    def _map(self) -> None:
        for name, text in (
            # The kernel demands this before an unprivileged process writes `gid_map` (user_namespaces(7)).
            ("setgroups", "deny"),
            ("uid_map", f"{self.owner} {self.owner} 1"),
            ("gid_map", f"{self.group} {self.group} 1"),
        ):
            descriptor = os.open(f"self/{name}", os.O_WRONLY, dir_fd=self._proc)
            os.write(descriptor, text.encode())
            os.close(descriptor)

    def offer(self) -> None:
        """Let the kernel end this process first when memory is short; children inherit it."""
        descriptor = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=self._proc)
        os.write(descriptor, SCORE)
        os.close(descriptor)
