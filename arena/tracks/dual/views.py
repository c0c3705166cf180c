"""DualGauge's Tables 3 to 7 as views of any results, and what they leave out: intervals, bounds, groups.

Tables 4 to 7 are the columns of Table 3 for families of models; a family is a title with its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.report.grid import Cell, Table, print_grid
from arena.report.statistics import Interval, wilson
from arena.tracks.dual.intervals import binomial, intervals
from arena.tracks.dual.metrics import (
    GROUPED,
    KS,
    PASSED,
    Metrics,
    Way,
    by_group,
    measure,
    states,
)
from arena.tracks.dual.results import MEANING, Result, State
from parsers.cwe_names import NAMES

PERCENT = 100.0
MAX_NAME = 32
MAIN = 3
COLUMNS: dict[str, str] = {
    "pass@1": "pass@1",
    "secpass@1": "secure-pass@1",
    "PR": "pr",
    "SPR": "spr",
}
"""The paper's columns, and our names of these rates."""
NOTE = (
    "pass@1: all functional tests pass; secpass@1: all functional and security tests pass; PR, SPR: passed "
    "functional, security tests; all in percent. 95 %: bootstrap over tasks, or Wilson's interval (w) "
    "where each task has one sample and all come out alike. n: samples; missing ones are failures."
)
INFRA = " {} samples have no verdict, for a fault of the machine: see what they leave open below."


@dataclass(frozen=True)
class Line:
    """One result as a row of tables; what is computed of it is kept."""

    result: Result
    ks: tuple[int, ...] = KS

    @property
    def name(self) -> str:
        return self.result.name

    @cached_property
    def metrics(self) -> Metrics:
        return measure(self.result)

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        return intervals(self.metrics, self.ks)

    @cached_property
    def fitting(self) -> Mapping[str, Interval]:
        return fitting(self.metrics, self.intervals)

    @cached_property
    def ranges(self) -> Mapping[str, str | None]:
        return ranges(self.metrics, self.intervals)

    @cached_property
    def _groups(self) -> dict[str, dict[str, Metrics]]:
        return {}

    def group(self, group: str) -> Mapping[str, Metrics]:
        """`metrics.by_group`, kept."""
        if group not in self._groups:
            self._groups[group] = by_group(self.result, group)
        return self._groups[group]


def lines_of(results: Iterable[Result], ks: Sequence[int] = ()) -> list[Line]:
    """A line for each result; with rates at these k where the samples allow, else at the usual ones."""
    return [Line(result, tuple(ks) or KS) for result in results]


def percent(value: float | None) -> float | None:
    return None if value is None else PERCENT * value


def fitting(metrics: Metrics, found: Mapping[str, Interval]) -> dict[str, Interval]:
    """The interval to be shown of each rate: Wilson's where all tasks came out alike and it is known."""
    one_each = binomial(metrics)
    return {
        name: one_each[name] if interval.low == interval.high and name in one_each else interval
        for name, interval in found.items()
    }


def ranges(metrics: Metrics, found: Mapping[str, Interval]) -> dict[str, str | None]:
    """Each rate's interval for people, in percent: "1.3-8.9", and "w" behind it where it is Wilson's."""
    told: dict[str, str | None] = {}
    for name, interval in fitting(metrics, found).items():
        span = _range(interval)
        told[name] = f"{span} w" if span and interval != found[name] else span
    return told


def _range(interval: Interval) -> str | None:
    if interval.low is None or interval.high is None:
        return None
    return f"{PERCENT * interval.low:.1f}-{PERCENT * interval.high:.1f}"


def main_table(lines: Sequence[Line], number: int = MAIN, title: str = "Main results") -> Table:
    """Table 3, and with another title Tables 4 to 7: results in the order given."""
    columns = ["Model"]
    for column in COLUMNS:
        columns += [column, "95 %"]
    rows = []
    for line in lines:
        cells: list[Cell] = [line.name]
        for name in COLUMNS.values():
            cells += [percent(line.intervals[name].value), line.ranges[name]]
        rows.append((*cells, line.metrics.n))
    infra = sum(line.metrics.infra for line in lines)
    note = NOTE + (INFRA.format(infra) if infra else "")
    return Table(number, title, (*columns, "n"), tuple(rows), note)


def rates_table(lines: Sequence[Line]) -> Table:
    """Every rate of every result, with the bounds that samples without a verdict leave open."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        for name, interval in line.intervals.items():
            low, high = (line.metrics.rate(name, way) for way in (Way.LOW, Way.HIGH))
            open_ = _range(Interval(None, low, high, 0)) if line.metrics.infra else None
            tests = line.metrics.passed(name).judged if name in PASSED else None
            cells = (percent(interval.value), line.ranges[name], open_, interval.n, tests)
            rows.append((line.name, name, *cells))
    columns = ("Model", "rate", "%", "95 %", "open to", "tasks", "tests")
    note = (
        "open to: where the rate would be if all samples without a verdict failed, or passed. tasks: those "
        "that take part; a task without a test of the kind that can be judged does not."
    )
    return Table(0, "All rates", columns, tuple(rows), note)


def gaps_table(lines: Sequence[Line]) -> Table:
    """How far joint rates fall behind (DualGauge, Section 6.2)."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        rates = {name: percent(line.intervals[name].value) for name in line.intervals}
        ok, joint = rates["pass@1"], rates["secure-pass@1"]
        decline = PERCENT * (ok - joint) / ok if ok and joint is not None else None
        gaps = (_minus(rates["pr"], ok), _minus(rates["spr"], joint))
        rows.append((line.name, ok, rates["secure@1"], joint, decline, *gaps, line.metrics.n))
    columns = (
        "Model",
        "pass@1",
        "secure@1",
        "secpass@1",
        "decline %",
        "PR-pass@1",
        "SPR-secpass@1",
    )
    note = "decline: of pass@1 to secpass@1, relative. The gaps are in points. n: samples."
    return Table(0, "From correct to correct and secure", (*columns, "n"), tuple(rows), note)


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def states_table(lines: Sequence[Line]) -> Table:
    """What became of samples as a whole; shares with Wilson's intervals."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        for state, count in states(line.result).items():
            share = wilson(count, line.metrics.n)
            meaning = MEANING[State(state)] if state in set(State) else "a fault of the machine"
            cells = (count, percent(share.value), _range(share), line.metrics.n)
            rows.append((line.name, state, *cells, meaning))
    columns = ("Model", "state", "samples", "%", "95 %", "n", "meaning")
    return Table(0, "States of samples", columns, tuple(rows))


def group_table(lines: Sequence[Line], group: str) -> Table:
    """The main table's rates by language, domain, level, state or CWE."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        for name, metrics in line.group(group).items():
            found = intervals(metrics, ())
            told = ranges(metrics, found)
            cells: list[Cell] = [line.name, _named(group, name), len(metrics.tasks), metrics.n]
            for rate in COLUMNS.values():
                cells += [percent(found[rate].value), told[rate]]
            rows.append(tuple(cells))
    columns = ["Model", group, "tasks", "n"]
    for column in COLUMNS:
        columns += [column, "95 %"]
    note = "n: samples."
    if group == "cwe":
        note += " Tasks with security tests of the CWE: these tests, and all functional ones."
    return Table(0, f"By {'CWE' if group == 'cwe' else group}", tuple(columns), tuple(rows), note)


def _named(group: str, name: str) -> str:
    if group == "cwe" and name in NAMES:
        return f"{name} {NAMES[name][:MAX_NAME]}"
    return name or "(not told)"


SUMMARY: tuple[Callable[[Sequence[Line]], Table], ...] = (
    main_table,
    rates_table,
    gaps_table,
    states_table,
)


def all_tables(
    lines: Sequence[Line],
    families: Mapping[str, Sequence[Line]] | None = None,
    groups: Iterable[str] = GROUPED,
) -> list[Table]:
    """Table 3, a table for each family (numbered from 4, as in the paper), and what stands behind them.

    Raises ValueError for a group that is none.
    """
    wanted = list(groups)
    for group in wanted:
        if group not in GROUPED:
            raise ValueError(f"--by: {group!r} is none of {', '.join(GROUPED)}")
    named = families or {}
    every = list({id(line): line for rows in (lines, *named.values()) for line in rows}.values())
    found = [main_table(lines)] if lines else []
    found += [
        main_table(rows, number, title)
        for number, (title, rows) in enumerate(named.items(), MAIN + 1)
    ]
    found += [view(every) for view in SUMMARY[1:]]
    return found + [group_table(every, group) for group in wanted]


def print_tables(results: Sequence[Result], groups: Iterable[str] = ()) -> None:
    """What `score` shows: the main table, all rates, gaps and states; and rates by these groups."""
    print_grid(all_tables(lines_of(results), groups=groups))
