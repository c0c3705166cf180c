"""Step `build`: run a build command and say how it ended."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from harness.command import Command, ExecResult
from harness.grade.decide import Cause, Decided
from harness.grade.errors import error_lines
from harness.grade.evidence import CommandEvidence
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox.base import SandboxSpoilt

if TYPE_CHECKING:  # its import takes longer than all that `harness.bounded` starts for
    from harness.grade.buildable import Buildable
    from tasks.loader import Task

# Folder of the lists for our own commands.
ROOM = "/tmp/.arena"  # noqa: S108 - a path inside the sandbox
# Base64 makes 64 KiB of it; the kernel limits a single argument to 128 KiB.
# Bytes of lists sent along with a command; longer ones are written first, since a line has a limit.
MAX_INLINE_BYTES = 48 << 10
NO_LISTS: Mapping[str, bytes] = MappingProxyType({})
STOPPED = {
    "timeout": "ran past its time limit",
    "memory": "ran out of its memory limit",
    "disk": "wrote more than its disk limit",
    "output": "printed more than its output limit",
}


def ending(done: ExecResult) -> str:
    """How a command ended, in words."""
    return STOPPED.get(done.stopped) or f"exit status {done.status}"


def tail(output: bytes, lines: int = 12) -> str:
    """The last lines of an output, for people, with visible control characters."""
    text = output[-8192:].decode("utf-8", "replace")
    shown = "\n".join(text.splitlines()[-lines:])
    return "".join(
        c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in shown
    )


def last_lines(output: bytes) -> str:
    """ ": " and the last lines of an output, joined to a line; "" if it is empty."""
    lines = tail(output, 4).splitlines()
    return f": {' | '.join(lines)[:400]}" if lines else ""


def summary(done: ExecResult, cache: ResultCache) -> CommandEvidence:
    """What the evidence says of a command; the whole output is an artefact."""
    return {
        "status": done.status,
        "stopped": done.stopped,
        "seconds": round(done.seconds, 3),
        "cpu": round(done.cpu, 3),
        "log": cache.keep(done.output),
    }


def null_separated(paths: Iterable[str], lead: str = "./") -> bytes:
    """Paths for `xargs -0`: a patch may name more than a command line can hold."""
    return b"".join(f"{lead}{path}".encode("utf-8", "surrogateescape") + b"\0" for path in paths)


def list_setup(box: Sandbox, lists: Mapping[str, bytes]) -> str:
    """What makes lists (name -> content) below `ROOM`, at the head of a command of ours."""
    if sum(map(len, lists.values())) > MAX_INLINE_BYTES:
        put = {f".arena/{name}": data for name, data in lists.items()}
        box.put(put, "/tmp")  # noqa: S108
        return ""
    put_lines = [
        f"printf %s {base64.b64encode(data).decode()} | base64 -d > {ROOM}/{name}"
        for name, data in lists.items()
    ]
    return "".join(f"{line} || exit 125\n" for line in (f"mkdir -p {ROOM}", *put_lines))


def run_grader_command(
    box: Sandbox, line: str, workdir: str, lists: Mapping[str, bytes] = NO_LISTS
) -> str:
    """The output of a command of the grader; none of them fails by itself. Raises SandboxSpoilt if it does.

    lists: what it finds below `ROOM`, by name.
    """
    done = box.exec(Command(list_setup(box, lists) + line if lists else line, workdir))
    if not done.ok:
        raise SandboxSpoilt(f"a command of ours failed: {ending(done)}: {tail(done.output, 1)}")
    return done.output.decode("utf-8", "surrogateescape")


# The cause that a failed build of each step gives.
CAUSE_OF = {
    "build": Cause.NOT_BUILT,
    "tests": Cause.TESTS_NOT_BUILT,
    "poc": Cause.TARGET_NOT_BUILT,
}


class Failed(Decided):
    """A step has decided the label, with evidence."""

    def __init__(
        self, step: str, reason: str, evidence: Mapping[str, Any], cause: Cause | None = None
    ) -> None:
        """cause: by default, that the step's build fails."""
        super().__init__(cause or CAUSE_OF[step], reason)
        self.step, self.evidence = step, evidence


def log_of(decided: Decided, cache: ResultCache) -> bytes:
    """All that was printed by what decided; nothing where no command did."""
    digest = decided.evidence.get("log") if isinstance(decided, Failed) else None
    return cache.blob(digest) if digest else b""


def with_errors(reason: str, log: bytes) -> str:
    """A reason, and the first printed lines that name errors, joined to a line."""
    return " | ".join([reason, *(line.strip()[:160] for line in error_lines(log, 3))])


def build(
    box: Sandbox,
    task: Buildable,
    line: str,
    step: str,
    what: str,
    cache: ResultCache,
    cause: Cause | None = None,
) -> CommandEvidence:
    """Run a build command of `step`; returns evidence. Raises Failed, for `cause`, when it fails."""
    spec = task.spec.environment
    done = box.exec(Command(line, spec.workdir, spec.timeout))
    evidence = summary(done, cache)
    if not done.ok:
        raise Failed(
            step, f"{what}: {ending(done)}", {**evidence, "tail": tail(done.output)}, cause
        )
    return evidence


def bring_carried(box: Sandbox, task: Task) -> list[str]:
    """Put the fuzz target's files that the history lacks into the repository; returns their paths."""
    if not task.carried_files:
        return []
    script = "".join(
        f"[ -e {shlex.quote(p)} ] || echo {shlex.quote(p)}\n" for p in task.carried_files
    )
    missing_paths = run_grader_command(box, script, task.spec.environment.workdir).split("\n")
    absent = {path: data for path, data in task.carried_files.items() if path in missing_paths}
    if absent:
        box.put(absent, task.spec.environment.workdir)
    return list(absent)


def prepare_build(box: Sandbox, task: Task) -> list[str]:
    """Before the environment's build: bring what it needs of the fuzz target where it builds that, too."""
    is_whole_build = task.spec.poc.build == task.spec.environment.build
    return bring_carried(box, task) if is_whole_build else []


def build_target(box: Sandbox, task: Task, what: str, cache: ResultCache) -> None:
    """Build the fuzz target, with the files of it that the history lacks. Raises Failed."""
    bring_carried(box, task)
    if task.spec.poc.build:
        build(box, task, task.spec.poc.build, "poc", what, cache)
