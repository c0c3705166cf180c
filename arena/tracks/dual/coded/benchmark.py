"""A task of a benchmark whose suites are code, as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.dual.tasks.imported.brought import BroughtPrograms
from arena.tracks.dual.tasks.schema import Domain, Io, Language, OracleSpec


@dataclass(frozen=True)
class CodedTask:
    """One task.

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
