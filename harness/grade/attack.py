"""Step `poc`: replay the proof of concept, and distinguish crashes from everything else.

A crash is a sanitizer's report or a fatal signal. The sanitizers are configured to write their reports to a
file, so that text which a program prints is not a report; only if gold's crash appears on the
output alone (a wrapper that sets further options, as in ARVO's images) is the output read as well.

Code inside is not trusted when nothing seems to have happened: a report that exists and cannot be read,
the exit code set for the sanitizers (different each time), or a kill by the program itself is a crash of
unknown kind.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from harness.command import Command, ExecResult
from harness.grade.building import run_grader_command, summary
from harness.grade.crash_reports import read_crashes
from harness.grade.evidence import ReplayEvidence
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox import archive
from parsers.crashes import Crash, Signature, matches, parse_crash
from tasks.loader import Task

TMP = "/tmp"  # noqa: S108 - a path inside the sandbox
# Maximum number of replays of a PoC, which stop at the first crash: some PoCs are flaky.
MAX_REPLAYS = 3

# The report goes to a file below a random folder: text that a program prints is no report (law 7).
COMMON = "log_path={folder}/report:symbolize={symbolize}:exitcode={code}:halt_on_error=1"
# 2: the sanitizer handles the signal and lets the program install no handler, which could hide a crash.
HANDLED = "handle_segv=2:handle_abort=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2"
OPTIONS = {
    # `verify_asan_link_order=0`: the control is preloaded, and ASan refuses to start behind another library.
    "ASAN_OPTIONS": f"{COMMON}:{HANDLED}:detect_leaks={{leaks}}:abort_on_error=0:fast_unwind_on_fatal=0"
    ":verify_asan_link_order=0"
    # Unfilled, as in what ships: code could tell a replay by the byte that ASan fills new memory with.
    ":max_malloc_fill_size=0"
    # Off by default before clang 15: a pointer to a frame that is gone would be followed unseen.
    ":detect_stack_use_after_return=1",
    "MSAN_OPTIONS": f"{COMMON}:{HANDLED}:abort_on_error=0",
    "UBSAN_OPTIONS": f"{COMMON}:print_stacktrace=1",
    "TSAN_OPTIONS": COMMON,
    "LSAN_OPTIONS": COMMON,
}
# The command runs in a subshell, so that an `exit` or `exec` in it does not end the loop.
# A target that writes to its input, or replaces it, is treated like one that a sanitizer stopped.
REPLAY = """\
mkdir -p {folder}; before=$({look})
for i in $(seq {times}); do
( {line}
); status=$?
[ "$before" = "$({look})" ] || exit {code}
[ $status = 0 ] || exit $status
done
"""
RESOURCE_KINDS = {
    "timeout": "timeout",
    "memory": "out-of-memory",
    "disk": "disk-exhaustion",
    "output": "output-exhaustion",
}
# A shell's statuses for a command that cannot be executed, or is not there.
NOT_RUN = frozenset({126, 127})
KILLED_STATUS = 137
# Below 124, where the statuses of `timeout` and of shells begin.
# Exit codes for the sanitizers; one is chosen at random.
CODES = range(40, 120)
# A target can write any number of files there; where there are more, a report counts as unread: a crash.
MAX_REPORTS = 50
# The kind of a crash without a description.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Preload:
    """A library to load into a target: files by path below `TMP`, and the environment that loads them."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


NOTHING = Preload()


class NotRun(Exception):
    """The PoC command could not be started, so nothing was shown."""


@dataclass(frozen=True)
class Attack:
    """A PoC and how it is replayed. `{poc}` in `command` stands for its path inside the sandbox."""

    command: str
    sanitizer: str
    poc: bytes | None
    workdir: str
    timeout: float
    times: int = 1


def room() -> str:
    """A folder inside the sandbox that nobody knows beforehand."""
    return f"{TMP}/{secrets.token_hex(8)}"


def inside(path: str) -> str:
    """A path below `TMP`, relative to it."""
    return path.removeprefix(f"{TMP}/")


def replay_environment() -> dict[str, str]:
    """For the tests: code that looks for a sanitizer's options behaves there as it does in a replay."""
    return dict.fromkeys(OPTIONS, f"log_path={room()}/report:symbolize=1:exitcode=77")


def options(sanitizer: str, folder: str, code: int | str, symbolize: bool = True) -> dict[str, str]:
    """The environment that makes every sanitizer write its reports below `folder` and end with `code`."""
    settings = {"folder": folder, "code": code, "symbolize": int(symbolize)}
    # Leaks count only in cases that are about them: gold and the fixed program may leak as well.
    leaks = int(sanitizer == "leak")
    return {name: value.format(leaks=leaks, **settings) for name, value in OPTIONS.items()}


def attack_of(task: Task, times: int = MAX_REPLAYS) -> Attack:
    """The replay of a task's PoC."""
    spec, workdir = task.spec.poc, task.spec.environment.workdir
    return Attack(spec.command, spec.sanitizer, task.poc, workdir, spec.timeout, times)


def replay(
    box: Sandbox,
    attack: Attack,
    cache: ResultCache,
    trust_output: bool,
    preload: Preload = NOTHING,
) -> tuple[Crash | None, ReplayEvidence]:
    """Replay a PoC until it crashes, up to `attack.times` times; returns the crash, if any, and evidence.

    Raises NotRun. A replay that no limit killed is repeated once: who kills from outside does not do so
    twice, and a program that kills itself does.
    """
    code, folder = secrets.choice(CODES), room()
    env = {**options(attack.sanitizer, folder, code), **preload.env}
    input_files = {} if attack.poc is None else {f"{inside(folder)}.d/input": attack.poc}
    if input_files or preload.files:
        box.put({**preload.files, **input_files}, TMP)
    line = attack.command.replace("{poc}", f"{folder}.d/input")
    # Inode and ctime: content can be written back, the time of a file's last change cannot.
    look = f"stat -c '%i %z' {folder}.d/input 2>&1"
    loop = REPLAY.format(folder=folder, times=attack.times, line=line, look=look, code=code)
    done = box.exec(Command(loop, attack.workdir, attack.timeout, env))
    # A machine that is short of memory kills as well, and that is not the patch's doing (law 1).
    if done.status == KILLED_STATUS and not done.stopped:
        done = box.exec(Command(loop, attack.workdir, attack.timeout, env))
    if done.status in NOT_RUN and not done.stopped:
        raise NotRun(done.output.decode(errors="replace").strip()[-200:])
    written, unread = _reports(box, done, folder)
    crash = _crash(done, written, trust_output) or unseen(done.status, unread, code)
    via = "report" if written and crash else "output" if crash else ""
    evidence = cast(ReplayEvidence, {**summary(done, cache), "via": via})
    if written:
        evidence["report"] = cache.keep(written)
    return crash, evidence


def _reports(box: Sandbox, done: ExecResult, folder: str) -> tuple[bytes, bool]:
    """What the sanitizers wrote to files, in order of names, and whether something there is not read."""
    if done.over:
        return b"", False
    line = f"find {folder} -mindepth 1 -maxdepth 1 -printf '%f\\0' | head -z -n {MAX_REPORTS + 1}"
    listed = [name for name in run_grader_command(box, line, "/").split("\0") if name]
    names = [name for name in listed if name.startswith("report.")][:MAX_REPORTS]
    reports = archive.unpack(box.get(names, folder))
    unread = len(listed) > MAX_REPORTS or any(not reports.get(name) for name in names)
    return b"".join(reports[name] for name in sorted(reports)), unread


def unseen(status: int, unread: bool, code: int) -> Crash | None:
    """A crash without a report or a signal, where something shows that it happened."""
    why = ""
    if unread:
        why = "a sanitizer's report is there and cannot be read"
    elif status == code:
        why = "it ended as a sanitizer ends it, without a report"
    elif status == KILLED_STATUS:
        why = "it killed itself"
    return Crash("signal", UNKNOWN, "", None, None, (), None, why) if why else None


def _crash(done: ExecResult, written: bytes, trust_output: bool) -> Crash | None:
    if done.stopped:
        kind = RESOURCE_KINDS[done.stopped]
        return Crash(
            "signal", kind, "", None, None, (), None, f"the PoC ended by its {done.stopped} limit"
        )
    text = written or (done.output if trust_output and done.status else b"")
    if not text:
        return parse_crash("", done.status)
    return read_crashes({"report": (text, done.status)})["report"]


def historical(task: Task, crash: Crash) -> bool:
    """Whether a crash has the signature of the historical vulnerability."""
    stated = task.spec.poc.signature
    return matches(crash, Signature(stated.kind, stated.access, tuple(stated.frames)))
