"""What a variant of SZZ is: which lines of a fix it traces, how, and which commits remain.

A variant is data: git's options, and three functions. A new variant is a new file in `szz/variants`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from szz.blame import Origin, blame
from szz.change import ChangedFile, Range
from szz.code import blank_lines, code_lines
from szz.paths import is_code
from szz.repository import Commit, Repository


@dataclass(frozen=True)
class VariantExample:
    """A history of a single file `f.c` and the candidates that a variant returns for it.

    `versions[i]` is the file in commit i; the last commit is the fix. `expected` are the indices of the
    candidates.
    """

    versions: tuple[str, ...]
    expected: frozenset[int]
    why: str = ""


@dataclass(frozen=True)
class SzzQuestion:
    """The lines of a file to trace, as of the fix's first parent, and their origins."""

    repository: Repository
    fix: str
    parent: Commit
    change: ChangedFile
    lines: tuple[Range, ...]
    options: tuple[str, ...]

    def origins(self, *more: str) -> list[Origin]:
        """Blame the lines, with `more` options of git. Raises SzzError."""
        options = (*self.options, *more)
        return blame(self.repository, self.parent.id, self.change.path, self.lines, options)


Lines = Callable[[Repository, ChangedFile], Iterable[Range]]
Ask = Callable[[SzzQuestion], list[Origin]]
Choose = Callable[[Repository, Sequence[Origin]], Sequence[Origin]]


def removed_ranges(repository: Repository, change: ChangedFile) -> Iterable[Range]:
    """Every line that the fix deletes or replaces."""
    return change.removed_ranges


def code_flags(repository: Repository, change: ChangedFile) -> list[bool]:
    """For each line of the parent's file whether it holds code; in files that are not C or C++: any text."""
    lines = code_lines if is_code(change.path) else blank_lines
    return lines(repository.read(change.blob)[1])


def removed_code(repository: Repository, change: ChangedFile) -> Iterable[Range]:
    """The deleted or replaced lines that hold code: no blank lines, no comments."""
    holds = code_flags(repository, change)
    return join(
        n for first, last in change.removed_ranges for n in range(first, last + 1) if holds[n - 1]
    )


def join(numbers: Iterable[int]) -> list[Range]:
    """Rising line numbers as ranges."""
    ranges: list[Range] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def ask(question: SzzQuestion) -> list[Origin]:
    """What blame says."""
    return question.origins()


def every(repository: Repository, origins: Sequence[Origin]) -> Sequence[Origin]:
    """All of them."""
    return origins


@dataclass(frozen=True)
class Variant:
    """`source` names the paper. `diff` and `blame` are options of git on top of the plain ones."""

    name: str
    source: str
    examples: tuple[VariantExample, ...]
    diff: tuple[str, ...] = ()
    blame: tuple[str, ...] = ()
    lines: Lines = removed_ranges
    ask: Ask = ask
    choose: Choose = every
