"""Import of datasets in SecMutBench's JSON: a list of records, or an object with them under `samples`.

Every record that is not as it should be is named, with the field and what is wrong: nothing is dropped
silently, and a bad record hides none of the rest.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tracks.mutation.tasks.difficulty import difficulty_of
from arena.tracks.mutation.tasks.program import DIFFICULTIES, Program, StoredMutant
from tasks.loader import TaskError
from tasks.whole_file import read_whole

MAX_DATASET = 512 << 20
MAX_SOURCE = 1 << 20
MAX_MUTANTS = 1_000
CWE = re.compile(r"CWE-[0-9]{1,6}")

# Fields without which a program cannot be used: name in the file -> in `Program`.
REQUIRED = {
    "id": "id",
    "cwe": "cwe",
    "entry_point": "entry_point",
    "secure_code": "secure",
    "insecure_code": "insecure",
}

# Fields whose absence is reported, and the program kept without them.
EXPECTED = {
    "prompt": "instruction",
    "functional_tests": "functional_tests",
    "security_tests": "security_tests",
}

# What `compile` raises for text that is no program, however it was made.
FAULTS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


@dataclass(frozen=True)
class RecordProblem:
    """Something wrong in a record. `excluded` names what is left out for it: "program", "mutant" or ""."""

    record: str
    field: str
    what: str
    excluded: str = ""

    def __str__(self) -> str:
        left_out = f" ({self.excluded} left out)" if self.excluded else ""
        return f"{self.record}: {self.field}: {self.what}{left_out}"


@dataclass(frozen=True)
class Dataset:
    """Programs in the order of the file, and all that was wrong with it. version: of a pack."""

    name: str
    programs: tuple[Program, ...]
    problems: tuple[RecordProblem, ...] = ()
    version: str = ""


class BadRecord(Exception):
    """A record cannot be used; holds the problem."""

    def __init__(self, problem: RecordProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def load_dataset(path: Path) -> Dataset:
    """Programs of a dataset's JSON file, and the problems in it.

    Raises TaskError, in a line, where the file itself cannot be used.
    """
    problems: list[RecordProblem] = []
    programs: dict[str, Program] = {}
    for number, record in enumerate(_records(path)):
        try:
            program = _program(record, f"record {number}", problems)
            if program.id in programs:
                raise _exclude_program(
                    f"record {number} ({program.id})", "id", "the same as before"
                )
        except BadRecord as error:
            problems.append(error.problem)
            continue
        programs[program.id] = program
    return Dataset(path.name, tuple(programs.values()), tuple(problems))


def _records(path: Path) -> list[Any]:
    data = read_whole(path, MAX_DATASET, TaskError)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not JSON: {error}") from error
    records = content.get("samples") if isinstance(content, dict) else content
    if not isinstance(records, list):
        raise TaskError(f"{path}: samples: a list of programs is expected, or an object with one")
    if not records:
        raise TaskError(f"{path}: samples: no program in it")
    return records


def _program(record: Any, place: str, problems: list[RecordProblem]) -> Program:
    """Read a program; what can be fixed or left out goes to `problems`. Raises BadRecord."""
    if not isinstance(record, dict):
        raise _exclude_program(place, "record", f"an object is expected, not {_kind(record)}")
    if isinstance(record.get("id"), str):
        place = f"{place} ({record['id'][:80]})"
    needed = {ours: _text(record, theirs, place) for theirs, ours in REQUIRED.items()}
    if not CWE.fullmatch(needed["cwe"]):
        raise _exclude_program(place, "cwe", f"{needed['cwe'][:40]!r} is not like CWE-89")
    for theirs in ("secure_code", "insecure_code"):
        if fault := compile_fault(needed[REQUIRED[theirs]]):
            raise _exclude_program(place, theirs, f"does not compile: {fault}")
    more = {
        ours: _required_text(record, theirs, place, problems) for theirs, ours in EXPECTED.items()
    }
    return Program(
        **needed,
        **more,
        difficulty=_difficulty(record, needed["secure"], place, problems),
        origin=_optional(record, "original_id") or _optional(record, "source"),
        mutants=tuple(_mutants(record, place, problems)),
        survivors=(),
    )


def _text(record: dict[str, Any], field: str, place: str) -> str:
    """A text that must be there. Raises BadRecord."""
    if field not in record:
        raise _exclude_program(place, field, "missing")
    value = record[field]
    if not isinstance(value, str):
        raise _exclude_program(place, field, f"a text is expected, not {_kind(value)}")
    if not value.strip():
        raise _exclude_program(place, field, "empty")
    if len(value) > MAX_SOURCE:
        raise _exclude_program(place, field, f"longer than {MAX_SOURCE} characters")
    return _storable(value)


def _required_text(
    record: dict[str, Any], field: str, place: str, problems: list[RecordProblem]
) -> str:
    try:
        return _text(record, field, place)
    except BadRecord as error:
        problems.append(RecordProblem(place, field, error.problem.what))
        return ""


def _optional(record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    return _storable(value[:200]) if isinstance(value, str) else ""


def _storable(text: str) -> str:
    """JSON can name half of a surrogate pair, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _difficulty(
    record: dict[str, Any], secure: str, place: str, problems: list[RecordProblem]
) -> str:
    """The record's level if it is valid, else the computed level."""
    value = record.get("difficulty")
    if value in DIFFICULTIES:
        return str(value)
    what = (
        "missing" if value is None else f"{str(value)[:40]!r} is none of {', '.join(DIFFICULTIES)}"
    )
    problems.append(RecordProblem(place, "difficulty", f"{what}; computed from the code"))
    return difficulty_of(secure)


def _mutants(
    record: dict[str, Any], place: str, problems: list[RecordProblem]
) -> Iterator[StoredMutant]:
    """Stored mutants; a malformed mutant is reported and left out. None at all is no mistake."""
    value = record.get("mutants", [])
    if not isinstance(value, list):
        problems.append(RecordProblem(place, "mutants", f"a list is expected, not {_kind(value)}"))
        return
    if len(value) > MAX_MUTANTS:
        what = f"{len(value)} of them; only the first {MAX_MUTANTS} are used"
        problems.append(RecordProblem(place, "mutants", what, "mutant"))
    ids: set[str] = set()
    for number, entry in enumerate(value[:MAX_MUTANTS]):
        try:
            mutant = _mutant(entry, f"mutants[{number}]", place)
            if mutant.id in ids:
                raise _exclude_program(
                    place, f"mutants[{number}].id", f"{mutant.id!r} is there twice"
                )
        except BadRecord as error:
            problem = error.problem
            problems.append(RecordProblem(problem.record, problem.field, problem.what, "mutant"))
            continue
        ids.add(mutant.id)
        yield mutant


def _mutant(entry: Any, field: str, place: str) -> StoredMutant:
    if not isinstance(entry, dict):
        raise _exclude_program(place, field, f"an object is expected, not {_kind(entry)}")
    try:
        id_, operator, code = (_text(entry, n, place) for n in ("id", "operator", "mutated_code"))
    except BadRecord as error:
        raise _exclude_program(
            place, f"{field}.{error.problem.field}", error.problem.what
        ) from error
    if fault := compile_fault(code):
        raise _exclude_program(place, f"{field}.mutated_code", f"does not compile: {fault}")
    words = (_optional(entry, n) for n in ("variant_type", "mutant_category", "description"))
    return StoredMutant(id_, operator, code, *words)


def compile_fault(source: str) -> str:
    """Why Python cannot compile `source`, in a line; "" when it can."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # `dont_inherit`: else this module's own `from __future__` lines would change the meaning of the
            # program.
            compile(source, "<program>", "exec", dont_inherit=True)
    except FAULTS as error:
        return " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return ""


def _exclude_program(record: str, field: str, what: str) -> BadRecord:
    return BadRecord(RecordProblem(record, field, what, "program"))


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "null" if value is None else "a number")
