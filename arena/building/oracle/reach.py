"""Whether the tests reach the code that gold touches: a run of the suite with counters in the objects."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.building.oracle.compilers import compilers_by_path, put_compilers
from arena.building.oracle.gather import Gathered, forget_counts, gather
from harness.grade.apply import apply_gold
from harness.grade.building import build, ending, log_of, prepare_build, with_errors
from harness.grade.candidate import PatchCandidate
from harness.grade.decide import Decided
from harness.grade.environment import limits_of, put_repository, sandbox
from harness.grade.oracle import owned_paths
from harness.grade.ports import ResultCache
from harness.grade.sast.languages import LanguageKind, kind_of
from harness.grade.scrub import NotRemoved, scrub
from harness.grade.testing import run_suite
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task


@dataclass(frozen=True)
class FileReach:
    """A touched file: lines with code and lines that ran, of all and of those that gold adds."""

    path: str
    instrumented: int
    executed: int
    added: int
    added_executed: int


@dataclass(frozen=True)
class ReachOfTests:
    """Whether the tests run what gold adds; None when it could not be measured. `reason` says why."""

    reaches: bool | None
    reason: str
    files: tuple[FileReach, ...] = ()
    unmeasured: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "reaches": self.reaches,
            "reason": self.reason,
            "files": [vars(file) for file in self.files],
            "unmeasured": list(self.unmeasured),
            "notes": list(self.notes),
        }


NOT_MEASURED = ReachOfTests(None, "not measured")


def measure(backend: Backend, task: Task, gold: PatchCandidate, cache: ResultCache) -> ReachOfTests:
    """Build gold from scratch with counters, run the suite once, and judge. Raises a SandboxFault."""
    subjects = subjects_of(task, gold)
    if not subjects:
        return ReachOfTests(None, "gold touches no C or C++ source outside of the oracle's files")
    base = backend.resolve(task.spec.environment.image)
    try:
        with sandbox(backend, base, limits_of(task)) as box:
            scrub(box, task.spec.environment, empty_workdir=task.history is not None)
            put_repository(box, task)
            return _measure_in_box(backend, box, task, gold, cache, subjects)
    except Decided as decided:
        reason = with_errors(decided.reason, log_of(decided, cache))
        return ReachOfTests(None, f"with counters: {reason}", notes=_notes(task))
    except (NotRemoved, TaskBroken) as stopped:
        return ReachOfTests(None, f"with counters: {stopped}", notes=_notes(task))


def subjects_of(task: Task, gold: PatchCandidate) -> dict[str, frozenset[int]]:
    """The C and C++ files that gold leaves, without the oracle's -> lines that gold adds."""
    tests = set(owned_paths(gold.paths, task.owned_globs))
    return {
        change.new: frozenset(change.added)
        for change in gold.facts.files
        if change.new
        and change.new not in tests
        and kind_of(change.new) is not LanguageKind.NOT_C_FAMILY
    }


def _measure_in_box(
    backend: Backend,
    box: Sandbox,
    task: Task,
    gold: PatchCandidate,
    cache: ResultCache,
    subjects: Mapping[str, frozenset[int]],
) -> ReachOfTests:
    measuring = with_path(task, put_compilers(box))
    spec = measuring.spec
    apply_gold(box, measuring, gold)
    prepare_build(box, task)
    build(box, measuring, spec.environment.build, "build", "gold does not build", cache)
    if spec.tests.build:
        build(box, measuring, spec.tests.build, "tests", "the tests do not build", cache)
    forget_counts(box, spec.environment.workdir)
    run = run_suite(backend, box, measuring, cache)
    if run.done.over:
        return ReachOfTests(None, f"with counters the suite {ending(run.done)}")
    gathered = gather(box, spec.environment.workdir, frozenset(subjects))
    reach = judge(subjects, gathered)
    reach = replace(reach, notes=(*_notes(task), *reach.notes))
    if reach.reaches is False and run.done.stopped:
        return replace(reach, reaches=None, reason=f"with counters the suite {ending(run.done)}")
    return reach


def with_path(task: Task, path: str) -> Task:
    """The task with `path` as the PATH of its build and its tests."""
    spec = task.spec

    def with_it(line: str) -> str:
        return f"export PATH={shlex.quote(path)}\n{line}" if line else ""

    environment = spec.environment.model_copy(update={"build": with_it(spec.environment.build)})
    lines = {"build": with_it(spec.tests.build), "command": with_it(spec.tests.command)}
    tests = spec.tests.model_copy(update=lines)
    return replace(task, spec=spec.model_copy(update={"environment": environment, "tests": tests}))


def _notes(task: Task) -> tuple[str, ...]:
    spec = task.spec
    named = compilers_by_path(spec.environment.build, spec.tests.build, spec.tests.command)
    return tuple(
        f"not measured: what {name} compiles, which is named by its path" for name in named
    )


def judge(subjects: Mapping[str, frozenset[int]], gathered: Gathered) -> ReachOfTests:
    """The verdict on what was gathered."""
    files = tuple(
        _file(path, added, gathered.lines[path])
        for path, added in sorted(subjects.items())
        if path in gathered.lines
    )
    unmeasured = tuple(sorted(set(subjects) - gathered.lines.keys()))
    notes = tuple(gathered.notes)
    if not gathered.objects:
        why = "no object has counters: no compiler was called by its name in PATH"
        return ReachOfTests(None, why, (), unmeasured, notes)
    if not files:
        why = f"none of {gathered.objects} objects with counters has code of the files that gold touches"
        return ReachOfTests(None, why, (), unmeasured, notes)
    reaches, reason = _verdict(files)
    return ReachOfTests(reaches, reason, files, unmeasured, notes)


def _verdict(files: tuple[FileReach, ...]) -> tuple[bool, str]:
    """Judge by the added lines; where none of them has code (declarations, deletions), by the files'."""
    added, ran = sum(file.added for file in files), sum(file.added_executed for file in files)
    if added:
        return ran > 0, f"the tests run {ran} of {added} lines that gold adds"
    whole, ran = sum(file.instrumented for file in files), sum(file.executed for file in files)
    return ran > 0, f"gold adds no line with code; the tests run {ran} of {whole} in its files"


def _file(path: str, added: frozenset[int], lines: Mapping[int, int]) -> FileReach:
    executed = {number for number, count in lines.items() if count}
    return FileReach(
        path, len(lines), len(executed), len(added & lines.keys()), len(added & executed)
    )
