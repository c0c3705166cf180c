"""A run's scores as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.tracks.mutation.intervals import intervals
from arena.tracks.mutation.lines import SuiteLine
from arena.tracks.mutation.metrics import (
    GROUPS,
    measure,
    measure_by_group,
    measure_by_operator,
    states,
    summary_json,
)
from arena.tracks.mutation.results import SampleResult


def metrics_of(lines: Sequence[SuiteLine]) -> dict[str, Any]:
    """summary: of all suites, trivial suites apart where there are others; by: CWE, difficulty, prompt and
    operator; columns: the summary of each. lacking: attempts whose evidence does not suffice.
    """
    counted = [line for line in lines if not line.trivial] or lines
    samples = [sample for line in counted for sample in line.samples]
    groups = {group: measure_by_group(samples, group) for group in GROUPS}
    groups["operator"] = measure_by_operator(samples)
    return {
        "summary": _summary(samples),
        "by": {
            group: {name: summary_json(metrics) for name, metrics in group_samples.items()}
            for group, group_samples in groups.items()
        },
        "columns": {line.name: _summary(line.samples) for line in lines},
        "lacking": sum(line.lacking for line in lines),
    }


def _summary(samples: Sequence[SampleResult]) -> dict[str, Any]:
    """Scores in percent, the counts behind them, and 95 % intervals."""
    bounds = intervals(samples)
    return {
        **summary_json(measure(samples), states(samples)),
        "intervals": {name: interval.to_json() for name, interval in bounds.items()},
    }
