"""Intervals and paired comparisons of scores (bootstrap over programs, seeded).

The program is the cluster: its suites and mutants are drawn together, since they share the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from arena.report.statistics import DRAWS, SEED, Interval, bounds, discordant, drawn_sums
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.metrics import SCORES, MutationMetrics, measure
from arena.tracks.mutation.results import SampleResult

Columns = Sequence[Sequence[int]]
Groups = Mapping[str, Sequence[SampleResult]]


def group_by_program(samples: Sequence[SampleResult]) -> dict[str, list[SampleResult]]:
    """Suites that count, by program, in order of id: the order of a run must not move a bound."""
    groups: dict[str, list[SampleResult]] = {}
    for sample in samples:
        if sample.health == "ok":
            groups.setdefault(sample.id, []).append(sample)
    return dict(sorted(groups.items()))


def _columns(groups: Groups, programs: Sequence[str]) -> Columns:
    """For each program: suites, valid, detecting, mutants, killed, semantic, floored, floor kills."""
    rows = []
    for program in programs:
        m = measure(groups[program])
        semantic = m.kills[Category.SEMANTIC]
        counted = (m.suites, m.valid, m.detecting, m.mutants, m.kill_count, semantic)
        rows.append((*counted, m.floored, m.floor_kills))
    return list(zip(*rows, strict=True))


def _metrics_from_sums(sums: Sequence[float]) -> MutationMetrics:
    """The metrics of programs whose columns have these sums."""
    suites, valid, detecting, mutants, killed, semantic, floored, floor_kills = map(int, sums)
    kills = {Category.SEMANTIC: semantic, Category.OTHER: killed - semantic}
    return MutationMetrics(suites, valid, detecting, mutants, kills, 0, floored, floor_kills)


def intervals(
    samples: Sequence[SampleResult], draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """95 % percentile bootstrap intervals of all scores, programs drawn with replacement.

    Draws in which a score has nothing to divide by do not count for it.
    """
    groups = group_by_program(samples)
    columns = _columns(groups, list(groups))
    drawn = (
        [_metrics_from_sums(sums) for sums in drawn_sums(columns, draws, seed).T] if groups else []
    )
    metrics = measure(samples)
    return {
        name: Interval(score(metrics), *bounds(_drop_missing(map(score, drawn))), len(groups))
        for name, score in SCORES.items()
    }


def _drop_missing(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


@dataclass(frozen=True)
class SuiteComparison:
    """Two sides over the programs that both scored: differences are second minus first.

    only_first, only_second: programs that only one of them scored, which take no part. mcnemar: for VD and
    secure passes, how many pairs of suites only one side has it for, and the exact p.
    """

    n: int
    only_first: int
    only_second: int
    differences: Mapping[str, Interval]
    mcnemar: Mapping[str, Mapping[str, float | int]]


def compare(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    draws: int = DRAWS,
    seed: int = SEED,
) -> SuiteComparison:
    """Paired comparison: the same draws of programs serve both sides.

    Suites are paired by program and sample; by prompt too where a side holds several.
    """
    left, right = group_by_program(first), group_by_program(second)
    shared = [program for program in left if program in right]
    tests = {
        "vd": _discordant(first, second, attrgetter("detects")),
        "secure_passes": _discordant(first, second, attrgetter("secure_passes")),
    }
    return SuiteComparison(
        len(shared),
        len(left) - len(shared),
        len(right) - len(shared),
        _differences(left, right, shared, draws, seed),
        tests,
    )


def _differences(
    first: Groups, second: Groups, shared: Sequence[str], draws: int, seed: int
) -> dict[str, Interval]:
    if not shared:
        return {name: Interval(None, None, None, 0) for name in SCORES}
    sides = [_columns(groups, shared) for groups in (first, second)]
    before, after = (
        [
            _metrics_from_sums([sum(column) for column in side]),
            *map(_metrics_from_sums, drawn_sums(side, draws, seed).T),
        ]
        for side in sides
    )
    differences = {}
    for name, score in SCORES.items():
        whole, *drawn = map(_minus, map(score, after), map(score, before))
        differences[name] = Interval(whole, *bounds(_drop_missing(drawn)), len(shared))
    return differences


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _discordant(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    has: Callable[[SampleResult], bool],
) -> dict[str, float | int]:
    apart = any(len({sample.prompt for sample in samples}) > 1 for samples in (first, second))
    left, right = (_key_samples(samples, has, apart) for samples in (first, second))
    return discordant([(left[key], right[key]) for key in left if key in right])


def _key_samples(
    samples: Sequence[SampleResult], has: Callable[[SampleResult], bool], apart: bool
) -> dict[tuple[str, str, int, int], bool]:
    """Samples by what a pair has in common; samples of several models are distinguished by order."""
    counts: Counter[tuple[str, str, int]] = Counter()
    result = {}
    for sample in samples:
        key = (sample.id, sample.prompt if apart else "", sample.sample)
        if sample.health == "ok":
            result[*key, counts[key]] = has(sample)
        counts[key] += 1
    return result
