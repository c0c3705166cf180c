"""Names of files and folders in a jail, and where an order may put files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from arena.tracks.dual.runner import hooks
from arena.tracks.dual.runner.drivers import AT
from arena.tracks.dual.runner.order import SINK, Order
from harness.sandbox.jail.system import ETC as _ETC
from harness.sandbox.jail.system import SYSTEM, outermost

TMP = "/tmp"  # noqa: S108 - inside the jail
ARENA = "/run/arena"
EVENT_PIPE, COVERAGE = hooks.EVENT_PIPE, hooks.COVERAGE
BIN = "/opt/arena/bin"
# Where a suite that is code has its files; the program has an empty folder there.
SUITE = "/run/arena/suite"
DRIVERS = AT
OWN_DRIVERS = Path(__file__).resolve().parent / "drivers"
# Top folders that no program may write in.
READ_ONLY_FOLDERS = frozenset(
    {"bin", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "run", "sbin", "sys", "usr"}
)
# What is in /etc but for what an order puts there.
ETC = {
    **_ETC,
    "hostname": "stand\n",
    "hosts": "127.0.0.1 localhost stand\n::1 localhost\n",
    "resolv.conf": f"nameserver {SINK}\noptions timeout:2 attempts:1\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "shells": "/bin/sh\n",
    "services": "http 80/tcp\nhttps 443/tcp\nssh 22/tcp\nsmtp 25/tcp\ndomain 53/udp\n",
    "protocols": "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
}
# What the names of coverage files and of covered ones begin with, among those that are fetched.
RAW, COVERED = "raw:", "covered:"
# What `why` ends with where the clock ended something; CPU time is not the clock's.
TIME_OVER = "s of time are over"
USERS = "/etc/passwd"


def top(path: str) -> str:
    """The first folder of an absolute path."""
    return path.split("/", 2)[1]


def visible_paths() -> list[str]:
    """The files and folders of the host that a program sees: the system's, and the Python that runs us."""
    wanted = [*SYSTEM, sys.prefix, sys.base_prefix, str(Path(sys.executable).parent)]
    return outermost(wanted)


def search_path() -> str:
    folders = [BIN, str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
    return ":".join(folders)


def writable(order: Order) -> list[str]:
    """The top folders that the program may write in; their content is recorded before and after.

    A file directly in the root needs none: there no program may write.
    """
    folders = [order.folder, *order.watched, *(c.target for c in order.copies)]
    files = [path for path in (*order.files, *order.links, *order.secrets) if path.count("/") > 1]
    return sorted({top(TMP), *map(top, (*folders, *files))} - READ_ONLY_FOLDERS)


def database(order: Order, name: str) -> str:
    """The path of a database that an order names."""
    return name if name.startswith("/") else f"{order.folder}/{name}"


def ours(order: Order, command: str) -> bool:
    """Whether a command is the machine's, and no file that the program may have created or removed."""
    if "/" not in command:
        return True
    path = os.path.normpath(f"{order.folder}/{command}" if command[0] != "/" else command)
    within = any(path == s or path.startswith(f"{s}/") for s in visible_paths())
    return within or top(path) not in writable(order)


def environment(order: Order, variables: Mapping[str, str], hooked: bool = True) -> dict[str, str]:
    """The environment variables of a program of an order; none of them come from the host.

    `variables`: what the step adds. hooked: the program under test, with the order's variables and hooks.
    Raises ValueError for an unknown hook set.
    """
    wanted = {**order.env, **variables} if hooked else dict(variables)
    defaults = {
        "PATH": search_path(),
        "HOME": "/srv/home",
        "TMPDIR": TMP,
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        # The order of sets of texts, and all that follows from it, would otherwise differ from run to run.
        "PYTHONHASHSEED": "0",
        # What a program wrote before it was killed is part of the observation.
        "PYTHONUNBUFFERED": "1",
        "ARENA_SEEN": EVENT_PIPE,
    }
    if not hooked:
        return {**defaults, **wanted}
    added = hooks.environment(
        order.hooks, seed=order.seed, coverage=order.coverage, variables=wanted
    )
    # Ours last: the step's variables are joined into them already, and cannot switch the hooks off.
    return {**defaults, **wanted, **added}
