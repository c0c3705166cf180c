"""The owner of a sandbox: labels that separate a live run's sandboxes from a dead run's."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LABEL = "io.arena"
OWNER = "io.arena.owner"
KIND = "io.arena.kind"
MAX_NOTE_BYTES = 1000


@cache
def _boot() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else "unknown"


@cache
def _namespace() -> str:
    """The namespace of processes: pids mean nothing beyond it."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - it is no path
    except OSError:
        return "unknown"


def _start_time(pid: int) -> str:
    """Start time of a process in clock ticks since boot ("" when it has ended)."""
    try:
        # Behind the last parenthesis: a program's name may hold blanks and parentheses.
        facts = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    return "" if facts[0] in (b"Z", b"X") else facts[19].decode()


def me() -> str:
    """This process as an owner: boot and pid namespace, pid, and start time, for pids are used again."""
    return f"{_boot()}@{_namespace()}/{os.getpid()}/{_start_time(os.getpid())}"


def alive(owner: str) -> bool:
    """Whether the owner that a label names still runs on this machine, as far as it can be determined.

    An owner in another pid namespace (another container on the same engine) counts as alive: it is
    not visible, and to remove a living run's sandboxes is worse than to leave a dead run's.
    """
    place, _, rest = owner.partition("/")
    boot, _, namespace = place.partition("@")
    pid, _, started = rest.partition("/")
    if boot != _boot():
        return False
    if namespace != _namespace():
        return bool(namespace)
    if not re.fullmatch(r"[0-9]{1,9}", pid):
        return False
    now = _start_time(int(pid))
    return now == started if now else _is_hidden(int(pid))


def _is_hidden(pid: int) -> bool:
    """Whether a process may run of which nothing can be read: another user's, or where there is no /proc."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return not Path("/proc/self/stat").exists()


def is_of_another_boot(owner: str) -> bool:
    """Whether the owner ran on another machine at the same engine, or here before a restart."""
    return owner.partition("/")[0].partition("@")[0] not in ("", _boot())


def is_abandoned(note: Path) -> bool:
    """Whether the owner that a file names has died. A file that is gone, empty or a stranger's says nothing.

    Others remove their folders meanwhile, or are about to write who they are; anybody can put anything there.
    """
    try:
        # Neither a link nor a pipe that someone has put there may redirect or block the cleaning.
        with os.fdopen(os.open(note, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            facts = os.fstat(file.fileno())
            ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.getuid()
            named = file.read(MAX_NOTE_BYTES).decode(errors="replace") if ours else ""
    except OSError:
        return False
    return bool(named) and not alive(named)


def labels(kind: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Labels of everything that the arena creates in an engine; `arena clean` filters by the first."""
    return {LABEL: "1", KIND: kind, OWNER: me(), **(more or {})}
