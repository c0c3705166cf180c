"""A checked task of a pack -> an entry of a catalogue."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from arena.building.cases.loader import CASE_FILE
from arena.building.cases.proof import Conclusion, ProofSpec
from arena.building.cases.schema import Case
from arena.building.cases.store import to_toml
from arena.building.catalogue.entries import (
    INSTRUCTION,
    CatalogueEntry,
    expect_plain,
    load_entry,
    problems_of,
    read_instruction,
)
from arena.building.task_case import read_task_case
from tasks.kinds import TaskKind
from tasks.loader import Task, TaskError
from tasks.whole_file import first_mistake
from tasks.writing import write_whole


def add_entry(
    task: Task, others: tuple[Task, ...], catalogue: Path, read_by: str = "", note: str = ""
) -> CatalogueEntry:
    """Write the entry of a task of kind `write`; an entry of the same case is replaced.

    others: of the same pack; those with its fix are the further kinds that the case became. read_by: who read
    the VIC against the fix and confirmed it; the note says by what. Raises TaskError where the task is no
    entry, naming everything that is wrong.
    """
    case = read_task_case(task.folder)
    if case is None or task.kind is not TaskKind.WRITE:
        raise TaskError(f"{task.folder}: no case is kept beside the task, or it is of another kind")
    text = read_instruction(task.folder / INSTRUCTION)
    entry = _as_entry(case, _kinds_of(task, others), read_by, note)
    problems = problems_of(entry, text)
    if problems:
        raise TaskError(f"{task.folder}: {'; '.join(problems)}")
    folder = catalogue / entry.project / entry.id
    try:
        if folder.is_dir() or folder.parent.is_symlink():
            expect_plain(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / INSTRUCTION, text.encode())
        write_whole(folder / CASE_FILE, to_toml(entry).encode())
    except OSError as error:
        raise TaskError(f"{folder}: cannot be written: {error.strerror}") from error
    return load_entry(folder)


def _as_entry(case: Case, kinds: tuple[TaskKind, ...], read_by: str, note: str) -> Case:
    """The case without what only its store has."""
    expected = case.expected.model_copy(update={"kinds": kinds})
    changed: dict[str, object] = {"expected": expected}
    if case.poc is not None:
        changed["poc"] = case.poc.model_copy(update={"file": None})
    if case.proof is not None and read_by:
        right: Conclusion = "right"
        read = {"read_by": read_by, "conclusion": right, "note": note or case.proof.note}
        try:
            changed["proof"] = ProofSpec.model_validate({**case.proof.model_dump(), **read})
        except ValidationError as error:
            raise TaskError(f"--read-by, --note: {first_mistake(error)}") from error
    return case.model_copy(update=changed)


def _kinds_of(task: Task, others: tuple[Task, ...]) -> tuple[TaskKind, ...]:
    """The kinds of all tasks of the pack that have the task's fix, as they are listed."""
    fix = task.spec.source.repository, task.spec.source.vfc
    task_by_kind = {
        each_task.kind
        for each_task in (task, *others)
        if (each_task.spec.source.repository, each_task.spec.source.vfc) == fix
    }
    return tuple(kind for kind in TaskKind if kind in task_by_kind)
