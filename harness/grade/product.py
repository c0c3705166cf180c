"""Whether what ships is compiled from the same text as a variant that stands for it.

A build file that a patch may edit can hand a macro to the product alone: by the name of its build folder, by
the flags that are set, by options of a library. The attacked build is then another program. So each source
is preprocessed as both compile it, and the texts are compared.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from harness.grade import oracle
from harness.grade.compilations import MAX_COMPILATIONS, SOURCES, record_builds
from harness.grade.expansions import unpacked_text
from harness.grade.guard import list_tracked_files
from harness.grade.preprocessed import preprocess
from harness.protocols import Sandbox
from tasks.loader import Task


@dataclass(frozen=True)
class Differences:
    """Of a variant: sources that the product compiles from a different text, and how many both compile."""

    sources: frozenset[str]
    compared: int


def compare_variants(box: Sandbox, task: Task, changed: Collection[str]) -> list[Differences]:
    """For each variant of a task, in their order, what the product in this sandbox does otherwise.

    changed: paths that a patch touches; where there are more sources than are recorded, only these count.
    """
    workdir, spec = task.spec.environment.workdir, task.spec
    sources = {
        path
        for path in {*list_tracked_files(box, workdir), *changed}
        if PurePosixPath(path).suffix in SOURCES
        and not oracle.owned_paths([path], task.owned_globs)
    }
    # A large project compiles thousands of files; a patch shows in those that it touches, or in all alike.
    if len(sources) > MAX_COMPILATIONS:
        sources &= {*changed}
    product = _texts(box, task, spec.environment.build, sources)
    differing = []
    for variant in spec.poc.variants:
        texts = _texts(box, task, variant.build, sources)
        both = product.keys() & texts.keys()
        differing.append(
            Differences(frozenset(path for path in both if product[path] != texts[path]), len(both))
        )
    return differing


def newly_different(before: list[Differences], after: list[Differences]) -> list[str]:
    """Sources that a patch makes differ in a variant in which none did, sorted."""
    return sorted(
        source
        for was, now in zip(before, after, strict=True)
        if was.compared and not was.sources
        for source in now.sources
    )


def _texts(box: Sandbox, task: Task, line: str, sources: Collection[str]) -> dict[str, set[int]]:
    """Checksums of what a build compiles of each source; those that it does not compile are left out."""
    compilations = record_builds(box, task, [line], sources)
    texts: defaultdict[str, set[int]] = defaultdict(set)
    units = preprocess(box, task, compilations, "-E -P -w")
    for compilation, unit in zip(compilations, units, strict=True):
        texts[compilation.source].add(zlib.crc32(unpacked_text(unit.packed).encode()))
    return dict(texts)
