"""DualGauge's Table 3 over stored attempts, and what it leaves out: intervals, bounds, groups, differences.

Tables 4 to 7 are the columns of Table 3 for families of models: `--where model=...` selects a family.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.protocols import Facts
from arena.report.grid import Cell, Table
from arena.report.statistics import Interval, wilson
from arena.store.model import Attempt
from arena.tracks.dual.evidence import rows_of
from arena.tracks.dual.intervals import DualComparison, binomial, compare, intervals
from arena.tracks.dual.metrics import (
    GROUPED,
    KS,
    PASSED,
    DualMetrics,
    MissingAs,
    measure,
    measure_by_group,
    states,
)
from arena.tracks.dual.results import MEANING, SampleResult, State
from arena.tracks.dual.verdicts import UNPROVEN
from parsers.cwe_names import NAMES

PERCENT = 100.0
MAX_NAME = 32
MAIN = 3
# The paper's columns, and our names of these rates.
COLUMNS: dict[str, str] = {
    "pass@1": "pass@1",
    "secpass@1": "secure-pass@1",
    "PR": "pr",
    "SPR": "spr",
}
NOTE = (
    "pass@1: all functional tests pass; secpass@1: all functional and security tests pass; PR, SPR: passed "
    "functional, security tests; all in percent. 95 %: bootstrap over tasks, or Wilson's interval (w) "
    "where each task has one sample and all come out alike. n: samples; missing ones are failures."
)
INFRA = " {} samples have no verdict (a fault of the machine, not ended, or stored without their tests)."
UNPROVEN_TASKS = (
    " {} tasks are unproven: no reference has passed their tests, so that a test may be wrong."
)
# So many names of a list are shown; the others are counted.
MAX_TOLD = 5


@dataclass(frozen=True)
class DualLine:
    """A column's samples as a row of tables; computed values are cached."""

    name: str
    samples: Sequence[SampleResult]

    @cached_property
    def metrics(self) -> DualMetrics:
        return measure(self.samples)

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        return intervals(self.metrics, (*KS, self.metrics.k))

    @cached_property
    def fitting(self) -> Mapping[str, Interval]:
        return fitting(self.metrics, self.intervals)

    @cached_property
    def ranges(self) -> Mapping[str, str | None]:
        return ranges(self.metrics, self.intervals)

    @cached_property
    def _groups(self) -> dict[str, dict[str, DualMetrics]]:
        return {}

    def group(self, group: str) -> Mapping[str, DualMetrics]:
        """`metrics.measure_by_group`, cached."""
        if group not in self._groups:
            self._groups[group] = measure_by_group(self.samples, group)
        return self._groups[group]


def lines_of(attempts: Iterable[Attempt], facts: Facts) -> list[DualLine]:
    """A line for each column, in the order in which they come."""
    columns: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        columns.setdefault(attempt.column, []).append(attempt)
    return [DualLine(name, rows_of(column, facts)) for name, column in columns.items()]


def percent(value: float | None) -> float | None:
    return None if value is None else PERCENT * value


def fitting(metrics: DualMetrics, bounds: Mapping[str, Interval]) -> dict[str, Interval]:
    """The interval to show for each rate: Wilson's, where available, if all tasks had the same result."""
    one_each = binomial(metrics)
    return {
        # A bootstrap over tasks that all came out alike has no width, which would claim certainty of few
        # samples.
        name: one_each[name] if interval.low == interval.high and name in one_each else interval
        for name, interval in bounds.items()
    }


def ranges(metrics: DualMetrics, bounds: Mapping[str, Interval]) -> dict[str, str | None]:
    """Each rate's interval for people, in percent: "1.3-8.9", and "w" behind it where it is Wilson's."""
    texts: dict[str, str | None] = {}
    for name, interval in fitting(metrics, bounds).items():
        span = _range(interval)
        texts[name] = f"{span} w" if span and interval != bounds[name] else span
    return texts


def _range(interval: Interval) -> str | None:
    if interval.low is None or interval.high is None:
        return None
    return f"{PERCENT * interval.low:.1f}-{PERCENT * interval.high:.1f}"


def main_table(lines: Sequence[DualLine]) -> Table:
    """Table 3: columns in the order of `lines`."""
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
    unproven = {
        sample.task for line in lines for sample in line.samples if sample.proof == UNPROVEN
    }
    note += UNPROVEN_TASKS.format(len(unproven)) if unproven else ""
    return Table(MAIN, "Main results", (*columns, "n"), tuple(rows), note)


def rates_table(lines: Sequence[DualLine]) -> Table:
    """Every rate of every line, with the bounds that samples without a verdict leave open."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        for name, interval in line.intervals.items():
            low, high = (line.metrics.rate(name, way) for way in (MissingAs.LOW, MissingAs.HIGH))
            open_ = _range(Interval(None, low, high, 0)) if line.metrics.infra else None
            tests = line.metrics.count_passed(name).judged if name in PASSED else None
            cells = (percent(interval.value), line.ranges[name], open_, interval.n, tests)
            rows.append((line.name, name, *cells))
    columns = ("Model", "rate", "%", "95 %", "open to", "tasks", "tests")
    note = (
        "open to: where the rate would be if all samples without a verdict failed, or passed. tasks: those "
        "that take part; a task without a test of the kind that can be judged does not."
    )
    return Table(0, "All rates", columns, tuple(rows), note)


def gaps_table(lines: Sequence[DualLine]) -> Table:
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


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def states_table(lines: Sequence[DualLine]) -> Table:
    """What became of samples as a whole; shares with Wilson's intervals."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        for state, count in states(line.samples).items():
            share = wilson(count, line.metrics.n)
            meaning = MEANING[State(state)] if state in set(State) else "a fault of the machine"
            cells = (count, percent(share.value), _range(share), line.metrics.n)
            rows.append((line.name, state, *cells, meaning))
    columns = ("Model", "state", "samples", "%", "95 %", "n", "meaning")
    return Table(0, "States of samples", columns, tuple(rows))


def group_table(lines: Sequence[DualLine], group: str) -> Table:
    """The main table's rates by language, domain, level, state or CWE."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines:
        for name, metrics in line.group(group).items():
            bounds = intervals(metrics, ())
            texts = ranges(metrics, bounds)
            cells: list[Cell] = [
                line.name,
                _group_title(group, name),
                len(metrics.tasks),
                metrics.n,
            ]
            for rate in COLUMNS.values():
                cells += [percent(bounds[rate].value), texts[rate]]
            rows.append(tuple(cells))
    columns = ["Model", group, "tasks", "n"]
    for column in COLUMNS:
        columns += [column, "95 %"]
    note = "n: samples."
    if group == "cwe":
        note += " Tasks with security tests of the CWE: these tests, and all functional ones."
    return Table(0, f"By {'CWE' if group == 'cwe' else group}", tuple(columns), tuple(rows), note)


def _group_title(group: str, name: str) -> str:
    if group == "cwe" and name in NAMES:
        return f"{name} {NAMES[name][:MAX_NAME]}"
    return name or "(not told)"


def all_tables(lines: Sequence[DualLine]) -> list[Table]:
    """Table 3, and what stands behind it. No line, no table."""
    views = (main_table, rates_table, gaps_table, states_table)
    groups = [group_table(lines, group) for group in GROUPED] if lines else []
    return [view(lines) for view in views if lines] + groups


def comparison(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
    """Differences of all rates over the tasks that both were scored on alike; [] where there is none."""
    try:
        differences = compare(_number_samples(first, facts), _number_samples(second, facts))
    except ValueError:
        return []
    return [_differences(differences, _scorers([*first, *second])), _discordant(differences)]


def _scorers(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    """The versions of the scorer, where there are several: their results do not compare."""
    programs = (attempt.evidence.get("program") for attempt in attempts)
    scorers = {str(program.get("scorer")) for program in programs if isinstance(program, Mapping)}
    return tuple(sorted(scorers)) if len(scorers) > 1 else ()


def _number_samples(attempts: Iterable[Attempt], facts: Facts) -> list[SampleResult]:
    """Samples by their place among those of their task, which is what pairs them."""
    # Sorted by key, so that two runs of the same samples pair alike in whatever order they ended.
    ordered = sorted(attempts, key=lambda each: tuple(vars(each.key).values()))
    places: Counter[str] = Counter()
    names = {}
    for attempt in ordered:
        names[attempt.id] = str(places[attempt.key.task])
        places[attempt.key.task] += 1
    return rows_of(ordered, facts, lambda attempt: names[attempt.id])


def _differences(differences: DualComparison, scorers: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, difference in differences.differences.items():
        before, after = differences.rates[name]
        low, high = percent(difference.low), percent(difference.high)
        span = None if low is None or high is None else f"{low:.1f} to {high:.1f}"
        rows.append((name, *map(percent, (before, after, difference.value)), span, difference.n))
    columns = ("rate", "first %", "second %", "difference", "95 %", "tasks")
    title = f"Second minus first over {len(differences.tasks)} tasks"
    texts = {
        "only in the first": differences.only_first,
        "only in the second": differences.only_second,
        "left out, their tests differ": differences.unequal,
        "left out, no verdict in one of them": differences.undecided,
        "judged in one only, counted for both": differences.judged_on_single_side,
        "not scored alike, versions of the scorer": scorers,
    }
    notes = [f"{what}: {some(names)}" for what, names in texts.items() if names]
    note = ". ".join(["Bootstrap over tasks, the same for both", *notes])
    return Table(0, title, columns, tuple(rows), note)


def some(names: Sequence[str]) -> str:
    """The first of many names."""
    more = f" and {len(names) - MAX_TOLD} more" if len(names) > MAX_TOLD else ""
    return ", ".join(names[:MAX_TOLD]) + more


def _discordant(differences: DualComparison) -> Table:
    rows = tuple(
        (kind, *(test[name] for name in ("pairs", "only_first", "only_second")), f"{test['p']:.4f}")
        for kind, test in differences.mcnemar.items()
    )
    columns = ("suites", "samples", "only first", "only second", "p")
    note = "McNemar's exact test; with several samples a task these are no independent pairs."
    return Table(0, "Samples that only one of the two passes", columns, rows, note)
