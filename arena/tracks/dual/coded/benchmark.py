"""A task of a benchmark whose suites are code, as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.models.languages import Language
from arena.tracks.dual.tasks.imported.brought import BroughtPrograms
from arena.tracks.dual.tasks.pack import MAX_SOURCE
from arena.tracks.dual.tasks.schema import Domain, Io, OracleSpec
from tasks.loader import TaskError
from tasks.whole_file import read_whole


def read_inside(folder: Path, path: Path) -> bytes:
    """A file of a benchmark. Raises TaskError where it is none, leads out of the folder, or is too large."""
    if not path.exists():
        raise TaskError(f"{path}: missing")
    # A link in a checkout may lead to any file of this machine, which would then be in the pack.
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        raise TaskError(f"{path}: no file of the benchmark")
    return read_whole(path, MAX_SOURCE, TaskError)


def read_text(folder: Path, path: Path) -> str:
    """The same as text; bytes that are not UTF-8 are replaced."""
    return read_inside(folder, path).decode("utf-8", "replace")


@dataclass(frozen=True)
class CodedTask:
    """A task of a benchmark whose tests are code.

    instruction: "" where the test module has it (its fact `prompt`). files: of the folder `oracle/`. cwe: of
    its security tests, where they do not say. place, limits: as in `task.toml`. programs: that come with it.
    """

    id: str
    origin: str
    oracle: OracleSpec
    files: Mapping[str, bytes]
    io: Io
    language: Language
    instruction: str = ""
    cwe: str = ""
    domain: Domain = "other"
    place: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    programs: BroughtPrograms = field(default_factory=BroughtPrograms)
