"""Importers from a source's records to cases: a file for each kind of source, with its examples.

`recognise(path)` finds the importer; its `read(path)` yields each record as `Imported` or `Rejected`.
Importers only read. What they yield is put into a store by `arena.building.cases.importing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from arena.building.cases.recipes import RECIPES, digest_of_files, recipe_files
from arena.building.cases.schema import Case
from parsers import registry
from tasks.loader import MAX_FILE, TaskError
from tasks.whole_file import read_whole

PACKAGE = "arena.building.cases.importers"


@dataclass(frozen=True)
class Imported:
    """A case; files to lie beside it (path -> content); the files of its recipe; and the history of a pack
    for its `repository`, when it has no repository elsewhere, with its path below the store's
    `repositories/`."""

    case: Case
    files: Mapping[str, bytes] = field(default_factory=dict)
    history: Path | None = None
    clone: str = ""
    recipe: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Rejected:
    """A record that is no case, by its id (or its file's name without an id), and why."""

    id: str
    reason: str


@dataclass(frozen=True)
class ImporterExample:
    """A small source: `write` makes it below a folder and returns what to import.

    `imported` are the ids that come out, `rejected` ids with a part of each reason.
    """

    write: Callable[[Path], Path]
    imported: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)


class Importer(Protocol):
    """The PLUGIN of a file in this package. `what` says in a few words what it takes."""

    what: str
    examples: tuple[ImporterExample, ...]

    def recognises(self, path: Path) -> bool:
        """Whether `path` (a file or a folder) is a source of this kind; a glance, not a check."""
        ...

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        """Every record of the source, in order. Raises TaskError when it cannot be read at all."""
        ...

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        """A few records of the source, or all: the record with this id is among them if the source has it.

        id_: a plain name (`tasks.schema.NAME`). Raises as `read`.
        """
        ...


def travelling_files(folder: Path, names: Mapping[str, str]) -> dict[str, bytes]:
    """The files of a folder that come along: path in it -> name beside the case. Raises TaskError."""
    files = {}
    for name, beside in names.items():
        path = folder / name
        if path.is_symlink():
            raise TaskError(f"{path}: must be a plain file")
        if path.is_file():
            files[beside] = read_whole(path, MAX_FILE, TaskError)
    return files


def recipe_of(store: Path, case: Case) -> dict[str, bytes]:
    """The files of a case's recipe in a folder that has `recipes/`; none where they are not there.

    Raises TaskError where they are not those that the case states.
    """
    environment = case.environment
    if environment is None or not environment.recipe:
        return {}
    files = recipe_files(store, environment.recipe)
    if files and environment.origin and digest_of_files(files) != environment.origin.sha256:
        where_found = (
            f"{store / RECIPES / environment.recipe} has the digest {digest_of_files(files)}"
        )
        raise TaskError(f"environment.origin: {where_found}, stated is {environment.origin.sha256}")
    return files


def recognise(path: Path) -> Importer:
    """The importer for `path`. Raises TaskError when there is no such file, or none takes it."""
    importers: list[Importer] = [registry.lookup(PACKAGE, name) for name in registry.names(PACKAGE)]
    try:
        for importer in importers:
            if importer.recognises(path):
                return importer
        missing = not path.exists()
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error
    if missing:
        raise TaskError(f"{path}: no such file or folder")
    forms = "; ".join(importer.what for importer in importers)
    raise TaskError(f"{path}: no source of cases that is known ({forms})")


def writes(files: Mapping[str, str | bytes], source: str = ".") -> Callable[[Path], Path]:
    """For examples: makes the files and returns `source` below the folder."""

    def write(folder: Path) -> Path:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / source

    return write
