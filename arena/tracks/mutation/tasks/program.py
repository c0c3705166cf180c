"""A program of the track `mutation`, as every part of the track uses it, from whatever file it came."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class StoredMutant:
    """A mutant that came with a dataset. `variant` and `category` are the dataset's words."""

    id: str
    operator: str
    code: str
    variant: str = ""
    category: str = ""
    description: str = ""


class JudgedMutant(Protocol):
    """What identifies a survivor: a mutant of our operators."""

    @property
    def operator(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def diff(self) -> str: ...


@dataclass(frozen=True)
class Survivor:
    """Mutants that their program's author judged to be no weakness.

    variant: such as "PSQLI:percent"; diff: a text that their diffs hold, "" for any.
    """

    variant: str
    reason: str
    diff: str = ""

    def explains(self, mutant: JudgedMutant) -> bool:
        return f"{mutant.operator}:{mutant.variant}" == self.variant and self.diff in mutant.diff


@dataclass(frozen=True)
class Program:
    """A secure program, its insecure version and their tests, all as source text.

    `entry_point` names the function or class that an attacker reaches; `cwe` is "CWE-<n>"; `instruction` is
    the program's job; `survivors` list which mutants are no weakness.
    """

    id: str
    cwe: str
    entry_point: str
    secure: str
    insecure: str
    instruction: str = ""
    difficulty: str = ""
    functional_tests: str = ""
    security_tests: str = ""
    title: str = ""
    origin: str = ""
    mutants: tuple[StoredMutant, ...] = ()
    survivors: tuple[Survivor, ...] = ()

    @property
    def digest(self) -> str:
        """Digest of all that can change a verdict about it (the tests that are scored are not its part)."""
        # Neither title nor instruction: a reworded text must not score all suites anew.
        parts = (self.id, self.cwe, self.entry_point, self.secure, self.insecure)
        stored = (f"{m.id}\0{m.operator}\0{m.code}" for m in self.mutants)
        return hashlib.sha256("\0".join((*parts, *stored)).encode("utf-8", "replace")).hexdigest()
