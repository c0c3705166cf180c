"""Words that only the oracle's sources have: with gold, no macro of the project has such a name."""

from __future__ import annotations

from pathlib import PurePosixPath

from harness.grade import oracle
from harness.grade.building import ROOM, null_separated, run_grader_command
from harness.grade.guard import list_tracked_files
from harness.protocols import Sandbox
from tasks.loader import Task

SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc"})
MAX_WORDS = 200_000
SPLIT = f"""\
export LC_ALL=C
words() {{ xargs -0 -r cat -- < {ROOM}/$1 2>/dev/null | grep -aoE '[A-Za-z_][A-Za-z0-9_]*' | sort -u; }}
words theirs > {ROOM}/words; words others | comm -23 {ROOM}/words - | head -n {MAX_WORDS}
"""


def words_of_tests(box: Sandbox, task: Task) -> list[str]:
    """The identifiers that only the oracle's C and C++ files have, in a sandbox at gold's state."""
    workdir = task.spec.environment.workdir
    code = [
        path for path in list_tracked_files(box, workdir) if PurePosixPath(path).suffix in SUFFIXES
    ]
    test_files = oracle.owned_paths(code, task.owned_globs)
    project_files = sorted(set(code) - set(test_files))
    return run_grader_command(
        box,
        SPLIT,
        workdir,
        {"theirs": null_separated(test_files), "others": null_separated(project_files)},
    ).split()
