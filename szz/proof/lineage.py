"""What a proof asks of a history, and the lines drawn through it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol


class NotInLineage(LookupError):
    """The history holds no commit of that name; the message is a single line."""


class History(Protocol):
    """The ancestry of commits, by full ids.

    A merge base would not do in place of `is_ancestor`: where a branch had merged the main line back,
    the base of the two is not on the branch's line.
    """

    def resolve(self, name: str) -> str:
        """The full id of the commit that `name` means. Raises NotInLineage."""
        ...

    def first_parents(self, commit: str) -> list[str]:
        """The commit, its first parent, and so on to a root: newest first."""
        ...

    def parents(self, commit: str) -> tuple[str, ...]:
        """The commit's parents in order; none for a root."""
        ...

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`; each commit contains itself."""
        ...


@dataclass(frozen=True)
class Lineage:
    """Commits in a row, oldest first, each after its first parent where the line is part of history."""

    commits: tuple[str, ...]

    @cached_property
    def position(self) -> dict[str, int]:
        """Where in the line each commit stands."""
        return {commit: index for index, commit in enumerate(self.commits)}

    def within(self, commits: Iterable[str]) -> list[str]:
        """Those of `commits` that stand in the line, oldest first."""
        return sorted((c for c in commits if c in self.position), key=self.position.__getitem__)


def line_to(history: History, tip: str) -> Lineage:
    """The first-parent line from the root to `tip`."""
    return Lineage(tuple(reversed(history.first_parents(tip))))


def new_line(history: History, tip: str, floors: Sequence[str]) -> Lineage:
    """The part of `tip`'s first-parent line that none of `floors` contains."""
    newest_first = history.first_parents(tip)

    def is_old(index: int) -> bool:
        return any(history.is_ancestor(newest_first[index], floor) for floor in floors)

    # what an old commit follows is old as well, so the line is cut once
    cut = bisect_left(range(len(newest_first)), True, key=is_old)
    return Lineage(tuple(reversed(newest_first[:cut])))


def joins(history: History, line: Lineage, commit: str) -> int | None:
    """The place of the oldest commit of the line that contains `commit`, None when none does."""
    if commit in line.position:
        return line.position[commit]
    if not line.commits or not history.is_ancestor(commit, line.commits[-1]):
        return None
    # By halves: along a first-parent line, once a commit is contained it stays contained.
    places = range(len(line.commits))
    return bisect_left(places, True, key=lambda at: history.is_ancestor(commit, line.commits[at]))


def child_towards(history: History, commit: str, tip: str) -> str | None:
    """The commit after `commit` on a path from it to `tip`; None when `tip` does not contain it.

    The path follows first parents from `tip` down, and enters a merged branch only where it must.
    """
    while commit != tip:
        line = line_to(history, tip)
        place = joins(history, line, commit)
        if place is None:
            return None
        if line.commits[place] == commit:
            return line.commits[place + 1]
        merge = line.commits[place]
        tip = next(p for p in history.parents(merge) if history.is_ancestor(commit, p))
        if tip == commit:
            return merge
    return None
