"""Step `variants`: the fuzz target built in further ways, and the project's programs, attacked.

The program that ships is seldom the fuzzed program: another compiler, changed flags, another entry. Each
variant is built in a fresh sandbox from the applied state, before any code of the patch has run there. Then
its programs are left alone: under new names in an empty folder, with the repository removed. There the PoC
and its neighbours are replayed, and the first of them once more as a user would start the program.
"""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.grade import control
from harness.grade.apply import FileState
from harness.grade.attack import NOT_RUN, TMP, attack_of
from harness.grade.building import ROOM, Failed, build, prepare_build, run_grader_command
from harness.grade.decide import Cause
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.evidence import VariantEvidence
from harness.grade.neighbours import TIMEOUT_KIND, InputEnding, ReplayMode, replay_all
from harness.grade.ports import ResultCache
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task
from tasks.neighbours import Neighbours
from tasks.schema import BuildVariant

# Inputs that are replayed once more as a user would, for each command.
MAX_INPUTS_AS_USER = 8
# Of a task's neighbours that crash, how many go through a variant: each command takes 9 ms for one.
MAX_CRASHING_NEIGHBOURS = 24
# Only paths that begin with `./`: everything else in a command is the image's or an argument.
_PROGRAM = re.compile(r"(?<![\w./-])\./[\w.+-]+(?:/[\w.+-]+)*")
# What ships is built on another day than what is graded: in a variant `__DATE__` and `__TIME__` are of 2100
# (gcc 7 and clang 16 read this). Files stay as old as they are: make would make others again, or none at all.
OTHER_DAY = "export SOURCE_DATE_EPOCH=4102444800"
# Shared libraries go along, or a program that links them would not start alone.
# Copies programs out of the work tree, and empties that.
ISOLATE = """\
mkdir -p {folder}/libraries {workdir} || exit
{copies}
find . -name '*.so*' -type f -exec cp -t {folder}/libraries {{}} + 2>/dev/null
rmdir {folder}/libraries 2>/dev/null
find . -mindepth 1 -maxdepth 1 -exec rm -rf {{}} + 2>/dev/null
true
"""


@dataclass(frozen=True)
class VariantReference:
    """How a variant behaves with the fix.

    apart: its programs run without the repository. endings: for each way of `replays_of`, of the PoC and its
    neighbours the exit status and the checksum of what was printed; None where it crashes or never ends with
    the fix as well, which then says nothing. why_not: why the variant cannot be used, "" where it can.
    """

    apart: bool = False
    endings: Sequence[Sequence[tuple[int, str] | None]] = ()
    why_not: str = ""

    def to_json(self) -> dict[str, Any]:
        rows = [[ending and list(ending) for ending in row] for row in self.endings]
        return {"apart": self.apart, "endings": rows, "why_not": self.why_not}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> VariantReference:
        rows = [[ending and (ending[0], ending[1]) for ending in row] for row in data["endings"]]
        return cls(data["apart"], rows, data["why_not"])


def replays_of(commands: Sequence[str], repair: bool, crashing: int) -> list[ReplayMode]:
    """How inputs go through a variant: by each command, and the first ones once more as a user would.

    Harmless inputs only show whether a repair refuses them. crashing: how many crashing inputs come first.
    """
    count = None if repair else crashing
    users = [
        ReplayMode(line, as_user=True, count=min(MAX_INPUTS_AS_USER, crashing)) for line in commands
    ]
    return [*(ReplayMode(line, count=count) for line in commands), *users]


def inputs_of(task: Task) -> tuple[list[bytes], int]:
    """The PoC, some of its crashing neighbours, all harmless ones; and how many of them crash."""
    near = task.neighbours or Neighbours()
    step = (
        -(-len(near.crashing) // MAX_CRASHING_NEIGHBOURS) or 1
    )  # neighbours of a kind are together
    crashing = [task.poc, *near.crashing[::step]] if task.poc else []
    return [*crashing, *near.harmless], len(crashing)


def observe_fixed(
    backend: Backend,
    task: Task,
    environment: Environment,
    state: FileState,
    variant: BuildVariant,
    cache: ResultCache,
) -> VariantReference:
    """How a variant behaves with the fix; `state` is what that leaves. Raises a SandboxFault."""
    why = ""
    # Programs that need a file of the repository do not start alone; then they are attacked in place.
    for apart in (True, False):
        with sandbox(backend, environment.image, limits_of(task)) as box:
            state.bring(box, task.spec.environment.workdir)
            try:
                rows = _replay_commands(box, task, variant, apart, cache)
            except Failed as failed:
                return VariantReference(why_not=failed.reason)
        firsts = [row[0] for row in rows if row]
        if not any(_is_bad(ending) or ending.status in NOT_RUN for ending in firsts):
            return VariantReference(apart, [list(map(_plain, row)) for row in rows])
        why = next((e.crash.kind for e in firsts if e.crash), "a program of it does not start")
    return VariantReference(why_not=f"with the fix: {why}")


def _is_bad(ending: InputEnding) -> bool:
    return ending.crash is not None or ending.status is None


def _plain(ending: InputEnding) -> tuple[int, str] | None:
    return (
        None if ending.status is None or ending.crash else (ending.status, ending.output_checksum)
    )


def build_and_replay(
    box: Sandbox,
    task: Task,
    variant: BuildVariant,
    fixed: VariantReference,
    cache: ResultCache,
    whole: bool = False,
) -> VariantEvidence:
    """Build a variant in a fresh sandbox at the patch's state and attack it; evidence.

    whole: build the product first, which a variant may take generated build files from.

    refused: harmless inputs that end otherwise than with the fix; garbled: crashing ones that both take, and
    that come out otherwise.

    Raises Failed, for Cause.DIFFERS_FROM_TESTED, where it does not build.
    """
    if whole:
        prepare_build(box, task)
        build(box, task, task.spec.environment.build, "build", "does not compile", cache)
    rows = _replay_commands(box, task, variant, fixed.apart, cache)
    _, crashing = inputs_of(task)
    pairs = [list(zip(row, due, strict=True)) for row, due in zip(rows, fixed.endings, strict=True)]
    # Where the fix itself crashes or never ends, an input says nothing about a patch.
    useful = [(ending, due) for row in pairs for ending, due in row if due is not None]
    bad = [ending for ending, _ in useful if _is_bad(ending)]
    kinds = {ending.crash.kind if ending.crash else TIMEOUT_KIND for ending in bad}
    return {
        "name": variant.name,
        "crashing": len(bad),
        "tried": len(useful),
        "kinds": sorted(kinds),
        "refused": sum(
            ending.status_and_checksum != due
            for row in pairs
            for ending, due in row[crashing:]
            if due
        ),
        "garbled": sum(
            # With another status than 0 both refuse the input, and each in words of its choice.
            ending.status_and_checksum != due and ending.status == due[0] == 0
            for row in pairs
            for ending, due in row[:crashing]
            if due
        ),
    }


def _replay_commands(
    box: Sandbox, task: Task, variant: BuildVariant, apart: bool, cache: ResultCache
) -> list[list[InputEnding]]:
    """Endings by command of a variant: all inputs, then the first ones as a user would. Raises Failed."""
    prepare_build(box, task)
    what = f"the variant {variant.name or 'of the target'} does not build"
    line = f"{OTHER_DAY}\n{variant.build}"
    build(box, task, line, "poc", what, cache, Cause.DIFFERS_FROM_TESTED)
    commands = [variant.command, *variant.entries]
    # No trace of a grader may remain: code could behave wherever it sees any.
    run_grader_command(
        box, f"rm -rf {ROOM} {control.ROOM}", "/"
    )  # what may tell that a grader is here
    attack = replace(attack_of(task), command="")
    if apart:
        attack = replace(attack, workdir=f"{TMP}/{secrets.token_hex(8)}")
        commands = _isolate_programs(box, task, commands, attack.workdir)
    inputs, crashing = inputs_of(task)
    replays = replays_of(commands, bool(task.spec.source.base), crashing)
    return replay_all(box, attack, replays, inputs)


def _isolate_programs(box: Sandbox, task: Task, commands: Sequence[str], workdir: str) -> list[str]:
    """Make the empty folder `workdir`, and leave of the repository a variant's programs only.

    Returns the commands with the programs' new paths.
    """
    folder = f"{TMP}/{secrets.token_hex(8)}"
    named = sorted({path for command in commands for path in _PROGRAM.findall(command)})
    moved = {path: f"{folder}/{secrets.token_hex(4)}" for path in named}
    copies = "\n".join(
        f"if [ -f {shlex.quote(path)} ] && [ -x {shlex.quote(path)} ]; then"
        f" cp -L -- {shlex.quote(path)} {new} || exit; fi"
        for path, new in moved.items()
    )
    line = ISOLATE.format(folder=folder, workdir=workdir, copies=copies)
    run_grader_command(box, line, task.spec.environment.workdir)
    paths = f"LD_LIBRARY_PATH={folder}/libraries"
    renamed = [_PROGRAM.sub(lambda match: moved[match[0]], command) for command in commands]
    return [f"[ ! -d {folder}/libraries ] || export {paths}\n{command}" for command in renamed]
