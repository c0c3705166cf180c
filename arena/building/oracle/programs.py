"""The project's programs that take the PoC, as a variant of the fuzz target (`poc.variants`).

A patch may be safe for the fuzz target only. So the product is built as its tests are, with a sanitizer added
to every call of a compiler and nothing else; each resulting program gets the PoC in the usual ways.
Those that crash at gold as the fuzz target does, and not with the fix, are attacked in each grading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from harness.grade.apply import apply, examine
from harness.grade.attack import attack_of
from harness.grade.building import Failed, bring_carried, build, run_grader_command
from harness.grade.decide import Decided
from harness.grade.environment import Environment, limits_of, prepare, sandbox
from harness.grade.initial_states import bring_gold
from harness.grade.neighbours import InputEnding, ReplayMode, replay_all
from harness.grade.ports import ResultCache
from harness.grade.variants import observe_fixed
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from parsers.crashes import Signature, alike
from tasks.loader import Task
from tasks.schema import BuildVariant

NAME = "as shipped"
# Of the second detector's reports some projects have many that are no bug: they get the first alone.
SANITIZERS = ("address,bounds,object-size", "address")
# Puts compilers before the real ones; programs that the build itself runs may leak.
#
# Each gets the former PATH back: ccache, under a compiler's name, would start the next of that name: ours.
WITH_SANITIZER = """\
folder=$(mktemp -d)
for name in cc c++ gcc g++ clang clang++ "${{CC##*/}}" "${{CXX##*/}}"; do
  real=$(command -v "${{name%% *}}") || continue
  printf '#!/bin/sh\\nPATH=%s exec %s "$@" {flags}\\n' "$PATH" "$real" >"$folder/${{name%% *}}"
done
chmod +x "$folder"/*
export PATH="$folder:$PATH" ASAN_OPTIONS=detect_leaks=0
"""
FLAGS = "-fsanitize={sanitizer} -fno-sanitize-recover=all -U__SANITIZE_ADDRESS__ -w"
LIST_PROGRAMS = """\
find . \\( -name .git -o -name CMakeFiles \\) -prune -o -type f -perm -100 -size -{megabytes}M -print |
head -n {most} | while read -r path; do
  [ "$(head -c 4 "$path" | tail -c 3)" != ELF ] || printf '%s\\n' "$path"
done
"""
# How programs of C and C++ projects usually take a file.
WAYS = (
    "{} {{poc}}",
    "{} <{{poc}}",
    "{} - <{{poc}}",
    "{} -i {{poc}}",
    "{} -f {{poc}}",
    "{} -d {{poc}}",
)
MAX_FILES, MAX_PROGRAMS, MAX_PROGRAM_MB = 2000, 24, 256
# Programs that become part of the task: each replays the PoC and its neighbours in every grading.
MAX_COMMANDS = 4
# Replays in one command, whose limit of time allows each its own.
WAYS_AT_ONCE = 12
_PLAIN = re.compile(r"\./[\w.+/-]+")
_LIBRARY = re.compile(r"\.so(\.\d+)*$")


class NoPrograms(Exception):
    """The task can have no such variant; the message says why.

    is_final: whether another choice of sanitizers would not help.
    """

    def __init__(self, message: str, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


def search_programs(backend: Backend, task: Task, cache: ResultCache) -> BuildVariant:
    """The variant of a task with a fixed patch. Raises NoPrograms, TaskBroken, SandboxFault."""
    environment = prepare(backend, task)
    reasons = []
    for sanitizer in SANITIZERS:
        try:
            return _search(backend, task, environment, cache, sanitizer)
        except NoPrograms as none:
            reasons.append(f"-fsanitize={sanitizer}: {none}")
            if none.is_final:
                break
    raise NoPrograms("; ".join(reasons))


def build_lines(task: Task, sanitizer: str) -> list[str]:
    """Scripts that build the product with a sanitizer, the shortest first: some suites build all of it."""
    head = WITH_SANITIZER.format(flags=FLAGS.format(sanitizer=sanitizer))
    build_line, tests = task.spec.environment.build, task.spec.tests.build
    bodies = (tests, f"( {build_line}\n) && {{ {tests}\n}}") if tests else (build_line,)
    return [head + body for body in bodies]


def _search(
    backend: Backend, task: Task, environment: Environment, cache: ResultCache, sanitizer: str
) -> BuildVariant:
    """The variant built with this choice of sanitizers. Raises as `search_programs`."""
    reason = ""
    for line in build_lines(task, sanitizer):
        with sandbox(backend, environment.image, limits_of(task)) as box:
            try:
                bring_gold(box, task)
                bring_carried(box, task)
                build(box, task, line, "poc", "the product does not build", cache)
            except Failed as failed:
                reason = failed.reason
                continue
            except Decided as decided:
                raise TaskBroken(f"{task.id}: gold: {decided.reason}") from decided
            programs = list_programs(box, task)
            if not programs:
                reason = "the build makes no program"
                continue
            commands = crashing_commands(box, task, programs)
        return _safe_with_fix(backend, task, environment, cache, line, commands)
    raise NoPrograms(reason)


def list_programs(box: Sandbox, task: Task) -> list[str]:
    """Paths of the programs in the work tree; those of no folder of tests or fuzz targets come first."""
    line = LIST_PROGRAMS.format(megabytes=MAX_PROGRAM_MB, most=MAX_FILES)
    listed = run_grader_command(box, line, task.spec.environment.workdir).splitlines()
    target = task.spec.poc.target
    names = [
        name
        for name in listed
        if _PLAIN.fullmatch(name)
        and not _LIBRARY.search(name)
        and name.rpartition("/")[2] != target
    ]
    return sorted(names, key=lambda name: ("test" in name or "fuzz" in name, name))[:MAX_PROGRAMS]


def crashing_commands(box: Sandbox, task: Task, programs: Sequence[str]) -> list[str]:
    """Commands, no more than 1 per program, that crash on the PoC as the task's signature says.

    Raises NoPrograms where there are none.
    """
    attack = replace(attack_of(task), command="")
    inputs = [task.poc] if task.poc else []
    chosen: dict[str, str] = {}
    kinds = set()
    pairs = [(program, way.format(program)) for program in programs for way in WAYS]
    for start in range(0, len(pairs), WAYS_AT_ONCE):
        some = pairs[start : start + WAYS_AT_ONCE]
        modes = [ReplayMode(command) for _, command in some]
        rows = replay_all(box, attack, modes, inputs, symbolize=True)
        for (program, command), endings in zip(some, rows, strict=True):
            kinds |= {ending.crash.kind for ending in endings if ending.crash}
            if any(_is_historical(task, ending) for ending in endings):
                chosen.setdefault(program, command)
        if len(chosen) >= MAX_COMMANDS:
            break
    if not chosen:
        tried = ", ".join(programs[:MAX_COMMANDS])
        others = f"; otherwise: {', '.join(sorted(kinds))}" if kinds else ""
        reason = f"of {len(programs)} programs ({tried}) none crashes as the target does{others}"
        raise NoPrograms(reason, is_final=not kinds)
    return list(chosen.values())[:MAX_COMMANDS]


def _is_historical(task: Task, ending: InputEnding) -> bool:
    """Whether this is the case's weakness: above it, a program has different callers than the fuzz target."""
    stated, crash = task.spec.poc.signature, ending.crash
    if crash is None:
        return False
    names = tuple(frame.function for frame in crash.frames if frame.function)
    return alike(
        Signature(stated.kind, stated.access, tuple(stated.frames)),
        Signature(crash.kind, crash.access, names),
    )


def _safe_with_fix(
    backend: Backend,
    task: Task,
    environment: Environment,
    cache: ResultCache,
    line: str,
    commands: Sequence[str],
) -> BuildVariant:
    """The variant, if its programs stand the PoC with the fix. Raises NoPrograms."""
    variant = BuildVariant(name=NAME, build=line, command=commands[0], entries=tuple(commands[1:]))
    with sandbox(backend, environment.image, limits_of(task)) as box:
        files = bring_gold(box, task)
    with sandbox(backend, environment.image, limits_of(task)) as box:
        state = apply(box, task, examine(task.solution("fixed")), files).state
    if state is None:
        raise NoPrograms("the fix changes too much to be copied")
    observed = observe_fixed(backend, task, environment, state, variant, cache)
    if observed.why_not:
        raise NoPrograms(observed.why_not)
    return variant
