"""Step `poc`: replay the proof of concept, and tell a crash from everything else.

A crash is a sanitizer's report or a fatal signal. The sanitizers are told to write their reports to a
file, so that what a program merely prints is no report; only where gold's own crash reaches us on the
output alone (a wrapper that sets other options, as in ARVO's images) is the output read as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.grade.building import ours, summary
from harness.grade.ports import Keeper
from harness.sandbox import archive
from harness.sandbox.base import Command, ExecResult, Sandbox
from parsers.crash import Crash, Signature, matches, parse_crash
from tasks.loader import Task

FOLDER = "/tmp/.arena-poc"  # noqa: S108 - a path inside the sandbox
REPLAYS = 3
"""A PoC is replayed until it crashes, at most so often: some crash only now and then."""

COMMON = f"log_path={FOLDER}/report:symbolize=1:exitcode=77:halt_on_error=1"
HANDLED = "handle_segv=2:handle_abort=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2"
OPTIONS = {
    "ASAN_OPTIONS": f"{COMMON}:{HANDLED}:detect_leaks={{leaks}}:abort_on_error=0:fast_unwind_on_fatal=0",
    "MSAN_OPTIONS": f"{COMMON}:{HANDLED}:abort_on_error=0",
    "UBSAN_OPTIONS": f"{COMMON}:print_stacktrace=1",
    "TSAN_OPTIONS": COMMON,
    "LSAN_OPTIONS": COMMON,
}
RESOURCE_KINDS = {
    "timeout": "timeout",
    "memory": "out-of-memory",
    "disk": "disk-exhaustion",
    "output": "output-exhaustion",
}
NOT_RUN = frozenset({126, 127})
KILLED = 137


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


def replay(
    box: Sandbox, task: Task, keeper: Keeper, trust_output: bool
) -> tuple[Crash | None, dict[str, Any]]:
    """Replay a task's PoC until it crashes; see `replay_poc`."""
    spec = task.spec.poc
    workdir = task.spec.environment.workdir
    attack = Attack(spec.command, spec.sanitizer, task.poc, workdir, spec.timeout)
    return replay_poc(box, attack, keeper, trust_output, REPLAYS)


def replay_poc(
    box: Sandbox, attack: Attack, keeper: Keeper, trust_output: bool, times: int = 1
) -> tuple[Crash | None, dict[str, Any]]:
    """Replay a PoC until it crashes, at most `times`; returns the crash, if any, and evidence.

    Raises NotRun. Reports that an earlier replay left in the sandbox are taken for this one's. A replay that
    was killed by no limit of ours shows nothing, and is made once more: who kills from outside does not do so
    twice, and a program that kills itself does.
    """
    leaks = int(attack.sanitizer == "leak")
    env = {name: value.format(leaks=leaks) for name, value in OPTIONS.items()}
    if attack.poc is not None:
        box.put({".arena-poc/input": attack.poc}, "/tmp")  # noqa: S108 - a path inside the sandbox
    line = attack.command.replace("{poc}", f"{FOLDER}/input")
    loop = f"mkdir -p {FOLDER}; for i in $(seq {times}); do ( {line}\n) || exit $?; done"
    done = box.exec(Command(loop, attack.workdir, attack.timeout, env))
    if done.status == KILLED and not done.stopped:
        done = box.exec(Command(loop, attack.workdir, attack.timeout, env))
    if done.status in NOT_RUN and not done.stopped:
        raise NotRun(done.output.decode(errors="replace").strip()[-200:])
    written = _reports(box, done)
    evidence = summary(done, keeper)
    if written:
        evidence["report"] = keeper.keep(written)
    crash = _crash(done, written, trust_output)
    evidence["via"] = "report" if written and crash else "output" if crash else ""
    return crash, evidence


def _reports(box: Sandbox, done: ExecResult) -> bytes:
    """What the sanitizers wrote to files, oldest process first."""
    if done.ok or done.stopped in ("disk", "output"):
        return b""
    listed = ours(box, f"[ ! -d {FOLDER} ] || ls -1 -- {FOLDER}", "/").split("\n")
    names = [name for name in listed if name.startswith("report.")]
    found = archive.unpack(box.get(names, FOLDER))
    return b"".join(found[name] for name in sorted(found))


def _crash(done: ExecResult, written: bytes, trust_output: bool) -> Crash | None:
    if done.stopped:
        kind = RESOURCE_KINDS[done.stopped]
        return Crash(
            "signal", kind, "", None, None, (), None, f"the PoC ended by its {done.stopped} limit"
        )
    if written:
        return parse_crash(written.decode("utf-8", "replace"), done.status)
    text = done.output.decode("utf-8", "replace") if trust_output and done.status else ""
    return parse_crash(text, done.status)


def historical(task: Task, crash: Crash) -> bool:
    """Whether a crash has the signature of the historical vulnerability."""
    stated = task.spec.poc.signature
    return matches(crash, Signature(stated.kind, stated.access, tuple(stated.frames)))
