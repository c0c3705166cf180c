"""Packs of the track `mutation` on disk: read and written. The tree is drawn in
`arena/tracks/mutation/tasks/__init__.py`.

Stored mutants, where a program came with some, stand beside it as `mutants.jsonl`; mutants of our operators
that are no weakness are named in `survivors.toml`: `[[survivor]]` with `variant` ("PSQLI:percent"), `reason`,
and `diff` (a text that their diffs hold) where the variant has others.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, StringConstraints, ValidationError

from arena.tracks.mutation.tasks.difficulty import difficulty_of
from arena.tracks.mutation.tasks.program import Program, StoredMutant, Survivor
from arena.tracks.mutation.tasks.secmutbench import (
    MAX_SOURCE,
    Dataset,
    RecordProblem,
    compile_fault,
    load_dataset,
)
from tasks.derived_file import DerivedFile
from tasks.loader import TaskError, UnknownPack, expect_id, find_pack, known_packs, open_pack
from tasks.schema import Cwe, Model, Name
from tasks.whole_file import read_whole

MAX_STORED = 64 << 20

# Field of `Program` -> file in its folder.
FILES = {
    "secure": "secure.py",
    "insecure": "insecure.py",
    "instruction": "instruction.md",
    "functional_tests": "test_functional.py",
    "security_tests": "test_security.py",
}

Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f]*$", max_length=300)]


class ProgramSpec(Model):
    """A whole `program.toml`."""

    id: Name
    title: Line = ""
    cwe: Cwe
    entry_point: Line = Field(min_length=1)
    difficulty: Literal["easy", "medium", "hard", ""] = ""
    tags: tuple[Line, ...] = Field(default=(), max_length=20)
    origin: Line = ""


class MutantSpec(Model):
    """A line of `mutants.jsonl`."""

    id: str = Field(min_length=1, max_length=200)
    operator: str = Field(min_length=1, max_length=100)
    code: str = Field(min_length=1, max_length=MAX_SOURCE)
    variant: str = ""
    category: str = ""
    description: str = ""


class SurvivorSpec(Model):
    """A `[[survivor]]` of `survivors.toml`."""

    variant: str = Field(pattern=r"^\w+:\w+$", max_length=200)
    reason: Line = Field(min_length=1)
    diff: str = Field(default="", max_length=1000)


class SurvivorsSpec(Model):
    """A whole `survivors.toml`."""

    survivor: tuple[SurvivorSpec, ...] = Field(min_length=1)


# The field that may be stored as a diff of the secure version.
INSECURE = "insecure"

Spec = TypeVar("Spec", bound=Model)


def load_programs(name: str | Path) -> Dataset:
    """Programs of a pack's folder, of a pack that ships (by name), or of a dataset's JSON file.

    Raises TaskError, in a line, where there is none, or for the first mistake in a pack.
    """
    path = Path(name)
    try:
        if path.is_file():
            return load_dataset(path)
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    try:
        return load_pack(find_pack(name))
    except UnknownPack as error:
        expectation = "neither a dataset's JSON file nor a folder with pack.toml"
        raise TaskError(f"{path}: {expectation}; {known_packs()}") from error


def folder_of(name: str | Path) -> Path | None:
    """The folder of a pack that `load_programs` takes; None for a dataset's JSON file."""
    return None if Path(name).is_file() else find_pack(name)


def load_pack(folder: Path) -> Dataset:
    """All programs of a pack, in order of id. A bad file is a mistake in the pack: raises TaskError."""
    folder, spec, program_folders = open_pack(folder, "mutation", "program.toml")
    programs = tuple(load_program(path) for path in program_folders)
    return Dataset(f"{spec.name} {spec.version}", programs, version=spec.version)


def load_program(folder: Path) -> Program:
    """Load a program's folder. Raises TaskError naming the file and the field."""
    path = folder / "program.toml"
    spec = _toml(path, ProgramSpec)
    # The folder's name is the id in the store: a pack with two names for one program would mix results.
    expect_id(path, spec.id)
    texts = {
        field: _read(folder / name, MAX_SOURCE)
        for field, name in FILES.items()
        if field != INSECURE
    }
    insecure = insecure_file(folder)
    texts[INSECURE] = _decode(insecure.path, insecure.read())
    for field in ("secure", "insecure"):
        if fault := compile_fault(texts[field]):
            raise TaskError(f"{folder / FILES[field]}: does not compile: {fault}")
    return Program(
        id=spec.id,
        cwe=spec.cwe,
        entry_point=spec.entry_point,
        title=spec.title,
        difficulty=spec.difficulty or difficulty_of(texts["secure"]),
        origin=spec.origin,
        mutants=tuple(_stored_mutants(folder / "mutants.jsonl")),
        survivors=tuple(_survivors(folder / "survivors.toml")),
        **texts,
    )


def insecure_file(folder: Path) -> DerivedFile:
    """The insecure version in a program's folder, which may be stored as a diff of the secure version."""
    return DerivedFile(folder, FILES[INSECURE], FILES["secure"], _read_source)


def write_pack(
    folder: Path, dataset: Dataset, name: str, version: str, licence: str
) -> list[RecordProblem]:
    """Write programs as a pack; returns those that cannot be a separate folder, by what is wrong.

    Raises TaskError when the folder is there already, or cannot be written.
    """
    problems: list[RecordProblem] = []
    try:
        folder.mkdir(parents=True)
        for program in dataset.programs:
            try:
                spec = _spec_of(program)
            except ValidationError as error:
                problems.append(RecordProblem(program.id, *_first(error), excluded="program"))
                continue
            write_program(folder / program.id, spec, program)
        described = f"Imported from {dataset.name}"
        pack = {"name": name, "version": version, "licence": licence, "track": "mutation"}
        lines = ["schema = 1", *(f"{key} = {_quote_toml(text)}" for key, text in pack.items())]
        lines.append(f"description = {_quote_toml(described)}")
        (folder / "pack.toml").write_text("\n".join(lines) + "\n", "utf-8")
    except OSError as error:
        raise TaskError(f"{folder}: {error.strerror}") from error
    return problems


def _spec_of(program: Program) -> ProgramSpec:
    """Raises ValidationError where the program's facts do not fit a folder."""
    facts = {
        name: getattr(program, name) for name in ("id", "title", "cwe", "entry_point", "origin")
    }
    level = program.difficulty or difficulty_of(program.secure)
    return ProgramSpec.model_validate({**facts, "difficulty": level})


def write_program(folder: Path, spec: ProgramSpec, program: Program) -> None:
    """Write a program's folder. Raises OSError."""
    folder.mkdir()
    lines = [f"{k} = {_toml_value(v)}" for k, v in spec.model_dump().items() if v or k == "id"]
    (folder / "program.toml").write_text("\n".join(lines) + "\n", "utf-8")
    for field, name in FILES.items():
        _write(folder / name, getattr(program, field))
    if program.mutants:
        stored = (json.dumps(vars(mutant)) for mutant in program.mutants)
        _write(folder / "mutants.jsonl", "".join(f"{line}\n" for line in stored))

    if program.survivors:
        entries = (
            "".join(f"{k} = {_quote_toml(v)}\n" for k, v in vars(survivor).items() if v)
            for survivor in program.survivors
        )
        _write(folder / "survivors.toml", "".join(f"[[survivor]]\n{entry}" for entry in entries))


def _write(path: Path, text: str) -> None:
    """As it is: line ends too, since a program's text may be what a test compares."""
    path.write_bytes(text.encode("utf-8"))


def _toml_value(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        return _quote_toml(value)
    return "[" + ", ".join(_quote_toml(entry) for entry in value) + "]"


def _quote_toml(text: str) -> str:
    """A TOML basic string: JSON's, with the additional character that TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _survivors(path: Path) -> Iterator[Survivor]:
    # A link that leads nowhere is a mistake, and not a missing file.
    if os.path.lexists(path):
        for spec in _toml(path, SurvivorsSpec).survivor:
            yield Survivor(spec.variant, spec.reason, spec.diff)


def _stored_mutants(path: Path) -> Iterator[StoredMutant]:
    if not os.path.lexists(path):
        return
    ids: set[str] = set()
    # Not `splitlines`: JSON may hold U+2028, at which it would split.
    for number, line in enumerate(_read(path, MAX_STORED).split("\n"), 1):
        if not line.strip():
            continue
        try:
            spec = MutantSpec.model_validate_json(line)
        except ValidationError as error:
            raise TaskError(f"{path}: line {number}: {': '.join(_first(error))}") from error
        fault = compile_fault(spec.code) or ("id: is there twice" if spec.id in ids else "")
        if fault:
            raise TaskError(f"{path}: line {number}: {fault}")
        ids.add(spec.id)
        yield StoredMutant(**spec.model_dump())


def _read(path: Path, limit: int) -> str:
    """A plain file's text. Raises TaskError."""
    return _decode(path, _read_plain(path, limit))


def _read_source(path: Path) -> bytes:
    return _read_plain(path, MAX_SOURCE)


def _read_plain(path: Path, limit: int) -> bytes:
    """A plain file's content. Raises TaskError."""
    # A link in a pack could lead to any file of this machine.
    if not path.is_file() or path.is_symlink():
        raise TaskError(f"{path}: missing (a plain file is expected)")
    return read_whole(path, limit, TaskError)


def _decode(path: Path, data: bytes) -> str:
    """Raises TaskError where the content of `path` is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from error


def _toml(path: Path, model: type[Spec]) -> Spec:
    try:
        return model.model_validate(tomllib.loads(_read(path, MAX_SOURCE)))
    except ValidationError as error:
        raise TaskError(f"{path}: {': '.join(_first(error))}") from error
    except (ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not TOML: {error}") from error


def _first(error: ValidationError) -> tuple[str, str]:
    """Field and what is wrong, of the first of a model's mistakes."""
    first = error.errors()[0]
    return ".".join(str(part) for part in first["loc"]) or "line", first["msg"]
