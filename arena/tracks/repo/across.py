"""Across the kinds of task: whether an agent avoids, fixes and reproduces the weakness of a case.

A unit is a case and a replicate: what an agent, model and prompt came to in the tasks derived from it.
Two kinds are compared over the units that have a label in both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from arena.protocols import Facts
from arena.report.grid import Cell, Table
from arena.report.scores import ratio_intervals
from arena.report.statistics import Interval, mcnemar
from arena.store.model import Attempt
from arena.tracks.repo.labels import VOCABULARY
from tasks.kinds import TaskKind

# What a good label of each kind says of an agent. `end-to-end` is both of the others, and stays apart.
DOES: Mapping[str, str] = {
    TaskKind.WRITE: "avoids",
    TaskKind.REPAIR: "mends",
    TaskKind.REPRODUCE: "reproduces",
}
PAIRS = ((TaskKind.WRITE, TaskKind.REPAIR), (TaskKind.WRITE, TaskKind.REPRODUCE),
         (TaskKind.REPAIR, TaskKind.REPRODUCE))  # fmt: skip
Unit = tuple[str, int]


@dataclass
class ColumnAcross:
    """An agent with model and prompt: by kind and unit (case, replicate) whether the attempt was good."""

    name: str
    good: dict[str, dict[Unit, bool]] = field(default_factory=dict)

    def shared_units(self, kinds: Collection[str]) -> list[Unit]:
        """The units that have a label in each of these kinds, sorted."""
        units = [self.good.get(kind, {}).keys() for kind in kinds]
        return sorted(set.intersection(*map(set, units))) if units else []

    def share(self, kind: str) -> Interval:
        """How many of its attempts of a kind are good, in percent; cases are drawn, not attempts."""
        good_by_unit = self.good.get(kind, {})
        return _mean_over_cases({unit: float(good) for unit, good in good_by_unit.items()})

    def difference(self, first: str, second: str) -> Interval:
        """Share of `first` minus share of `second` over the same units, in percent points."""
        units = self.shared_units((first, second))
        return _mean_over_cases(
            {unit: float(self.good[first][unit]) - float(self.good[second][unit]) for unit in units}
        )


def _mean_over_cases(values: Mapping[Unit, float]) -> Interval:
    """The mean in percent with its 95 % bootstrap interval over cases."""
    # Replicates of a case are no independent evidence: a bootstrap over attempts would give too narrow
    # bounds.
    cases = sorted({case for case, _ in values})
    sums = [100 * sum(v for (case, _), v in values.items() if case == each) for each in cases]
    counts = [float(sum(case == each for case, _ in values)) for each in cases]
    return ratio_intervals({"": (sums, counts)})[""]


def columns_of(attempts: Sequence[Attempt], facts: Facts) -> list[ColumnAcross]:
    """The columns of attempts that have a label, in order of name."""
    columns: dict[str, ColumnAcross] = {}
    for attempt in attempts:
        details = facts[attempt.key.task].details if attempt.key.task in facts else {}
        if attempt.label is None or not details.get("case"):
            continue
        column = columns.setdefault(attempt.column, ColumnAcross(attempt.column))
        unit = (str(details["case"]), attempt.key.replicate)
        kind = str(details.get("kind", TaskKind.WRITE))
        column.good.setdefault(kind, {})[unit] = attempt.label in VOCABULARY.good
    return [columns[name] for name in sorted(columns)]


def across_kinds(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
    """Shares of each kind, joint results, and paired differences; none where there is a single kind only."""
    columns = columns_of(attempts, facts)
    kinds = {kind for column in columns for kind in column.good}
    # `end-to-end` alone compares nothing, since it asks for both abilities at once.
    if len(kinds & DOES.keys()) < 2:
        return []
    return [_shares(columns), _table_of_kinds(columns), _differences(columns)]


def _shares(columns: Sequence[ColumnAcross]) -> Table:
    def cells(column: ColumnAcross) -> Iterator[Cell]:
        for kind in (*DOES, TaskKind.END_TO_END):
            share = column.share(kind)
            yield from (share.value, _range(share), len(column.good.get(kind, {})))

    heads = [*DOES.values(), "end to end"]
    names = ("agent", *(part for head in heads for part in (f"{head} %", "95 %", "n")))
    rows = tuple((column.name, *cells(column)) for column in columns)
    return Table(0, "Avoids, mends, reproduces: good attempts of each kind", names, rows,
                 "Intervals: bootstrap over cases.")  # fmt: skip


def _table_of_kinds(columns: Sequence[ColumnAcross]) -> Table:
    """The 2 x 2 x 2 table, a row for each column: units by what was good in the three kinds."""
    outcomes = list(product((True, False), repeat=len(DOES)))
    heads = [
        ", ".join(
            does if good else f"not {does}"
            for does, good in zip(DOES.values(), outcome, strict=True)
        )
        for outcome in outcomes
    ]
    rows: list[tuple[Cell, ...]] = []
    for column in columns:
        units = column.shared_units(tuple(DOES))
        outcome_rows = [tuple(column.good[kind][unit] for kind in DOES) for unit in units]
        rows.append(
            (column.name, len(units), *(outcome_rows.count(outcome) for outcome in outcomes))
        )
    return Table(
        0, "Together: cases with a label in all three kinds", ("agent", "n", *heads), tuple(rows)
    )


def _differences(columns: Sequence[ColumnAcross]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for column in columns:
        for first, second in PAIRS:
            units = column.shared_units((first, second))
            if not units:
                continue
            pairs = [(column.good[first][unit], column.good[second][unit]) for unit in units]
            only = pairs.count((True, False)), pairs.count((False, True))
            difference = column.difference(first, second)
            title = f"{DOES[first]} - {DOES[second]}"
            p_value = f"{mcnemar(*only):.3f}"
            rows.append(
                (
                    column.name,
                    title,
                    difference.value,
                    _range(difference),
                    *only,
                    len(units),
                    p_value,
                )
            )
    heads = ("agent", "difference", "points", "95 %", "only first", "only second", "n", "p")
    return Table(0, "Paired differences between kinds", heads, tuple(rows),
                 "p: McNemar's exact test; replicates of one case count as units there.")  # fmt: skip


def _range(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return "-"
    return f"{interval.low:.1f} to {interval.high:.1f}"
