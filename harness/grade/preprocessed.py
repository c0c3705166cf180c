"""What the compiler sees of the oracle's tests: how their lines expand, with gold and with a patch.

Tests include headers that a patch may change. Whatever is written there in whatever form, the preprocessor
shows what became of the tests: each line of the oracle's files, and the macros and pragmas that files of
the project bring. A patch bends the tests where a line of theirs expands otherwise, and the cause is a word
that is not the project's: a keyword, a word of the system's or the test library's headers, or of the tests.
Macros of the project may expand as the patch likes.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from harness.command import Command
from harness.grade import oracle
from harness.grade.bounded import read_bounded
from harness.grade.build_files import kind_of
from harness.grade.building import ROOM, list_setup, null_separated, run_grader_command
from harness.grade.compilations import SOURCES, Compilation, record_compilations
from harness.grade.expansions import (
    OwnedTree,
    PreprocessedUnit,
    UnitFacts,
    compare_units,
    find_macros,
    read_units,
)
from harness.grade.imports import is_harmless
from harness.protocols import Sandbox
from harness.sandbox import archive
from tasks.loader import Task

SUBJECT = "what the preprocessor makes of the tests with it"
# Seconds for all of the tests' files.
TIMEOUT_S = 120.0
# `-dD` prints the definitions too: a macro that bends a line must be named, and may be undefined again.
WITH_MACROS = "-E -dD -w"
DOCUMENTS = frozenset({".md", ".rst", ".adoc"})


@dataclass(frozen=True)
class GoldUnit:
    """The compilation of a source of the oracle with gold, and its facts.

    checksums: of each line of the oracle's files, by "PATH:LINE". names: what files of the project define
    there, and their pragmas. calls: names that the object takes from the tests' further objects and from
    libraries.
    """

    compilation: Compilation
    checksums: Mapping[str, int]
    names: Collection[str]
    calls: Collection[str] = ()

    @property
    def facts(self) -> UnitFacts:
        return UnitFacts(self.checksums, self.names)

    def to_json(self) -> dict[str, Any]:
        compilation = self.compilation
        return {
            "compilation": [
                compilation.source,
                compilation.folder,
                list(compilation.command),
                compilation.output,
            ],
            "checksums": dict(self.checksums),
            "names": sorted(self.names),
            "calls": sorted(self.calls),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GoldUnit:
        source, folder, command, output = data["compilation"]
        compilation = Compilation(source, folder, tuple(command), output)
        return cls(
            compilation, data["checksums"], frozenset(data["names"]), frozenset(data["calls"])
        )


@dataclass(frozen=True)
class GoldTests:
    """The oracle's sources with gold, and the project's headers that they include. Empty where unknown."""

    units: Sequence[GoldUnit] = ()
    headers: Collection[str] = ()

    def to_json(self) -> dict[str, Any]:
        return {"units": [u.to_json() for u in self.units], "headers": sorted(self.headers)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GoldTests:
        return cls([GoldUnit.from_json(each) for each in data["units"]], frozenset(data["headers"]))


def observe_gold(
    box: Sandbox, task: Task, compilations: Sequence[Compilation], outside: Collection[str]
) -> GoldTests:
    """How the tests expand in a sandbox where gold was built; a source that does not is left out.

    outside: names that gold's objects take from libraries.
    """
    units = preprocess(box, task, compilations)
    undefined, defined = _names_of_objects(box, task, compilations)
    defined_names = {name for names in defined.values() for name in names}
    wanted = defined_names | {name for name in outside if not is_harmless(name)}
    facts = read_bounded(SUBJECT, read_units, units, _tree(task))
    readable_units = [(c, each) for c, each in zip(compilations, facts, strict=True) if each]
    gold = [
        GoldUnit(
            compilation,
            unit.checksums,
            unit.names,
            frozenset(undefined.get(compilation.output, ())) & wanted,
        )
        for compilation, unit in readable_units
    ]
    return GoldTests(
        gold, frozenset(header for _, unit in readable_units for header in unit.headers)
    )


def find_bends(
    box: Sandbox,
    task: Task,
    gold: GoldTests,
    changed: Collection[str],
    words: Collection[str],
    borrowed: Collection[str],
) -> list[str]:
    """What a patch makes mean something else in the oracle's lines, in words, sorted.

    box: where the patch was built. changed: paths that the patch touches. words: identifiers that only the
    oracle's sources have. borrowed: names that gold's objects take from libraries.
    """
    # Sources that no test includes cannot bend a test; preprocessing costs a compiler run for each.
    if not gold.units or not _may_reach(gold, changed):
        return []
    compilations = [unit.compilation for unit in gold.units]
    if touches_build_files(task, changed):
        now = {(c.source, c.output): c for c in record_compilations(box, task)}
        # A build file of the patch may change the options of the tests, so they are recorded anew.
        compilations = [now.get((c.source, c.output), c) for c in compilations]
    patched_units = preprocess(box, task, compilations)
    facts = [unit.facts for unit in gold.units]
    bends, suspicions = read_bounded(
        SUBJECT,
        compare_units,
        facts,
        patched_units,
        _tree(task),
        frozenset(words),
        frozenset(borrowed),
    )
    if suspicions:
        paths = sorted({path for suspicion in suspicions for path in suspicion.lines})
        files = archive.unpack(box.get(paths, task.spec.environment.workdir))
        macros = read_bounded(SUBJECT, find_macros, suspicions, files)
        bends |= {f"macro {name}" for name in macros}
    undefined, _ = _names_of_objects(box, task, compilations)
    for unit, compilation in zip(gold.units, compilations, strict=True):
        calls = undefined.get(compilation.output)
        if calls is not None:
            bends |= {f"{unit.compilation.source} calls {n} no more" for n in {*unit.calls} - calls}
    return sorted(bends)


def touches_build_files(task: Task, changed: Iterable[str]) -> bool:
    """Whether any of these paths is a build file that the task leaves open to patches."""
    return any(
        kind_of(path) for path in changed if not oracle.owned_paths([path], task.owned_globs)
    )


def _may_reach(gold: GoldTests, changed: Iterable[str]) -> bool:
    """Whether changes to these paths may show in the oracle's sources: headers, build files, generators."""
    quiet = SOURCES | DOCUMENTS
    return any(PurePosixPath(p).suffix not in quiet or p in gold.headers for p in changed)


def _tree(task: Task) -> OwnedTree:
    return OwnedTree(task.spec.environment.workdir, tuple(task.owned_globs))


def preprocess(
    box: Sandbox, task: Task, compilations: Sequence[Compilation], options: str = WITH_MACROS
) -> list[PreprocessedUnit]:
    """What the preprocessor makes of each source."""
    workdir = task.spec.environment.workdir
    script = "".join(
        # Packed inside the sandbox: a preprocessed C++ test has megabytes, mainly of the system's headers.
        f"cd {shlex.quote(c.folder)} && {shlex.join(c.command)} {options} -o {ROOM}/seen/{n}"
        f" {shlex.quote(f'{workdir}/{c.source}')} 2>/dev/null && gzip -1 {ROOM}/seen/{n}\0"
        for n, c in enumerate(compilations)
    )
    head = list_setup(box, {"units": script.encode("utf-8", "surrogateescape")})
    line = f"rm -rf {ROOM}/seen; mkdir -p {ROOM}/seen\n{head}xargs -0 -P 2 -n 1 sh -c < {ROOM}/units; true"
    box.exec(Command(line, "/", TIMEOUT_S))
    names = [f"{n}.gz" for n in range(len(compilations))]
    files = archive.unpack(box.get(names, f"{ROOM}/seen"))
    return [
        PreprocessedUnit(c.source, c.folder, files.get(name, b""))
        for c, name in zip(compilations, names, strict=True)
    ]


def _names_of_objects(
    box: Sandbox, task: Task, compilations: Sequence[Compilation]
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By object of the tests, the names that it takes from elsewhere, and those that it defines."""
    objects = sorted({c.output for c in compilations if c.output})
    line = f"xargs -0 -r nm -A -P -- < {ROOM}/objects 2>/dev/null; true"
    output = run_grader_command(
        box, line, task.spec.environment.workdir, {"objects": null_separated(objects, "")}
    )
    undefined: defaultdict[str, set[str]] = defaultdict(set)
    defined: defaultdict[str, set[str]] = defaultdict(set)
    for row in output.splitlines():
        path, _, rest = row.partition(": ")
        name, _, kind = rest.partition(" ")
        if kind[:1] in ("U", "w"):
            undefined[path].add(name)
        elif kind[:1].isupper():
            defined[path].add(name)
    return undefined, defined
