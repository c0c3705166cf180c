"""How a project compiles its tests: recorded once, while gold is built.

A library (`recorder.c`) is loaded into every program of the build; in a compiler it notes folder and command
line. So it does not matter which build system runs the compiler, or how it names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePosixPath

from harness.command import Command
from harness.grade import oracle
from harness.grade.building import ROOM, null_separated, prepare_build, run_grader_command
from harness.grade.control import COMPILE
from harness.grade.guard import list_tracked_files
from harness.grade.paths import path_inside
from harness.protocols import Sandbox
from harness.sandbox import archive
from tasks.loader import Task

FOLDER = "/tmp/.arena-record"  # noqa: S108 - a path inside the sandbox
LIBRARY, LOG = "librecord.so", "log"
SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx"})
# Compilations of the oracle's files that are recorded at most.
MAX_COMPILATIONS = 200
MAKE = f"for c in {COMPILE}; do $c -shared -fPIC -O0 -w -o {LIBRARY} recorder.c && exit; done"
TOUCH = f"xargs -0 -r touch -c -- < {ROOM}/touched"
_ALONE = frozenset(
    {"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-pipe", "-save-temps"}
)
_WITH_VALUE = frozenset({"-o", "-MF", "-MT", "-MQ", "-MJ"})
_OBJECTS = (".o", ".a", ".so", ".obj", ".lo", ".la")


@dataclass(frozen=True)
class Compilation:
    """The compilation of a source of the oracle.

    source: its path in the repository. command: compiler and options, without names of outputs or further
    inputs. output: the object's path in the repository, "" where it makes none.
    """

    source: str
    folder: str
    command: tuple[str, ...]
    output: str = ""


def record_compilations(box: Sandbox, task: Task) -> list[Compilation]:
    """Build gold, in a sandbox that was brought to it, and record how its tests are compiled.

    Empty where the image has no compiler for the recorder, or no compiler of its kind is run.
    """
    owned = oracle.owned_paths(
        list_tracked_files(box, task.spec.environment.workdir), task.owned_globs
    )
    lines = [task.spec.environment.build, task.spec.tests.build]
    return record_builds(box, task, list(filter(None, lines)), owned)


def record_builds(
    box: Sandbox, task: Task, lines: Sequence[str], paths: Iterable[str]
) -> list[Compilation]:
    """Run build commands in a sandbox and record how those of `paths` that are sources are compiled.

    They are touched first, so that a build from before compiles them again.
    """
    workdir, owned = task.spec.environment.workdir, frozenset(paths)
    source = resources.files(__package__).joinpath("recorder.c").read_bytes()
    box.put({".arena-record/recorder.c": source}, "/tmp")  # noqa: S108
    if not box.exec(Command(f"rm -f {LOG}; {MAKE}", FOLDER)).ok:
        return []
    sources = [path for path in owned if PurePosixPath(path).suffix in SOURCES]
    run_grader_command(box, TOUCH, workdir, {"touched": null_separated(sources)})
    prepare_build(box, task)
    env = {
        "LD_PRELOAD": f"{FOLDER}/{LIBRARY}",
        "COMPILER_RECORD": f"{FOLDER}/{LOG}",
        # ccache would serve the object from its store.
        "CCACHE_DISABLE": "1",  # a compiler that is not run notes nothing
    }
    for line in lines:
        box.exec(Command(line, workdir, task.spec.environment.timeout, env))
    log = archive.unpack(box.get([LOG], FOLDER)).get(LOG, b"")
    return read_log(log, workdir, owned)


def read_log(log: bytes, workdir: str, owned: frozenset[str]) -> list[Compilation]:
    """The compilations of the oracle's sources (`owned`, by path in the repository) in a recorder's log."""
    compilations: dict[Compilation, None] = {}
    for entry in log.decode("utf-8", "surrogateescape").split("\0\0"):
        folder, *command = entry.split("\0")
        # clang's driver starts itself again with `-cc1` and options that no further compiler accepts.
        if len(command) < 2 or "-cc1" in command:
            continue
        inputs = {word: path_inside(folder, word, workdir) for word in command[1:]}
        for path in sorted({path for path in inputs.values() if path in owned}):
            if PurePosixPath(path).suffix in SOURCES:
                others = [word for word, place in inputs.items() if place in owned]
                compilations[_compilation(folder, command, path, workdir, others)] = None
    object_sources = {each.source for each in compilations if each.output}
    whole = [each for each in compilations if each.output or each.source not in object_sources]
    return sorted(whole, key=lambda each: (each.source, each.output, each.command))[
        :MAX_COMPILATIONS
    ]


def _compilation(
    folder: str, command: Sequence[str], source: str, workdir: str, inputs: Iterable[str]
) -> Compilation:
    command_words, output, skip = [command[0]], "", ""
    dropped = {*inputs}
    for word in command[1:]:
        if skip:
            output = path_inside(folder, word, workdir) if skip == "-o" else output
            skip = ""
        elif word in _WITH_VALUE:
            skip = word
        elif not (
            word in dropped or word in _ALONE or word.endswith(_OBJECTS) or word.startswith("-o")
        ):
            command_words.append(word)
    object_file = output if "-c" in command else ""
    return Compilation(source, folder, tuple(command_words), object_file)
