"""Which is better than which: all pairs of columns, paired by task, with Holm's correction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from arena.report.grid import Cell, Table
from arena.report.leaderboard import Entry, leaderboard
from arena.report.paired import Comparison, compare_sides, label_test
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

    comparison: Comparison
    holm: float

    def to_json(self) -> dict[str, Any]:
        return {**self.comparison.to_json(), "holm_p": self.holm}


def holm(p_values: Sequence[float]) -> list[float]:
    """p values as Holm corrects them (1979): by rank from the smallest, m, m-1, ... times p, never falling.

    The chance that any of the m rejects what is true stays below the level, whatever they have in common.
    """
    order = sorted(range(len(p_values)), key=lambda n: p_values[n])
    corrected, worst = [0.0] * len(p_values), 0.0
    for rank, position in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[position]))
        corrected[position] = worst
    return corrected


def contests(rows: Iterable[Row], label: str = "") -> tuple[list[Entry], list[Contest]]:
    """The columns, the best first, and each two of them that have a pair. Calibration is left out.

    Raises ValueError for a label that no track has.
    """
    all_rows = list(rows)
    entries = [entry for entry in leaderboard(all_rows) if not entry.calibration]
    good = label_test({row.track for row in all_rows}, label)
    rows_by_column = {
        entry.column: [row for row in all_rows if _has_key(row, entry)] for entry in entries
    }
    comparisons = [
        comparison
        for a, b in combinations(rows_by_column, 2)
        if (
            comparison := compare_sides(
                rows_by_column[a], rows_by_column[b], good, COLUMN, (a, b), label
            )
        ).tasks
    ]
    # Only columns with a pair are tests and count in the correction.
    corrected = holm([comparison.permutation_p for comparison in comparisons])
    return entries, [
        Contest(comparison, p) for comparison, p in zip(comparisons, corrected, strict=True)
    ]


def _has_key(row: Row, entry: Entry) -> bool:
    return all(getattr(row, name) == value for name, value in entry.key.items())


def matrix_table(entries: Sequence[Entry], pairs: Sequence[Contest]) -> Table:
    """The matrix of contests: a row and a numbered column for each entry."""
    cells: Mapping[tuple[str, str], str] = {
        pair: _cell(contest, sign)
        for contest in pairs
        for pair, sign in (
            ((contest.comparison.a, contest.comparison.b), -1),
            ((contest.comparison.b, contest.comparison.a), 1),
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


def table_for_terminal(entries: Sequence[Entry], pairs: Sequence[Contest]) -> Table:
    """The matrix, or the list of pairs where a matrix would be too wide."""
    is_narrow = len(entries) <= MAX_MATRIX_COLUMNS
    return matrix_table(entries, pairs) if is_narrow else pairs_table(pairs)


def _cell(contest: Contest, sign: int) -> str:
    """The difference in points of percent, and p."""
    value = sign * (contest.comparison.difference().value or 0.0) + 0.0  # no "-0.0"
    mark = "*" if contest.holm < LEVEL else ""
    return f"{100 * value:+.1f}{mark} p {contest.holm:.3f}"


def pairs_table(pairs: Sequence[Contest]) -> Table:
    """The table of all contests, a row per pair."""
    heads = ("a", "b", "pairs", "tasks", "only a", "only b", "b - a", "p", "Holm")
    rows: list[tuple[Cell, ...]] = [
        (
            *(
                contest.comparison.a,
                contest.comparison.b,
                contest.comparison.count("n"),
                len(contest.comparison.tasks),
            ),
            *(
                contest.comparison.count("only_a"),
                contest.comparison.count("only_b"),
                points(contest.comparison.difference()),
            ),
            *(f"{contest.comparison.permutation_p:.4g}", f"{contest.holm:.4g}"),
        )
        for contest in pairs
    ]
    return Table(0, "All pairs", heads, tuple(rows), PAIRS)
