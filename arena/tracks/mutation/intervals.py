"""Intervals and paired comparisons of scores (bootstrap over programs, seeded).

The program is the cluster: its suites and mutants are drawn together, since they share the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from arena.report.scores import Columns, score_differences, score_intervals
from arena.report.statistics import DRAWS, SEED, Interval, discordant
from arena.tracks.mutation.metrics import COUNTS, SCORES, measure
from arena.tracks.mutation.results import SampleResult

Groups = Mapping[str, Sequence[SampleResult]]


def group_by_program(samples: Sequence[SampleResult]) -> dict[str, list[SampleResult]]:
    """Suites that count, by program, in order of id: the order of a run must not move a bound."""
    groups: dict[str, list[SampleResult]] = {}
    for sample in samples:
        if sample.health == "ok":
            groups.setdefault(sample.id, []).append(sample)
    return dict(sorted(groups.items()))


def _count_columns(groups: Groups, programs: Sequence[str]) -> Columns:
    """What each program adds to each count."""
    sums = [measure(groups[program]).sums for program in programs]
    return {name: [row[name] for row in sums] for name in COUNTS}


def intervals(
    samples: Sequence[SampleResult], draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """95 % percentile bootstrap intervals of all scores, programs drawn with replacement."""
    groups = group_by_program(samples)
    return score_intervals(SCORES, _count_columns(groups, list(groups)), draws, seed)


@dataclass(frozen=True)
class SuiteComparison:
    """Two sides over the programs that both scored: differences are second minus first.

    only_first, only_second: programs that only that side scored, which take no part. mcnemar: for VD and
    secure passes, how many pairs of suites only a single side has it for, and the exact p.
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
    before, after = (_count_columns(side, shared) for side in (left, right))
    tests = {
        "vd": _discordant(first, second, attrgetter("detects")),
        "secure_passes": _discordant(first, second, attrgetter("secure_passes")),
    }
    return SuiteComparison(
        len(shared),
        len(left) - len(shared),
        len(right) - len(shared),
        score_differences(SCORES, before, after, draws, seed),
        tests,
    )


def _discordant(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    has: Callable[[SampleResult], bool],
) -> dict[str, float | int]:
    # With a single prompt on each side the prompts are what is compared, so they must not keep pairs apart.
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
