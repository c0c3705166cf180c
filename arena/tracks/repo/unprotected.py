"""Build files that a task does not protect, with what is to be done."""

from __future__ import annotations

from collections.abc import Iterator

from harness.grade import oracle
from harness.grade.apply import apply_gold, examine
from harness.grade.build_files import find_in_box
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.grader import Grader
from harness.grade.guard import list_tracked_files
from tasks.loader import Task

MAX_FILES = 20
ADVICE = (
    "a patch may write it, and its builds follow it: add it to tests.files, or, where good patches "
    "must edit it, let poc.build take the same list of files and the same flags"
)


def find_unprotected(grader: Grader, task: Task) -> Iterator[tuple[str, str]]:
    """Build files, at gold's state, that `tests.files` does not protect: (path, advice)."""
    gold = examine(task.solution("gold"))
    with sandbox(grader.backend, prepare(grader.backend, task).image, limits_of(task)) as box:
        # At gold's state, because gold may bring build files that PVIC does not have.
        apply_gold(box, task, gold)
        workdir = task.spec.environment.workdir
        unprotected = find_in_box(
            box, workdir, gold.facts.touched_paths.union(list_tracked_files(box, workdir))
        )
    free = sorted(unprotected.keys() - set(oracle.owned_paths(unprotected, task.spec.tests.files)))
    for path in free[:MAX_FILES]:
        yield (
            path,
            f"a build file ({unprotected[path].name}) that the task does not protect; {ADVICE}",
        )
    if len(free) > MAX_FILES:
        yield "tests.files", f"{len(free) - MAX_FILES} more build files are not protected"
