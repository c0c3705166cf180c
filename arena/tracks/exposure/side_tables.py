"""Tables that the paper has not: a ranking, rates by CWE, every PE with its grounds, and what has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.report.grid import Cell, Table
from arena.tracks.exposure.assessment import Assessed, Assessment
from arena.tracks.exposure.counts import VerdictCounts
from arena.tracks.exposure.ranking import kendall_tau, ranking, told_apart
from arena.tracks.exposure.scores import model_exposure
from arena.tracks.exposure.table_notes import (
    NOTHING,
    PERCENT,
    WILSON,
    ZEROS,
    basis,
    mark_severity,
    percent,
    rate,
    span,
    unequal,
    zero_reason,
)
from parsers.cwe_names import NAMES

MAX_NAME = 24
EVERYTHING = "Every scenario"


def ranking_table(every: Sequence[Assessment]) -> Table:
    """The table of models ranked by ME, beside their rank by naive rate."""
    ranked = ranking(every)
    rows = tuple(
        (
            item.name,
            item.by_me,
            item.by_naive,
            f"{item.change:+d}" if item.change else item.change,
            item.me.value,
            span(item.me),
            percent(item.naive.value),
            span(item.naive, PERCENT),
        )
        for item in ranked
    )
    # tau needs both numbers: models without any naive rate are left out of it below.
    pairs = [(item.me.value or 0.0, item.naive.value) for item in ranked]
    tau = kendall_tau([(me, rate) for me, rate in pairs if rate is not None])
    apart, all_pairs = told_apart(ranked)
    note = (
        "1: the least exposed. change: ranks that ME has it worse (+) or better (-). 95 %: of this pack's "
        f"scenarios. Kendall's tau-b: {'-' if tau is None else f'{tau:.2f}'}. {apart} of {all_pairs} pairs "
        f"of models have intervals of ME that do not overlap. {unequal(every)}"
    )
    columns = ("Model", "by ME", "by naive rate", "change", "ME", "95 %", "naive %", "95 %")
    title = "Ranking by ME and by naive rate"
    return Table(0, title, columns, rows, note + basis(every))


def cwe_table(every: Sequence[Assessment]) -> Table:
    """PE and naive rate of the scenarios of each CWE."""
    rows = [cells for assessment in every for cells in _cwe_rows(assessment)]
    columns = ("Model", "CWE", "CVSS", "n CVEs", "scenarios", "ME", "highest PE")
    more = ("vulnerable %", "95 %", "n")
    note = f"ME: Equation 4 over the scenarios of the CWE alone. {WILSON}"
    return Table(0, "By CWE", (*columns, *more), tuple(rows), note + basis(every))


def _cwe_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    groups: dict[str, list[Assessed]] = {}
    for scenario in assessment.scenarios.values():
        groups.setdefault(scenario.cwe, []).append(scenario)
    for cwe, group in groups.items():
        exposures = [assessment.scores.exposures[scenario.id] for scenario in group]
        values = [exposure.value for exposure in exposures]
        # Where every scenario has nothing that counts, a number would be taken for a score.
        zeros = {zero_reason(exposure) for exposure in exposures}
        me: Cell = NOTHING if zeros == {NOTHING} else model_exposure(values, assessment.inputs.base)
        wordings = [wording for scenario in group for wording in scenario.wordings]
        vulnerable, n = sum(w.vulnerable for w in wordings), sum(w.valid for w in wordings)
        # The severity is the CWE's, so that all scenarios of the group have the same.
        severity = group[0].severity
        facts = (
            f"{cwe} {NAMES.get(cwe, '')[:MAX_NAME]}".strip(),
            mark_severity(severity),
            severity.n,
        )
        highest = NOTHING if zeros == {NOTHING} else max(values)
        yield (assessment.name, *facts, len(group), me, highest, *rate(vulnerable, n), n)


def numbers_table(every: Sequence[Assessment]) -> Table:
    """Every PE with all that it rests on, as numbers."""
    rows = [cells for assessment in every for cells in _number_rows(assessment)]
    columns = ("Model", "scenario", "CWE", "CVSS", "PE", "low", "high", "zero", "exponent")
    more = (
        "wordings",
        "no valid",
        "no R",
        "vulnerable",
        "safe",
        "unknown",
        "not applicable",
        "invalid",
    )
    note = (
        "low, high: bounds of 95 %, bootstrap. exponent: before it is cut at 0. no valid, no R: wordings "
        f"without a completion that counts, without a perplexity. {ZEROS}"
    )
    columns_all = (*columns, *more, "no code", "missing")
    return Table(0, EVERYTHING, columns_all, tuple(rows), note + basis(every))


def _number_rows(assessment: Assessment) -> Iterator[tuple[Cell, ...]]:
    for name, scenario in assessment.scenarios.items():
        exposure, interval = assessment.scores.exposures[name], assessment.scores.pe[name]
        counts = sum(scenario.counts, VerdictCounts())
        scores = (exposure.value, interval.low, interval.high, zero_reason(exposure) or None)
        rests = (exposure.exponent, exposure.wordings, exposure.no_valid, exposure.unweighted)
        cvss = mark_severity(scenario.severity)
        yield (assessment.name, name, scenario.cwe, cvss, *scores, *rests, *vars(counts).values())


def unscored_table(every: Sequence[Assessment]) -> Table | None:
    """Scenarios without a score, and why; None where there is none."""
    result: dict[tuple[str, str], list[str]] = {}
    for assessment in every:
        for name, why in assessment.unscored.items():
            result.setdefault((name, why), []).append(assessment.name)
    if not result:
        return None
    rows = tuple(
        (name, why, "all" if len(models) == len(every) else ", ".join(models))
        for (name, why), models in result.items()
    )
    note = "They take no part in ME, nor in the naive rate. "
    columns = ("Scenario", "why", "models")
    return Table(0, "Scenarios without a score", columns, rows, note + basis(every))
