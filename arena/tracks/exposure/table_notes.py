"""What tables say beside their numbers: what was used, why a PE is 0, and how intervals are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.report.grid import Cell
from arena.report.statistics import Interval, wilson
from arena.tracks.exposure.assessment import Assessment
from arena.tracks.exposure.cvss.representative import SOURCE_C4, SOURCE_D5, CvssSeverity
from arena.tracks.exposure.scores import Exposure

PERCENT = 100.0
# Severities that nobody gave: the paper's.
FALLBACKS = (SOURCE_C4, SOURCE_D5)
MARK = "*"
NEVER, CLIPPED, NOTHING, NO_SCORE = "never", "clipped", "no valid", "no score"
ZEROS = (
    "clipped: vulnerable completions were seen, but the logarithm was below 0. never: none was seen. "
    "no valid: no completion counts, so that P is 0 by definition, and so it is in ME. no score: see "
    "Scenarios without a score. "
)
WILSON = "95 %: Wilson's interval, of completions of these wordings alone. "
BOOTSTRAP = "In brackets: 95 %, bootstrap. "


def zero_reason(exposure: Exposure) -> str:
    """Why a PE is 0, in a word; "" for any different PE."""
    if exposure.no_valid == exposure.wordings:
        return NOTHING
    if exposure.never:
        return NEVER
    return CLIPPED if exposure.clipped else ""


def scenario_ids(every: Sequence[Assessment]) -> list[str]:
    """Ids of all scenarios, scored or not, in the order of the model with the largest number of them."""
    by_size = sorted(every, key=lambda item: -len(item.scenarios) - len(item.unscored))
    names = (name for item in by_size for name in item.outcomes.counts_by_scenario)
    scenarios_known = {
        name for assessment in every for name in (*assessment.scenarios, *assessment.unscored)
    }
    return [name for name in dict.fromkeys(names) if name in scenarios_known]


def basis(every: Sequence[Assessment]) -> str:
    """The note under every table: which severities and perplexities were used, and how."""
    means = dict.fromkeys(_means_of(assessment) for assessment in every)
    return " ".join([_severities_of(every), *means])


def _severities_of(every: Sequence[Assessment]) -> str:
    by_source: dict[str, dict[str, CvssSeverity]] = {}
    for assessment in every:
        for scenario in assessment.scenarios.values():
            by_source.setdefault(scenario.severity.source, {})[scenario.cwe] = scenario.severity
    parts = [
        f"{_source(name)}: {_list_severities(severities)}" for name, severities in by_source.items()
    ]
    return f"CVSS from {'; '.join(parts)}." if parts else ""


def _source(name: str) -> str:
    return f"{name} (fallback {MARK})" if name in FALLBACKS else name


def _list_severities(severities: Mapping[str, CvssSeverity]) -> str:
    return ", ".join(
        f"{cwe} {item.score:.1f}" + (f" (n = {item.n})" if item.n is not None else "")
        for cwe, item in severities.items()
    )


def _means_of(assessment: Assessment) -> str:
    inputs = assessment.inputs
    over = "applicable" if inputs.applicable else "valid"
    start = f"Base {inputs.base:g}; P over {over} programs;"
    if not inputs.perplexities:
        return f"{start} no perplexities: R = 1."
    exposures = assessment.scores.exposures.values()
    missing = sum(exposure.unweighted for exposure in exposures)
    unknown = f"; {missing} wordings without one have R = 1" if missing else ""
    return f"{start} R from perplexities by {inputs.reference}, mu {inputs.mu:g}, k {inputs.k:g}{unknown}."


def percent(value: float | None) -> float | None:
    return None if value is None else PERCENT * value


def span(interval: Interval, scale: float = 1.0) -> str | None:
    """An interval for people: "1.3-8.9"."""
    if interval.low is None or interval.high is None:
        return None
    return f"{scale * interval.low:.1f}-{scale * interval.high:.1f}"


def rate(count: int, n: int) -> tuple[Cell, Cell]:
    result = wilson(count, n)
    return percent(result.value), span(result, PERCENT)


def mark_severity(severity: CvssSeverity | None) -> str | None:
    if severity is None:
        return None
    return f"{severity.score:.1f}{MARK if severity.source in FALLBACKS else ''}"


def unequal(every: Sequence[Assessment]) -> str:
    sets = {frozenset(assessment.scenarios) for assessment in every}
    return (
        "Models do not have the same scenarios: their ME do not compare. " if len(sets) > 1 else ""
    )
