"""SecMutBench's Tables 4 to 8 as views of any results: plain cells, shown as text, CSV, JSON or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arena.report.grid import Cell, Table, print_grid
from arena.report.statistics import Interval, cohen_kappa
from arena.report.text import natural
from arena.tracks.mutation.baselines import Detection, detection, detection_by_cwe
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.intervals import intervals
from arena.tracks.mutation.metrics import (
    PERCENT,
    Metrics,
    by_group,
    measure,
)
from arena.tracks.mutation.results import Baseline, Result, SampleResult
from parsers.cwe_names import NAMES

PROMPTS = ("no-hint", "cwe-id", "full")
"""Columns of Table 8, in the paper's order; other prompts follow."""


@dataclass(frozen=True)
class Line:
    """The suites that one row of a table is about: a result, of one prompt where it holds several."""

    name: str
    samples: tuple[SampleResult, ...]
    trivial: bool = False

    @property
    def metrics(self) -> Metrics:
        return measure(self.samples)


def lines_of(results: Iterable[Result]) -> list[Line]:
    """Rows for all results: each prompt of each, then their trivial suites."""
    lines: list[Line] = []
    trivial: list[Line] = []
    for result in results:
        prompts = sorted({sample.prompt for sample in result.samples})
        for prompt in prompts:
            own = tuple(sample for sample in result.samples if sample.prompt == prompt)
            lines.append(Line(f"{result.name} ({prompt})" if prompt else result.name, own))
        trivial += [
            Line(f"trivial: {name}", samples, trivial=True)
            for name, samples in sorted(result.trivial.items())
        ]
    return lines + trivial


def overall(results: Sequence[Result], baselines: Sequence[Baseline]) -> Table:
    """Table 4: sorted by EffSMS, then the trivial suites, then the scanners with their detection rate."""
    columns = (
        "suites",
        "MS %",
        "SPR %",
        "EffSMS %",
        "95 %",
        "SMS %",
        "95 %",
        "MS/SMS",
        "VD %",
        "n",
    )
    rows: list[tuple[Cell, ...]] = []
    listed = lines_of(results)
    for line in sorted(listed, key=lambda line: (line.trivial, -(line.metrics.eff_sms or 0.0))):
        m, bounds = line.metrics, intervals(line.samples)
        eff, sms = bounds["eff_sms"], bounds["sms"]
        scores = (m.ms, m.spr, m.eff_sms, _range(eff), m.sms, _range(sms), m.inflation, m.vd)
        rows.append((line.name, *scores, m.suites))
    for baseline in baselines:
        seen = detection(baseline.programs)
        nothing = (None,) * 7
        rows.append((baseline.baseline, seen.rate(seen.detected), *nothing, seen.n))
    note = (
        "MS: killed mutants; SMS: semantically killed; both over suites that pass on the secure program "
        "(SPR). EffSMS = SMS x SPR. VD: passes on the secure, fails on the insecure version. n: suites. "
        "Intervals: bootstrap over programs. A scanner's MS is its detection rate on insecure versions, "
        "as in the paper."
    )
    return Table(4, "Overall results", columns, tuple(rows), note)


def _range(bound: Interval) -> str | None:
    return None if bound.low is None else f"{bound.low:.1f}-{bound.high:.1f}"


def kills(results: Sequence[Result], _: Sequence[Baseline]) -> Table:
    """Table 5: how many kills are of which category."""
    rows: list[tuple[Cell, ...]] = []
    for line in lines_of(results):
        m = line.metrics
        rows.append((line.name, m.mutants, *(m.kills[category] for category in Category)))
    columns = ("suites", "mutants", *(str(category) for category in Category))
    note = "mutants: those that suites met which pass on the secure program."
    return Table(5, "Kills by category", columns, tuple(rows), note)


def agreement(results: Sequence[Result], _: Sequence[Baseline]) -> Table:
    """Table 6: per operator, how far the first result's categories agree with those of each other one.

    Meant for results of the same suites under different classifiers; kills are paired by suite and mutant.
    """
    columns = ("operator", "against", "n", "semantic there %", "agreement %", "kappa")
    rows: list[tuple[Cell, ...]] = []
    for other in results[1:]:
        pairs = _paired(results[0], other)
        groups: dict[str, list[tuple[str, str]]] = {"all": [pair for _, pair in pairs]}
        for operator, pair in sorted(pairs):
            groups.setdefault(operator, []).append(pair)
        rows += [_agreed(operator, other, own) for operator, own in groups.items() if own]
    note = "" if rows else "needs two results of the same suites under different classifiers."
    base = f"{results[0].name} {results[0].classifier}".strip() if results else ""
    return Table(6, f"Agreement on categories with {base}", columns, tuple(rows), note)


def _paired(first: Result, second: Result) -> list[tuple[str, tuple[str, str]]]:
    """(operator, (first's category, second's)) of mutants that both say are killed."""
    known = {
        (sample.key, mutant.id): mutant.category
        for sample in second.samples
        for mutant in sample.mutants
    }
    return [
        (mutant.operator, (str(mutant.category), str(other)))
        for sample in first.samples
        for mutant in sample.mutants
        if mutant.category and (other := known.get((sample.key, mutant.id)))
    ]


def _agreed(operator: str, other: Result, pairs: Sequence[tuple[str, str]]) -> tuple[Cell, ...]:
    semantic = sum(second == Category.SEMANTIC for _, second in pairs)
    same = sum(first == second for first, second in pairs)
    shares = (PERCENT * semantic / len(pairs), PERCENT * same / len(pairs))
    against = f"{other.name} {other.classifier}".strip()
    return (operator, against, len(pairs), *shares, cohen_kappa(pairs))


def per_cwe(results: Sequence[Result], baselines: Sequence[Baseline]) -> Table:
    """Table 7: by CWE, over all results together, beside each scanner's detection and false alarms."""
    lines = [line for line in lines_of(results) if not line.trivial]
    groups = by_group([sample for line in lines for sample in line.samples], "cwe")
    programs: dict[str, set[str]] = {}
    for line in lines:
        for sample in line.samples:
            programs.setdefault(sample.cwe, set()).add(sample.id)
    seen = [detection_by_cwe(baseline) for baseline in baselines]
    listed = sorted({*groups, *(cwe for found in seen for cwe in found)}, key=natural)
    rows: list[tuple[Cell, ...]] = []
    for cwe in listed:
        m = groups.get(cwe)
        scores: tuple[Cell, ...] = (m.mutants, m.ms, m.sms, m.spr) if m else (0, None, None, None)
        scanned = (cell for found in seen for cell in _detected(found.get(cwe)))
        count = len(programs.get(cwe, ())) or max(f[cwe].n for f in seen if cwe in f)
        rows.append((cwe, NAMES.get(cwe, ""), count, *scores, *scanned))
    tools = (f"{b.baseline} {word}" for b in baselines for word in ("detects %", "false alarms %"))
    columns = ("CWE", "name", "n", "mutants", "MS %", "SMS %", "SPR %", *tools)
    note = "n: programs. mutants: met by valid suites, over all results. False alarms: on secure versions."
    return Table(7, "Effectiveness by CWE", columns, tuple(rows), note)


def _detected(found: Detection | None) -> tuple[Cell, Cell]:
    if found is None:
        return None, None
    return found.rate(found.detected), found.rate(found.false_alarms)


def prompts(results: Sequence[Result], _: Sequence[Baseline]) -> Table:
    """Table 8: SMS by result and prompt."""
    used = {sample.prompt for result in results for sample in result.samples}
    columns = (*PROMPTS, *sorted(used - {*PROMPTS, ""}))
    rows: list[tuple[Cell, ...]] = []
    for result in results:
        by_prompt = by_group(result.samples, "prompt")
        if any(by_prompt.keys()):
            scores = (by_prompt[p].sms if p in by_prompt else None for p in columns)
            rows.append((result.name, *scores))
    note = "" if rows else "needs results whose suites name their prompt."
    return Table(8, "SMS % by prompt", ("suites", *columns), tuple(rows), note)


View = Callable[[Sequence[Result], Sequence[Baseline]], Table]
TABLES: dict[int, View] = {4: overall, 5: kills, 6: agreement, 7: per_cwe, 8: prompts}


def tables(
    results: Sequence[Result], baselines: Sequence[Baseline], numbers: Iterable[int]
) -> list[Table]:
    """The tables of those numbers. Raises ValueError for a number that is none."""
    wanted = list(numbers)
    for number in wanted:
        if number not in TABLES:
            raise ValueError(f"--table: {number} is none of {', '.join(map(str, TABLES))}")
    return [TABLES[number](results, baselines) for number in wanted]


def print_tables(
    results: Sequence[Result], baselines: Sequence[Baseline], numbers: Iterable[int]
) -> None:
    """Tables on stdout."""
    print_grid(tables(results, baselines, numbers))
