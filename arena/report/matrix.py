"""Which is better than which: all pairs of columns, paired by task, with Holm's correction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from arena.report.grid import Cell, Table
from arena.report.leaderboard import Entry, leaderboard
from arena.report.paired import Comparison, paired, wanted
from arena.report.statistics import points
from arena.store.model import Row

LEVEL = 0.05
COLUMN = "column"
NOTE = (
    "Good rate of the row minus that of the column, in points of percent over the tasks that both have; "
    f"p: sign flips over tasks, after Holm; *: below {LEVEL:g}. Agents for calibration take no part."
)
PAIRS = (
    "b - a: good rate of b minus that of a, with its 95 % interval; p: sign flips over tasks; Holm: p after "
    "Holm's correction for all these pairs."
)


@dataclass(frozen=True)
class Contest:
    """Two columns over their pairs, with p after Holm's correction."""

    found: Comparison
    holm: float

    def to_json(self) -> dict[str, Any]:
        return {**self.found.to_json(), "holm_p": self.holm}


def holm(found: Sequence[float]) -> list[float]:
    """p values as Holm corrects them (1979): by rank from the smallest, m, m-1, ... times p, never falling.

    The chance that any of the m rejects what is true stays below the level, whatever they have in common.
    """
    order = sorted(range(len(found)), key=lambda n: found[n])
    corrected, worst = [0.0] * len(found), 0.0
    for rank, place in enumerate(order):
        worst = max(worst, min(1.0, (len(found) - rank) * found[place]))
        corrected[place] = worst
    return corrected


def contests(rows: Iterable[Row], label: str = "") -> tuple[list[Entry], list[Contest]]:
    """The columns, the best first, and each two of them that have a pair. Calibration is left out.

    Raises ValueError for a label that no track has.
    """
    every = list(rows)
    entries = [entry for entry in leaderboard(every) if not entry.calibration]
    good = wanted({row.track for row in every}, label)
    of = {entry.column: [row for row in every if _is_of(row, entry)] for entry in entries}
    met = [
        comparison
        for a, b in combinations(of, 2)
        if (comparison := paired(of[a], of[b], good, COLUMN, (a, b), label)).tasks
    ]
    # Only pairs that met are tests and count in the correction.
    corrected = holm([comparison.permutation_p for comparison in met])
    return entries, [Contest(comparison, p) for comparison, p in zip(met, corrected, strict=True)]


def _is_of(row: Row, entry: Entry) -> bool:
    return all(getattr(row, name) == value for name, value in entry.key.items())


def matrix_table(entries: Sequence[Entry], found: Sequence[Contest]) -> Table:
    """The matrix of contests: a row and a numbered column for each entry."""
    cells: Mapping[tuple[str, str], str] = {
        pair: _cell(contest, sign)
        for contest in found
        for pair, sign in (
            ((contest.found.a, contest.found.b), -1),
            ((contest.found.b, contest.found.a), 1),
        )
    }
    names = [entry.column for entry in entries]
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            number,
            *("=" if name == opponent else cells.get((name, opponent)) for opponent in names),
        )
        for number, name in enumerate(names, 1)
    ]
    heads = ("attempts of", "#", *map(str, range(1, len(names) + 1)))
    return Table(0, "Which is better: all pairs", heads, tuple(rows), NOTE)


# Columns that a terminal shows beside each other without breaking p-values.
MAX_MATRIX_COLUMNS = 6


def table_for_terminal(entries: Sequence[Entry], found: Sequence[Contest]) -> Table:
    """The matrix, or the list of pairs where a matrix would be too wide."""
    few = len(entries) <= MAX_MATRIX_COLUMNS
    return matrix_table(entries, found) if few else pairs_table(found)


def _cell(one: Contest, sign: int) -> str:
    """The difference in points of percent, and p."""
    value = sign * (one.found.difference().value or 0.0) + 0.0  # no "-0.0"
    mark = "*" if one.holm < LEVEL else ""
    return f"{100 * value:+.1f}{mark} p {one.holm:.3f}"


def pairs_table(found: Sequence[Contest]) -> Table:
    """The table of all contests, a row per pair."""
    heads = ("a", "b", "pairs", "tasks", "only a", "only b", "b - a", "p", "Holm")
    rows: list[tuple[Cell, ...]] = [
        (
            *(contest.found.a, contest.found.b, contest.found.count("n"), len(contest.found.tasks)),
            *(
                contest.found.count("only_a"),
                contest.found.count("only_b"),
                points(contest.found.difference()),
            ),
            *(f"{contest.found.permutation_p:.4g}", f"{contest.holm:.4g}"),
        )
        for contest in found
    ]
    return Table(0, "All pairs", heads, tuple(rows), PAIRS)
