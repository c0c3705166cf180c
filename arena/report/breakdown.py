"""Rates by CWE, project, language, domain or task: a leaderboard for each value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from arena.report.leaderboard import BY, Entry, leaderboard
from arena.report.text import natural
from arena.store.model import Row

# The value of attempts whose task has none.
NONE = "none"

VALUES: dict[str, Callable[[Row], Sequence[str]]] = {
    "cwe": lambda row: row.cwes,
    "project": lambda row: (row.project,),
    "language": lambda row: (row.language,),
    "domain": lambda row: (row.domain,),
    "task": lambda row: (row.task,),
}


def breakdown(rows: Iterable[Row], by: str, columns: Sequence[str] = BY) -> dict[str, list[Entry]]:
    """The leaderboard of the attempts of each value of `by`, in natural order of the values.

    An attempt whose task has several CWEs counts for each of them, so rates by CWE do not add up. Raises
    ValueError for a field that is none of VALUES.
    """
    if by not in VALUES:
        raise ValueError(f"no breakdown by {by!r}; known: {', '.join(VALUES)}")
    groups: dict[str, list[Row]] = {}
    for row in rows:
        # A CWE that a task lists twice counts once.
        for value in dict.fromkeys(filter(None, VALUES[by](row))) or (NONE,):
            groups.setdefault(value, []).append(row)
    return {value: leaderboard(groups[value], columns) for value in sorted(groups, key=natural)}
