"""Intervals of rates (bootstrap over tasks, seeded), their JSON, and the paired comparison of two sides.

The task is the unit that is drawn: its samples and tests are drawn together, since they share the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.report.scores import ratio_differences, ratio_intervals
from arena.report.statistics import DRAWS, SEED, Interval, Ratio, discordant, ratio_of, wilson
from arena.tracks.dual.metrics import (
    GROUPED,
    KINDS,
    KS,
    PASSED,
    DualMetrics,
    Key,
    MissingAs,
    count_task,
    counted_tests,
    group_by_task,
    keys_of_kind,
    listed_tests,
    measure,
    measure_by_group,
    passes,
    states,
)
from arena.tracks.dual.results import SampleResult

NOTHING = Interval(None, None, None, 0)
Rows = Mapping[str, Sequence[SampleResult]]


def intervals(
    metrics: DualMetrics, ks: Iterable[int] = KS, draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """95 % percentile bootstrap intervals of all rates; `n` is the number of tasks that take part."""
    names = metrics.names(ks)
    measured = ratio_intervals(_list_ratios(metrics, names), draws, seed)
    return {name: measured.get(name, NOTHING) for name in names}


def _list_ratios(metrics: DualMetrics, names: Iterable[str]) -> dict[str, Ratio]:
    ratios = {name: metrics.ratio(name) for name in names}
    return {name: ratio for name, ratio in ratios.items() if ratio is not None}


def binomial(metrics: DualMetrics) -> dict[str, Interval]:
    """Wilson's intervals of the rates at 1, where no task has several samples with a verdict."""
    result = {}
    for kind in KINDS:
        counts = [count for task in metrics.tasks if (count := task.samples[kind]) is not None]
        # With several samples of a task they are no independent draws, and Wilson's interval would be too
        # narrow.
        if all(count.judged <= 1 for count in counts):
            passed, n = sum(c.passed for c in counts), sum(c.judged for c in counts)
            result[f"{kind}@1"] = wilson(passed, n)
    return result


def summary_json(metrics: DualMetrics, ks: Iterable[int] = KS) -> dict[str, Any]:
    """The contract's `summary`: rates as fractions, and beside them what each rests on.

    bounds: what samples without a verdict leave open, low and high. wilson: see `binomial`.
    """
    measured = intervals(metrics, ks)
    limits = {
        name: {str(way.value): metrics.rate(name, way) for way in (MissingAs.LOW, MissingAs.HIGH)}
        for name in measured
    }
    return {
        **{name: interval.value for name, interval in measured.items()},
        "n": metrics.n,
        "tasks": len(metrics.tasks),
        "k": metrics.k,
        "infra": metrics.infra,
        "tests": {kind: vars(metrics.count_passed(name)) for name, kind in PASSED.items()},
        "intervals": {name: interval.to_json() for name, interval in measured.items()},
        "wilson": {name: interval.to_json() for name, interval in binomial(metrics).items()},
        "bounds": limits,
    }


def scores_json(samples: Sequence[SampleResult]) -> dict[str, Any]:
    """`summary`: rates, with how many samples came to each state; `by`: rates by group."""
    return {
        "summary": {**summary_json(measure(samples)), "states": states(samples)},
        "by": {
            group: {
                name: summary_json(m, ()) for name, m in measure_by_group(samples, group).items()
            }
            for group in GROUPED
        },
    }


@dataclass(frozen=True)
class DualComparison:
    """Two sides over the tasks that both were scored on alike: differences are second minus first.

    only_first, only_second: tasks that only this side has. unequal: tasks whose tests differ. undecided:
    tasks without any verdict on a side, for a fault of the machine. None of these take part.
    judged_on_single_side: TASK/TEST, which counts for both sides. mcnemar: samples that pass on a single
    side, and the exact p; with several samples a task these are no independent pairs.
    """

    tasks: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    unequal: tuple[str, ...]
    undecided: tuple[str, ...]
    judged_on_single_side: tuple[str, ...]
    rates: Mapping[str, tuple[float | None, float | None]]
    differences: Mapping[str, Interval]
    mcnemar: Mapping[str, Mapping[str, float | int]]


def compare(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    ks: Iterable[int] = KS,
    draws: int = DRAWS,
    seed: int = SEED,
) -> DualComparison:
    """Paired comparison: the same tests count for both, and the same draws of tasks serve both.

    Raises ValueError when they share no task that both were scored on with the same tests.
    """
    left, right = group_by_task(first), group_by_task(second)
    both = [task for task in left if task in right]
    unequal = [task for task in both if not _alike(left[task], right[task])]
    undecided = [
        task for task in both if not (_has_ok_sample(left[task]) and _has_ok_sample(right[task]))
    ]
    shared = [task for task in both if task not in {*unequal, *undecided}]
    if not shared:
        raise ValueError(
            "the two have no task in common that both were scored on with the same tests"
        )
    # Both sides together decide which tests count, so that neither gains by a test that its judge left out.
    counted = {task: counted_tests([*left[task], *right[task]]) for task in shared}
    sides = [
        DualMetrics(tuple(count_task(task, rows[task], counted[task]) for task in shared))
        for rows in (left, right)
    ]
    rates, differences = _differences(sides[0], sides[1], list(ks), draws, seed)
    return DualComparison(
        tuple(shared),
        tuple(task for task in left if task not in right),
        tuple(task for task in right if task not in left),
        tuple(unequal),
        tuple(undecided),
        tuple(_list_judged_on_single_side(left, right, shared)),
        rates,
        differences,
        {kind: discordant(_pairs(left, right, counted, kind)) for kind in KINDS},
    )


def _alike(left: Sequence[SampleResult], right: Sequence[SampleResult]) -> bool:
    """Whether both list the same tests; samples that are all missing list none."""
    first, second = listed_tests(left), listed_tests(right)
    return first == second or not first or not second


def _has_ok_sample(rows: Sequence[SampleResult]) -> bool:
    return any(row.health == "ok" for row in rows)


def _list_judged_on_single_side(first: Rows, second: Rows, shared: Sequence[str]) -> list[str]:
    return [
        f"{task}/{name}"
        for task in shared
        if listed_tests(first[task]) and listed_tests(second[task])
        for _, name in sorted(counted_tests(first[task]) ^ counted_tests(second[task]))
    ]


def _differences(
    first: DualMetrics, second: DualMetrics, ks: Sequence[int], draws: int, seed: int
) -> tuple[dict[str, tuple[float | None, float | None]], dict[str, Interval]]:
    shared = [name for name in first.names(ks) if name in second.names(ks)]
    before, after = (_list_ratios(side, shared) for side in (first, second))
    measured = ratio_differences(before, after, draws, seed)
    rates = {name: (_rate(before.get(name)), _rate(after.get(name))) for name in shared}
    return rates, {name: measured.get(name, NOTHING) for name in shared}


def _rate(ratio: Ratio | None) -> float | None:
    return None if ratio is None else ratio_of(ratio)


def _pairs(
    left: Rows, right: Rows, counted: Mapping[str, frozenset[Key]], kind: str
) -> list[tuple[bool, bool]]:
    """Outcomes of samples of the same name; of a task with a single sample on each side, of these two."""
    pairs = []
    for task, all_keys in counted.items():
        keys = keys_of_kind(all_keys, KINDS[kind])
        if {kind_of_key for kind_of_key, _ in keys} != set(KINDS[kind]):
            continue
        first, second = left[task], right[task]
        if len(first) == len(second) == 1:
            matched = [(first[0], second[0])]
        else:
            named = {row.sample: row for row in second}
            matched = [(row, named[row.sample]) for row in first if row.sample in named]
        pairs += [
            (passes(a, keys), passes(b, keys)) for a, b in matched if a.health == b.health == "ok"
        ]
    return pairs
