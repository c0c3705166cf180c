"""Programs that prove an import: references, and programs that are wrong on purpose.

<n>/reference.<py|js|cpp|c|...>    beside tests.json; reference-NAME.* are further ones
<n>/wrong/<test>.<...>             must fail that security test
REFS/<n>/<any name>.<...>          the same in a separate folder; REFS/<n>/wrong/<test>.<...>
REFS/<n>/insecure/<any name>.<...> is functionally correct, and must fail some security test
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from arena.models.languages import Language
from arena.tracks.dual.tasks.pack import MAX_SOURCE, language_of

WRONG, INSECURE = "wrong", "insecure"
MAX_PROGRAMS = 50


@dataclass(frozen=True)
class BroughtProgram:
    """A program. `name`: for people."""

    name: str
    language: Language
    source: bytes


@dataclass(frozen=True)
class BroughtPrograms:
    """Programs of a task. wrong: test -> the program that must fail it. insecure: each is functionally
    correct, and must fail some security test.
    """

    references: tuple[BroughtProgram, ...] = ()
    wrong: dict[str, BroughtProgram] = field(default_factory=dict)
    insecure: tuple[BroughtProgram, ...] = ()


def brought_for(task: str, source: Path, references: Path | None = None) -> BroughtPrograms:
    """What is brought for a task, beside its tests and in a folder of references."""
    here = source if (source / "tests.json").exists() else source / task
    reference_files = [path for path in _files(here) if path.stem.split("-")[0] == "reference"]
    beside = brought_from(references / task) if references else BroughtPrograms()
    wrong = {path.stem: answers for path in _files(here / WRONG) if (answers := _program(path))}
    return BroughtPrograms(
        (*filter(None, map(_program, reference_files)), *beside.references)[:MAX_PROGRAMS],
        {**wrong, **beside.wrong},
        beside.insecure,
    )


def brought_from(folder: Path) -> BroughtPrograms:
    """Programs of a task in a separate folder; those in its `insecure/` are functionally correct."""
    return BroughtPrograms(
        tuple(filter(None, map(_program, _files(folder)[:MAX_PROGRAMS]))),
        {path.stem: answers for path in _files(folder / WRONG) if (answers := _program(path))},
        tuple(filter(None, map(_program, _files(folder / INSECURE)[:MAX_PROGRAMS]))),
    )


def any_brought(source: Path, references: Path | None = None) -> bool:
    """Whether a reference is brought for any task at all."""
    if references is not None:
        return True
    folders = [source] if (source / "tests.json").exists() else sorted(source.iterdir())
    return any(
        brought_for(folder.name, folder if folder != source else source).references
        for folder in folders
    )


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    # A link could bring a file of this machine into the pack.
    return sorted(p for p in folder.iterdir() if p.is_file() and not p.is_symlink())


def _program(path: Path) -> BroughtProgram | None:
    language = language_of(path)
    if language is None or not 0 < path.stat().st_size <= MAX_SOURCE:
        return None
    return BroughtProgram(path.name, language, path.read_bytes())
