"""Which builds and programs of a task are attacked, and how they differ from the build that ships.

A patch that is vulnerable only in the product's build passes where that is never attacked. So each
macro that only some of the builds have is named: a patch may distinguish them by it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

from harness.command import Command
from harness.grade.building import Failed
from harness.grade.compilations import SOURCES, Compilation, record_builds
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.grader import Grader
from harness.grade.guard import list_tracked_files
from harness.grade.initial_states import bring_gold
from harness.sandbox.base import Backend
from tasks.loader import Task
from tasks.schema import BuildVariant

SHIPPED = "the product"
# Macros that are named.
MAX_MACROS = 8
KINDS = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++"}


def describe(grader: Grader, task: Task) -> Iterator[tuple[str, str]]:
    """Warnings about what is not attacked: place and message. Raises a SandboxFault, TaskBroken."""
    if not task.asks.patch:
        return
    _, gold = grader.ready(task)
    variants = task.spec.poc.variants
    for variant, fixed in zip(variants, gold.variants, strict=False):
        if fixed.why_not:
            yield "poc.variants", f"{variant.name or variant.command!r}: not used: {fixed.why_not}"
    if not any(map(partial(_has_program, task), variants)):
        yield (
            "poc.variants",
            "no program of the project is attacked beside the fuzz target: `entries`",
        )
    if not gold.tests.units:
        yield (
            "tests",
            "how they are compiled is not known, so that macros that bend them are not seen",
        )
    yield from _told_apart(predefined_macros(grader.backend, task))


def _has_program(task: Task, variant: BuildVariant) -> bool:
    """Whether a variant attacks more than the fuzz target."""
    return bool(variant.entries) or task.spec.poc.target not in variant.command


def _told_apart(macros: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Macros that only the product has, or has not."""
    shipped = macros.get(SHIPPED, frozenset())
    attacked = [names for build, names in macros.items() if build != SHIPPED]
    if not shipped or not attacked:
        return
    # A macro that only some of the attacked builds lack is no way out: the other builds still take the
    # product's path.
    everywhere = frozenset.intersection(*attacked)
    anywhere = frozenset.union(*attacked)
    for names, which in (
        (shipped - anywhere, "only the product's own build defines"),
        (everywhere - shipped, "every build but the product's own defines"),
    ):
        if names:
            shown = ", ".join(sorted(names)[:MAX_MACROS])
            more = f" and {len(names) - MAX_MACROS} more" if len(names) > MAX_MACROS else ""
            yield (
                "poc.variants",
                f"{which} {shown}{more}: a patch can tell it from what is attacked",
            )


def predefined_macros(backend: Backend, task: Task) -> dict[str, frozenset[str]]:
    """Build -> macros that its compiler defines before the first line of a source.

    For the source that the largest number of builds compile; a build that could not be recorded is left out.
    """
    poc = task.spec.poc
    lines = {SHIPPED: task.spec.environment.build, "the fuzz target": poc.build}
    lines |= {f"{v.name or 'variant'} ({n})": v.build for n, v in enumerate(poc.variants, 1)}
    by_kind: dict[str, list[Compilation]] = {}
    with sandbox(backend, prepare(backend, task).image, limits_of(task)) as box:
        bring_gold(box, task)
        names = list_tracked_files(box, task.spec.environment.workdir)
        paths = [path for path in names if PurePosixPath(path).suffix in SOURCES]
        for build, line in lines.items():
            try:
                by_kind[build] = record_builds(box, task, [line], paths)
            # A variant that does not build is reported by the checks; here it only drops out of the
            # comparison.
            except Failed:
                continue
        source = _common_source(list(by_kind.values()))
        chosen = {
            build: next((c for c in compilations if c.source == source), None)
            for build, compilations in by_kind.items()
        }
        macros = {}
        for build, compilation in chosen.items():
            if compilation is not None:
                kind = KINDS[PurePosixPath(source).suffix]
                # An empty source, so that only the compiler and its flags count and no header of the patch.
                command = f"{shlex.join(compilation.command)} -dM -E -x {kind} /dev/null"
                output = box.exec(Command(command, compilation.folder)).output.decode(
                    "utf-8", "replace"
                )
                rows = (line.split() for line in output.splitlines())
                macros[build] = frozenset(row[1].partition("(")[0] for row in rows if len(row) > 1)
    return macros


def _common_source(builds: Sequence[Sequence[Compilation]]) -> str:
    """The source that the largest number of builds compile."""
    counts: dict[str, int] = {}
    for build in builds:
        for source in {compilation.source for compilation in build}:
            counts[source] = counts.get(source, 0) + 1
    # Sorted first, so that of equally frequent sources the same one is taken on every machine.
    return max(sorted(counts), key=lambda source: counts[source], default="")
