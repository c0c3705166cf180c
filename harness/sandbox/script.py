"""The shell wrapper that both sandboxes put around a command, and its report on the machine."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass

from harness.command import MIB, Command
from harness.sandbox.base import SandboxDied

# Exit status where the folder that a command runs in is not there.
NO_WORKDIR_STATUS = 126
# Seconds between TERM and KILL inside, and then between the inside timeout and the outside one.
GRACE_S = 5

# Where the kernel counts what it killed for memory, and says whether the sandbox's limit was met.
#
# In cgroups version 1 (the first three) and 2.
COUNTERS = (
    "/sys/fs/cgroup/memory/memory.oom_control",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory/memory.max_usage_in_bytes",
    "/sys/fs/cgroup/memory.events",
)

# What a shell's `times` prints, in a line for itself and one for its children: user and system time.
TIMES = re.compile(rb"^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$", re.MULTILINE)
TIMEOUT_STATUSES = frozenset({124, 137})
BEGAN, ENDED = b"arena-began", b"arena-ended"
# Of its limit: who used less was not killed for it.
FULL_SHARE = 0.9
# Bytes that a disk must have free: with less, whatever fails may have failed for that.
MIN_FREE_BYTES = 64 * MIB
# Seconds by which a look comes late where the machine, or our process, stood still meanwhile.
STANDSTILL_S = 5.0


# Writes the kernel's counts to stderr, and starts no program for it.
LOOK = (
    f"look() {{ for counts in {' '.join(COUNTERS)}; do [ ! -r $counts ] || while read -r name number; do "
    'case $name in oom | oom_kill | [0-9]*) echo "$counts:$name${number:+ $number}" >&2 ;; esac; '
    "done <$counts; done; }"
)
FREE = "df -Pk /tmp </dev/null >&2 2>/dev/null"


def shell_setup(protected_folder: str) -> str:
    """What a shell runs before the first `command_script`.

    protected_folder: a folder with `sh` and `timeout` that may be run and not be read: the kernel lets no
    process of the same user trace such a program or write to its memory.
    """
    return f"at=; [ ! -x {protected_folder}/timeout ] || at={protected_folder}/; {LOOK}"


def command_script(command: Command, file_limit: int) -> str:
    """Run `command.line` under its inside timeout in a shell that goes on, and end whatever is left of it.

    `kill -9 -1` reaches every process of the sandbox but the shell that calls it and the first process.
    The shell (not the command, whose stderr goes to stdout) reports on stderr that it began, what the kernel
    counts before and after, its processor time, and the free space of the disk.
    """
    variables = "".join(f" {shlex.quote(f'{n}={v}')}" for n, v in command.env.items())
    env = f"env{variables} " if variables else ""
    return (
        f"echo {BEGAN.decode()} >&2; look; times >&2\n"
        f"( cd -- {shlex.quote(command.workdir)} 2>&1 || exit {NO_WORKDIR_STATUS}; "
        f"{_file_limits(file_limit)}; exec {env}{_with_timeout(command)} )\n"
        "status=$?; kill -9 -1 2>/dev/null\n"
        f"echo {ENDED.decode()} >&2; look; times >&2; {FREE}\n"
        "(exit $status)"
    )


def wrap(command: Command, file_limit: int, protected_folder: str) -> list[str]:
    """argv that does the same in a separate shell, with the status of the command."""
    script = (
        f"{shell_setup(protected_folder)}; echo {BEGAN.decode()} >&2; look; {_file_limits(file_limit)}; "
        f"{_with_timeout(command)}; "
        "status=$?; trap 'exit $status' EXIT; kill -9 -1 2>/dev/null; "
        f"echo {ENDED.decode()} >&2; look; times >&2; {FREE}; exit $status"
    )
    protected_shell = f'[ -x {protected_folder}/sh ] && exec {protected_folder}/sh -c "$0"'
    return ["sh", "-c", f'{protected_shell}; exec sh -c "$0"', script]


def _file_limits(file_limit: int) -> str:
    """No core files, and files of so many bytes (`ulimit -f` counts blocks of 512)."""
    return f"ulimit -c 0; ulimit -f {max(1, file_limit // 512)}"


def _with_timeout(command: Command) -> str:
    return (
        f"${{at}}timeout -k {GRACE_S} {command.timeout:g} "
        f"${{at}}sh -c {shlex.quote(command.line)} </dev/null 2>&1"
    )


def timed_out(status: int, started: float, timeout: float) -> bool:
    """Whether `status` after `time.monotonic() - started` seconds is the inside timeout's doing."""
    # The status alone says nothing, since any program can end with 124.
    return status in TIMEOUT_STATUSES and time.monotonic() - started >= timeout


def stood_still(lost: float, timeout: float) -> bool:
    """Whether a timeout of `timeout` seconds may be due to `lost` seconds in which nothing of ours ran."""
    return lost >= max(STANDSTILL_S, timeout / 10)


@dataclass(frozen=True)
class Memory:
    """The kernel's counts: processes killed for memory, how often the sandbox's limit was met.

    Where the latter is not counted, `full` says whether the limit was ever all but used up.
    """

    kills: int = 0
    met: int | None = None
    full: bool = True

    def since(self, before: Memory) -> str:
        """Who had too little memory since then: "sandbox", "machine", or "" when nothing was killed."""
        if self.kills <= before.kills:
            return ""
        was_full = self.full if self.met is None else self.met > (before.met or 0)
        return "sandbox" if was_full else "machine"


@dataclass(frozen=True)
class Note:
    """The report of the wrapper: whether it began and ended, the counts then, free bytes on disk, and seconds
    of processor time."""

    began: bool
    ended: bool
    before: Memory
    after: Memory
    free: int | None
    cpu: float = 0.0

    @property
    def short(self) -> str:
        """Who had too little memory under the command, see `Memory.since`."""
        return self.after.since(self.before)


def read_note(stderr: bytes) -> Note:
    """What the wrapper wrote to stderr; nothing in it is required."""
    _, ended, end = stderr.rpartition(ENDED)
    start = stderr.partition(BEGAN)[2].partition(ENDED)[0]
    # Searched from the end: code under test may have written the same words to the shell's stream before.
    last = end.splitlines()[-1].split() if end.strip() else []
    # `df -Pk` counts in KiB.
    free = int(last[3]) << 10 if ended and len(last) > 4 and last[3].isdigit() else None
    counts = _memory(start), _memory(end if ended else b"")
    cpu = _children(end) - _children(start) if ended else 0.0
    return Note(BEGAN in stderr, bool(ended), *counts, free, cpu)


def _children(end: bytes) -> float:
    """User and system time, in seconds, of what the wrapper waited for."""
    lines = TIMES.findall(end)
    if len(lines) != len(("shell", "children")):
        return 0.0
    minutes, seconds, system_minutes, system_seconds = map(float, lines[1])
    return 60 * (minutes + system_minutes) + seconds + system_seconds


def _memory(lines: bytes) -> Memory:
    """The counts among `lines`, each with the file it is from."""
    counters: dict[bytes, int] = {}
    for line in lines.splitlines():
        path, _, value = line.partition(b":")
        name, _, number = value.rpartition(b" ")
        if path.startswith(b"/sys/") and number.isdigit():
            counters[name or path.rpartition(b".")[2]] = int(number)
    limit, peak = counters.get(b"limit_in_bytes"), counters.get(b"max_usage_in_bytes")
    full = limit is None or peak is None or peak >= limit * FULL_SHARE
    return Memory(counters.get(b"oom_kill", 0), counters.get(b"oom"), full)


def expect_no_machine_fault(stopped: str, note: Note, command: Command, lost: float) -> None:
    """Raise SandboxDied where what became of a command may be the machine's doing.

    lost: seconds in which nothing of ours ran.
    """
    if stopped == "timeout" and not note.began:
        raise SandboxDied("the engine did not begin the command in time")
    if stopped == "timeout" and stood_still(lost, command.timeout):
        raise SandboxDied(f"the machine stood still for {lost:.0f} s of a timeout")
    if not stopped and note.short == "machine":
        raise SandboxDied("the machine ran out of memory under a running command")
    if not stopped and note.free is not None and note.free < MIN_FREE_BYTES:
        raise SandboxDied(f"the disk is full: {note.free >> 20} MiB are free")
