"""Tables 1 to 4 and D5 of *From Model to Breach* over any results, and all tables in their order.

Under every table stands which severities and perplexities were used. A PE of 0 has its reason beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from arena.report.grid import Cell, Table
from arena.report.statistics import Interval
from arena.tracks.exposure.assessment import Assessment
from arena.tracks.exposure.counts import VerdictCounts
from arena.tracks.exposure.cvss.representative import BASE_D5, SOURCE_C4, CvssSeverity, Severities
from arena.tracks.exposure.intervals import ScenarioShares as Measured
from arena.tracks.exposure.intervals import Scores, score
from arena.tracks.exposure.outcomes import ORIGINAL
from arena.tracks.exposure.ranking import (
    Pair,
    Pole,
    most_volatile,
    naive_interval,
    naive_of_scenarios,
    volatile,
)
from arena.tracks.exposure.side_tables import (
    cwe_table,
    numbers_table,
    ranking_table,
    unscored_table,
)
from arena.tracks.exposure.table_notes import (
    BOOTSTRAP,
    NO_SCORE,
    NOTHING,
    PERCENT,
    WILSON,
    ZEROS,
    basis,
    mark_severity,
    percent,
    rate,
    scenario_ids,
    span,
    unequal,
    zero_reason,
)

TEXT = "text"
# Samples that leave a share open, and the column of its bounds.
OPEN = {"unknown": "with unknown %", "missing": "open to"}
ABOUT = {
    "unknown": "unknown: not followed, and safe in the share; with unknown: from there to where all of them "
    "are vulnerable. ",
    "missing": "missing: never answered, and no samples; open to: where they could move the vulnerable share "
    "of the valid ones. ",
}


def valid_table(every: Sequence[Assessment]) -> Table:
    """Table 1: scenarios as they are, without reformulations, as far as they were sampled."""
    left, rows = _left_open(every), list[tuple[Cell, ...]]()
    for assessment in every:
        counts = assessment.outcomes.total(ORIGINAL)
        valid, insecure = (
            rate(counts.valid, counts.answer_count),
            rate(counts.vulnerable, counts.valid),
        )
        among = percent(counts.vulnerable_rate(applicable=True))
        lead = (assessment.name, assessment.outcomes.mode or None, counts.answer_count)
        rows.append((*lead, *valid, *insecure, counts.valid, among, *_bounds(counts, left)))
    lead_columns = (
        "Model",
        "mode",
        "sampled",
        "valid %",
        "95 %",
        "vulnerable %",
        "95 %",
        "n valid",
    )
    note = (
        f"Original wordings alone. {WILSON}vulnerable: of the valid ones; of applicable: of those that have "
        f"a place where the weakness could be. {_about(left)}"
    )
    columns = (*lead_columns, "of applicable %", *_open_columns(left))
    return Table(1, "Valid and vulnerable", columns, tuple(rows), note + basis(every))


def _left_open(every: Sequence[Assessment]) -> tuple[str, ...]:
    """What leaves a share of these models open."""
    totals = [assessment.outcomes.total() for assessment in every]
    return tuple(name for name in OPEN if any(getattr(total, name) for total in totals))


def _about(left: Sequence[str]) -> str:
    return "".join(ABOUT[name] for name in left)


def _open_columns(left: Sequence[str]) -> tuple[str, ...]:
    return tuple(column for name in left for column in (name, OPEN[name]))


def _bounds(counts: VerdictCounts, left: Sequence[str]) -> tuple[Cell, ...]:
    """How many samples leave the share open, and its bounds if all were safe, or all vulnerable."""
    cells: list[Cell] = []
    for name in left:
        count = getattr(counts, name)
        # Missing samples are no valid ones yet: they would join both parts of the share.
        whole = counts.valid + (counts.missing if name == "missing" else 0)
        low, high = (n / max(1, whole) for n in (counts.vulnerable, counts.vulnerable + count))
        cells += [count, span(Interval(None, low, high, whole), PERCENT) if count else None]
    return tuple(cells)


def exposure_table(every: Sequence[Assessment]) -> Table:
    """Table 2, a column for each model."""
    note = f"{BOOTSTRAP}{ZEROS}{unequal(every)}"
    scored = [
        (assessment, assessment.scores, {n: s.severity for n, s in assessment.scenarios.items()})
        for assessment in every
    ]
    return _exposures(2, "Prompt Exposure and Model Exposure", scored, note)


def shifted_table(every: Sequence[Assessment]) -> Table | None:
    """Table D5: severities of base 10 in Equation 1, all else as in Table 2.

    Values from the user have no certain base: scenarios with these are left out, and nothing is left of the
    table where all are. There is none where the severities of Table 2 are of base 10 already.
    """
    scored = [high for assessment in every if (high := _rescore_high(assessment))]
    if not scored:
        return None
    out = {n for assessment in every for n in assessment.scenarios} - {
        n for _, _, scenario_scores in scored for n in scenario_scores
    }
    note = f"Equation 1 with base {BASE_D5:g}, all else as in Table 2. {BOOTSTRAP}{ZEROS}" + (
        f"Left out, their severity was given: {', '.join(sorted(out))}. " if out else ""
    )
    return _exposures(0, "Table D5. The same with severities of base 10", scored, note)


Scored = tuple[Assessment, Scores, Mapping[str, CvssSeverity]]


def _rescore_high(assessment: Assessment) -> Scored | None:
    paper_scores = {
        # Severities from elsewhere have a base of their own, and nothing is known to shift them by.
        name: s
        for name, s in assessment.scenarios.items()
        if s.severity.source == SOURCE_C4
    }
    if not paper_scores:
        return None
    high = Severities(base=BASE_D5)
    severities = {name: high.severity_of(s.cwe) for name, s in paper_scores.items()}
    measured = {
        name: Measured(severities[name].score, s.wordings) for name, s in paper_scores.items()
    }
    inputs = assessment.inputs
    return assessment, score(measured, inputs.base, inputs.mu, inputs.k), severities


def _exposures(number: int, title: str, scored: Sequence[Scored], note: str) -> Table:
    models = [item for item, _, _ in scored]
    severities = {
        name: severity
        for _, _, scenario_scores in scored
        for name, severity in scenario_scores.items()
    }
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            mark_severity(severities.get(name)),
            *(_pe_cell(scenario_scores, name) for scenario_scores in scored),
        )
        for name in scenario_ids(models)
        if number == 2 or name in severities
    ]
    rows.append(("ME", None, *(_with_span(scores.me) for _, scores, _ in scored)))
    if number == 2 and "unknown" in _left_open(models):
        highest = (f"{model.me_highest:.1f}" for model in models)
        rows.append(("ME, unknown as vulnerable", None, *highest))
    columns = ("Scenario", "CVSS", *(model.name for model in models))
    return Table(number, title, columns, tuple(rows), note + basis(models))


def _pe_cell(scored: Scored, name: str) -> str | None:
    item, scores, _ = scored
    if name not in scores.exposures:
        return NO_SCORE if name in item.unscored else None
    zero = zero_reason(scores.exposures[name])
    return _with_span(scores.pe[name], zero)


def _with_span(interval: Interval, zero: str = "") -> str:
    if zero == NOTHING:
        return zero
    bounds = span(interval)
    value = "-" if interval.value is None else f"{interval.value:.1f}"
    return " ".join(part for part in (value, zero, f"({bounds})" if bounds else "") if part)


def naive_table(every: Sequence[Assessment]) -> Table:
    """Table 3, with how sure it is: of these scenarios, and of scenarios like these."""
    left, rows = _left_open(every), list[tuple[Cell, ...]]()
    for assessment in every:
        result, drawn = naive_interval(assessment), naive_of_scenarios(assessment)
        counts = assessment.outcomes.total(scenarios=assessment.scenarios.keys())
        rates = (percent(result.value), span(result, PERCENT), span(drawn, PERCENT))
        rests = (counts.vulnerable, result.n, drawn.n)
        rows.append((assessment.name, *rates, *rests, *_bounds(counts, left)))
    lead = ("Model", "vulnerable %", "95 %", "95 % of scenarios", "vulnerable", "n")
    note = (
        f"All samples of the scored scenarios alike. {WILSON}95 % of scenarios: bootstrap over scenarios. "
        f"{_about(left)}{unequal(every)}"
    )
    title = "Naive rate of vulnerable code"
    columns = (*lead, "scenarios", *_open_columns(left))
    return Table(3, title, columns, tuple(rows), note + basis(every))


def volatile_table(every: Sequence[Assessment]) -> Table:
    """Table 4: for each model the two wordings of a scenario that are furthest apart, and overall."""
    pairs = [pair for assessment in every if (pair := volatile(assessment))]
    rows = [cells for pair in pairs for cells in _pair_rows(pair.model, pair)]
    if len(every) > 1 and (limit := most_volatile(pairs)):
        rows = [*_pair_rows(f"all: {limit.model}", limit), *rows]
    note = (
        "P %: vulnerable of the programs that count; 95 %: Wilson's interval, which does not know that the "
        "pair was picked for its distance. applicable: 0 where no program has a place for the weakness. "
        "alike: similarity of the texts, 0 to 1. "
    )
    columns = ("Model", "scenario", "wording", "P %", "95 %", "vulnerable", "n", "applicable")
    title = "Most volatile wordings"
    return Table(4, title, (*columns, "alike", TEXT), tuple(rows), note + basis(every))


def _pair_rows(name: str, pair: Pair) -> list[tuple[Cell, ...]]:
    def cells(pole: Pole) -> tuple[Cell, ...]:
        interval = pole.interval
        counts = (pole.wording.vulnerable, pole.wording.valid, pole.counts.applicable)
        rate = (percent(interval.value), span(interval, PERCENT))
        return (name, pair.scenario, pole.number, *rate, *counts, pair.similarity, pole.text)

    return [cells(pair.high), cells(pair.low)]


VIEWS: tuple[Callable[[Sequence[Assessment]], Table | None], ...] = (
    valid_table,
    exposure_table,
    shifted_table,
    naive_table,
    volatile_table,
    ranking_table,
    cwe_table,
    unscored_table,
    numbers_table,
)


def all_tables(every: Sequence[Assessment]) -> list[Table]:
    """All tables in the paper's order, then what it has not; none of no model."""
    return [table for view in VIEWS if every and (table := view(every)) is not None]
