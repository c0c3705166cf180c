"""Programs and tests that a suite changes while it runs, as a test may do to those that come after it.

A test's process belongs to the patch. What it writes over a program or a script that has yet to run is then
run in its place, and prints what gold prints. Gold's suite may do so for good reasons; it is checked only
where a patch's suite did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.grade.building import build, prepare_build, run_grader_command
from harness.grade.guard import TamperGuard, watch
from harness.grade.initial_states import bring_gold
from harness.grade.job import GradingJob
from harness.grade.ports import digest_of
from harness.grade.testing import run_suite
from harness.grade.version import GRADER_VERSION
from harness.protocols import Sandbox

EXECUTABLES = "find . -path ./.git -prune -o -type f -perm -100 -printf '%i %C@ %P\\0'"
MAX_NAMES = 20


@dataclass(frozen=True)
class SuiteWatch:
    """What a suite is going to run: executables with inode and change time, and the oracle's files."""

    box: Sandbox
    workdir: str
    guard: TamperGuard
    touched_before: frozenset[str]
    executables: Mapping[str, str]

    def rewritten(self) -> list[str]:
        """Paths that were changed or removed since, sorted. Raises SandboxDied."""
        now = _executables(self.box, self.workdir)
        programs = {path for path, state in self.executables.items() if now.get(path) != state}
        tests = {*self.guard.touched_paths()} - self.touched_before
        return sorted(programs | tests)


def watch_suite(box: Sandbox, workdir: str, guard: TamperGuard) -> SuiteWatch:
    """Begin to watch, once everything is built. Raises SandboxDied."""
    before = frozenset(guard.touched_paths())
    return SuiteWatch(box, workdir, guard, before, _executables(box, workdir))


def rewritten_unlike_gold(watched: SuiteWatch, job: GradingJob) -> list[str]:
    """Paths that the suite rewrote and gold's does not; up to `MAX_NAMES`. Raises a SandboxFault."""
    paths = watched.rewritten()
    # Gold's suite is run for this only when it matters: it costs a whole build and a run.
    if paths:
        paths = sorted({*paths} - {*_rewritten_by_gold(job)})
    return paths[:MAX_NAMES]


def _rewritten_by_gold(job: GradingJob) -> list[str]:
    """Paths that gold's suite rewrites, in a separate sandbox; cached for the next patch."""
    task, cache = job.task, job.cache
    key = "rewritten:" + digest_of(
        str(GRADER_VERSION), task.gold_digest, job.environment.identity, EXECUTABLES
    )
    fact = cache.fact(key)
    if fact is None:
        with job.sandboxes.open() as box:
            bring_gold(box, task)
            prepare_build(box, task)
            build(box, task, task.spec.environment.build, "build", "gold does not build", cache)
            if task.spec.tests.build:
                build(box, task, task.spec.tests.build, "tests", "gold's tests do not build", cache)
            workdir = task.spec.environment.workdir
            watched = watch_suite(box, workdir, watch(box, task, None))
            run_suite(job.backend, box, task, cache)
            fact = {"paths": watched.rewritten()}
        cache.put_fact(key, fact)
    return list(fact["paths"])


def _executables(box: Sandbox, workdir: str) -> dict[str, str]:
    rows = (
        row.split(" ", 2)
        for row in run_grader_command(box, EXECUTABLES, workdir).split("\0")
        if row
    )
    return {path: f"{inode} {changed}" for inode, changed, path in rows}
