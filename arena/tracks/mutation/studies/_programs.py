"""The programs that a study is about."""

from __future__ import annotations

from collections.abc import Collection

from arena.output import print_first
from arena.tracks.mutation.tasks.pack import load_programs
from arena.tracks.mutation.tasks.program import Program
from tasks.loader import TaskError


def programs_of(pack: str, tasks: Collection[str]) -> list[Program]:
    """Those of a pack or dataset, or only these `tasks`; prints problems. Raises TaskError for none."""
    data = load_programs(pack)
    print_first("problem", [str(problem) for problem in data.problems])
    result = [program for program in data.programs if not tasks or program.id in tasks]
    if unknown := sorted({*tasks} - {program.id for program in result}):
        raise TaskError(f"{pack}: no task {unknown[0][:200]!r}")
    if not result:
        raise TaskError(f"{pack}: no usable program in it")
    return result
