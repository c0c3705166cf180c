"""Scores from counts, with intervals and paired differences, the same way for all tracks.

A track counts what each unit (a task, a program) adds to named sums, and declares its scores over those sums
in a table. Units are drawn with replacement (percentile bootstrap, seeded); the same draws serve all scores
and both sides of a comparison. `exposure` draws completions within wordings within scenarios instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.report.statistics import (
    DRAWS,
    FEWEST,
    SEED,
    Interval,
    Ratio,
    bounds,
    drawn_sums,
    quotients,
)

# Count -> what each unit adds to it; all columns are of the same units in the same order.
Columns = Mapping[str, Sequence[float]]
# Count -> its sum: a number, or an array with a number for each draw.
Sums = Mapping[str, Any]


@dataclass(frozen=True)
class Score:
    """formula: from sums to the score, NaN where there is nothing to divide by.

    rests_on: the count that a unit must add to, for the score to rest on it; "" where it rests on all.
    """

    formula: Callable[[Sums], Any]
    rests_on: str = ""


Scores = Mapping[str, Score]


def divide(over: Any, under: Any) -> Any:
    """The quotient of two numbers, or of each two of two arrays; NaN where there is nothing to divide by."""
    import numpy as np

    return quotients(np.asarray(over, dtype=float), np.asarray(under, dtype=float))


def ratio(part: str, whole: str, scale: float = 1.0, rests_on: str = "") -> Score:
    """`scale` times the sum of the count `part` over the sum of the count `whole`."""
    return Score(lambda sums: divide(scale * sums[part], sums[whole]), rests_on)


def score_values(scores: Scores, sums: Mapping[str, float]) -> dict[str, float | None]:
    """Each score of these sums, None where it is not defined."""
    values = {name: float(score.formula(sums)) for name, score in scores.items()}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def score_intervals(
    scores: Scores, columns: Columns, draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """Each score with its 95 % interval.

    `n` is the number of units that the score rests on; a single unit says nothing of how units vary, and has
    no interval. Draws in which a score is not defined do not count for it.
    """
    values = score_values(scores, _add_up(columns))
    drawn = _draw(scores, columns, draws, seed)
    units = {name: _list_units(score, columns) for name, score in scores.items()}
    return {
        name: Interval(values[name], *_ends(drawn.get(name), len(units[name])), len(units[name]))
        for name in scores
    }


def score_differences(
    scores: Scores, before: Columns, after: Columns, draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """Each score of `after` minus that of `before`, over the same units, with its 95 % interval."""
    old, new = (score_values(scores, _add_up(side)) for side in (before, after))
    drawn = [_draw(scores, side, draws, seed) for side in (before, after)]
    differences = {}
    for name, score in scores.items():
        units = set(_list_units(score, before)).intersection(_list_units(score, after))
        value = _minus(new[name], old[name])
        ends = drawn[1][name] - drawn[0][name] if units else None
        differences[name] = Interval(value, *_ends(ends, len(units)), len(units))
    return differences


def ratio_intervals(
    ratios: Mapping[str, Ratio], draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """`score_intervals` of ratios of sums; a ratio rests on the units that add to its denominator."""
    return score_intervals(*_as_scores(ratios), draws, seed)


def ratio_differences(
    before: Mapping[str, Ratio], after: Mapping[str, Ratio], draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """`score_differences` of the ratios that both sides have."""
    shared = [name for name in before if name in after]
    (scores, old), (_, new) = (
        _as_scores({name: side[name] for name in shared}) for side in (before, after)
    )
    return score_differences(scores, old, new, draws, seed)


def _as_scores(ratios: Mapping[str, Ratio]) -> tuple[Scores, Columns]:
    columns = {}
    for name, (part, whole) in ratios.items():
        columns[f"{name}: part"], columns[f"{name}: whole"] = part, whole
    scores = {
        name: ratio(f"{name}: part", f"{name}: whole", rests_on=f"{name}: whole") for name in ratios
    }
    return scores, columns


def _add_up(columns: Columns) -> dict[str, float]:
    return {name: math.fsum(column) for name, column in columns.items()}


def _draw(scores: Scores, columns: Columns, draws: int, seed: int) -> dict[str, Any]:
    """Each score in each draw; nothing where there is no unit to draw."""
    if not any(map(len, columns.values())):
        return {}
    sums = dict(zip(columns, drawn_sums(list(columns.values()), draws, seed), strict=True))
    return {name: score.formula(sums) for name, score in scores.items()}


def _list_units(score: Score, columns: Columns) -> list[int]:
    if score.rests_on:
        return [unit for unit, part in enumerate(columns[score.rests_on]) if part > 0]
    return list(range(len(next(iter(columns.values()), ()))))


def _ends(drawn: Any, units: int) -> tuple[float | None, float | None]:
    return (None, None) if drawn is None or units < FEWEST else bounds(drawn)


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second
