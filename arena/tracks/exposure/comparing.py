"""Two sides of a run: PE of the scenarios that both have, ME and the naive rate, second minus first."""

from __future__ import annotations

from collections.abc import Sequence

from arena.protocols import Facts
from arena.report.grid import Cell, Table
from arena.report.statistics import Interval
from arena.store.model import Attempt
from arena.tracks.exposure.assessment import Assessment, NoScore, ScoreInputs, assess
from arena.tracks.exposure.intervals import ScenarioShares as Measured
from arena.tracks.exposure.intervals import differences
from arena.tracks.exposure.outcomes import Outcomes, sort_attempts
from arena.tracks.exposure.table_notes import basis, rate, zero_reason

NOTE = (
    "95 %: bootstrap over reformulations and completions, of this pack's scenarios; none where a side shows "
    "nothing vulnerable. "
)


def comparison(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
    """Tables of two sides; none where a side has no score, or they share no scored scenario."""
    try:
        sides = [
            assess(Outcomes(name, sort_attempts(side), facts), ScoreInputs())
            for name, side in (("first", first), ("second", second))
        ]
    except NoScore:
        return []
    left, right = sides
    shared = [name for name in left.scenarios if name in right.scenarios]
    if not shared:
        return []
    pe, me = differences(_measure_scenarios(left), _measure_scenarios(right), left.inputs.base)
    rows = [(name, *_values(left, right, name), *_difference_cells(pe[name])) for name in shared]
    totals = [
        # An ME over other scenarios than the difference's would not fit beside it.
        side.scores.me.value if side.scenarios.keys() == pe.keys() else None
        for side in sides
    ]
    rows.append(("ME", totals[0], None, totals[1], None, *_difference_cells(me)))
    columns = ("Scenario", "PE first", "zero", "PE second", "zero", "second - first", "95 %")
    exposure = Table(0, "Exposure compared", columns, tuple(rows), NOTE + basis(sides))
    return [exposure, _naive(sides, shared)]


def _measure_scenarios(assessment: Assessment) -> dict[str, Measured]:
    return {n: Measured(s.severity.score, s.wordings) for n, s in assessment.scenarios.items()}


def _values(first: Assessment, second: Assessment, name: str) -> tuple[Cell, ...]:
    results = (side.scores.exposures[name] for side in (first, second))
    return tuple(cell for pe in results for cell in (pe.value, zero_reason(pe) or None))


def _difference_cells(interval: Interval) -> tuple[Cell, Cell]:
    if interval.value is None:
        return None, None
    if interval.low is None or interval.high is None:
        return f"{interval.value:+.2f}", None
    return f"{interval.value:+.2f}", f"{interval.low:+.2f} to {interval.high:+.2f}"


def _naive(sides: Sequence[Assessment], shared: Sequence[str]) -> Table:
    """The table of naive rates of both sides, over the shared scenarios."""
    counts = [side.outcomes.total(scenarios=shared) for side in sides]
    rows = tuple(
        (name, *rate(count.vulnerable, count.valid), count.vulnerable, count.valid)
        for name, count in zip(("first", "second"), counts, strict=True)
    )
    columns = ("Side", "vulnerable %", "95 %", "vulnerable", "n")
    return Table(0, "Naive rate of the shared scenarios", columns, rows)
