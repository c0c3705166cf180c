"""What the fuzz target is linked from: names that switch a sanitizer off, or end a program behind its back.

The names are read from the objects and the target after the build, so that neither macros, pasted tokens nor
asm labels hide them, and are held against gold's: what gold has too says nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from harness.grade.building import ours
from harness.sandbox.base import Sandbox
from tasks.loader import Task

CONTROL = (
    *(
        "fork",
        "vfork",
        "clone",
        "clone3",
        "posix_spawn",
        "posix_spawnp",
        "execve",
        "execv",
        "execvp",
    ),
    *("execl", "execlp", "execle", "execvpe", "fexecve", "system", "popen", "daemon"),
    *("_exit", "_Exit", "quick_exit", "kill", "killpg", "raise", "tgkill", "pthread_kill"),
    *("sigaction", "signal", "sigprocmask", "pthread_sigmask", "sigaltstack"),
    *("ptrace", "prctl", "process_vm_writev", "syscall", "personality", "unshare", "setns"),
    *("umask", "setrlimit", "setrlimit64", "prlimit", "prlimit64", "close_range", "closefrom"),
)
"""Imported by code that takes itself, or who looks at it, out of the way."""
RUNTIME = r"__(asan|msan|ubsan|lsan|tsan|sanitizer)_\w+"
COVERAGE = "__sanitizer_cov_"
REPLACED = (
    "malloc",
    "calloc",
    "realloc",
    "free",
    "memcpy",
    "memmove",
    "memset",
    "strcpy",
    "strlen",
)
"""Functions of libc that a sanitizer watches; who defines one of its own is not watched in it."""
WATCHED = "|".join((*CONTROL, *REPLACED, RUNTIME))
OBJECTS = (
    "find . -path ./.git -prune -o -type f \\( -name '*.o' -o -name '*.obj' \\) -printf '%P\\0'"
)
LOOK = f"""\
{{ {OBJECTS} | xargs -0 -r nm -A -P 2>/dev/null | awk 'NF > 2 {{ print "o", $3, $2, $1 }}'
nm -P -- TARGET 2>/dev/null | awk 'NF > 1 {{ print "t", $2, $1, "-" }}'
nm -P -D -u -- TARGET 2>/dev/null | awk '{{ sub(/@.*/, "", $1); print "d", $2, $1, "-" }}'
}} | LC_ALL=C sort -u | grep -E '^. [A-Za-z] ({WATCHED}) [^ ]+$' || true
"""
WEAK = frozenset("WVwv")
MOST = 20


def target_of(command: str) -> str:
    """The program that a PoC's command starts, by its path; "" where that cannot be told."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    first = next((word for word in words if "=" not in word), "")
    return first if "/" in first else ""


def names(box: Sandbox, task: Task) -> list[str]:
    """The watched names of what was built, sorted, each behind a word.

    The project's objects `import` and `define` (`OBJECT imports NAME`); the target `asks for` its libraries',
    and has `weak` and `strong` ones: what comes with the runtimes to be replaced is weak in it.
    """
    target = shlex.quote(target_of(task.spec.poc.command) or "/nonexistent")
    said = ours(box, LOOK.replace("TARGET", target), task.spec.environment.workdir)
    rows = (row.split(" ") for row in said.splitlines())
    return sorted({told for row in rows if (told := _told(*row))})


def _told(place: str, kind: str, name: str, where: str) -> str:
    if name.startswith(COVERAGE):
        return ""
    control, asked, where = name in CONTROL, kind in "Uw", where.rstrip(":")
    if place == "t":
        return "" if control or asked else f"{'weak' if kind in WEAK else 'strong'} {name}"
    if place == "d":
        return f"asks for {name}" if control else ""
    if asked:
        runtime = "__sanitizer_" in name or (kind == "w" and not control)
        return f"{where} imports {name}" if control or runtime else ""
    return f"{where} defines {name}"


def kept(seen: Sequence[str], owned: Iterable[str]) -> list[str]:
    """What of gold's names later patches are held against.

    owned: the oracle's files; what another object of gold's imports, any object may.
    """
    stems = {PurePosixPath(path).name.partition(".")[0] for path in owned}
    theirs = [row for row in seen if " imports " in row and _stem(row) not in stems]
    anybodys = {row.partition(" ")[2] for row in theirs}
    return [*(row for row in seen if not row.startswith("strong ")), *sorted(anybodys)]


def _stem(row: str) -> str:
    """The name of a row's object without its folder and extensions."""
    return PurePosixPath(row.partition(" ")[0]).name.partition(".")[0]


def new(gold: Iterable[str], seen: Sequence[str]) -> list[str]:
    """What a build imports, defines or replaces and gold's (see `kept`) does not; at most `MOST`."""
    known, odd = set(gold), []
    for row in seen:
        first, _, rest = row.partition(" ")
        if first == "strong":
            odd += [f"target replaces {rest}"] if f"weak {rest}" in known else []
        elif first == "asks":
            odd += [] if row in known else [f"target {row}"]
        elif first != "weak" and not {row, rest} & known:
            odd.append(row)
    return odd[:MOST]
