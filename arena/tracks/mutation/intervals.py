"""Intervals and paired comparisons of scores (bootstrap over programs, seeded), and a result's JSON.

The program is the cluster: its suites and mutants are drawn together, since they share the code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from random import Random
from typing import Any

from arena.report.statistics import DRAWS, SEED, Interval, bounds, discordant
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.metrics import (
    GROUPS,
    SCORES,
    Metrics,
    by_group,
    by_operator,
    measure,
    states,
    summary_json,
)
from arena.tracks.mutation.results import Result, SampleResult

Columns = Sequence[Sequence[int]]
Groups = Mapping[str, Sequence[SampleResult]]


def by_program(samples: Sequence[SampleResult]) -> dict[str, list[SampleResult]]:
    """Suites that count, by program, in order of id: the order of a file must not move a bound."""
    groups: dict[str, list[SampleResult]] = {}
    for sample in samples:
        if sample.health == "ok":
            groups.setdefault(sample.id, []).append(sample)
    return dict(sorted(groups.items()))


def _columns(groups: Groups, programs: Sequence[str]) -> Columns:
    """For each program: suites, valid, detecting, mutants, killed, semantic; one column each."""
    rows = []
    for program in programs:
        m = measure(groups[program])
        semantic = m.kills[Category.SEMANTIC]
        rows.append((m.suites, m.valid, m.detecting, m.mutants, m.killed, semantic))
    return list(zip(*rows, strict=True))


def _drawn(columns: Columns, picks: Sequence[int]) -> Metrics:
    """The metrics of a draw of programs, some of which are there several times."""
    suites, valid, detecting, mutants, killed, semantic = (
        sum(map(column.__getitem__, picks)) for column in columns
    )
    kills = {Category.SEMANTIC: semantic, Category.OTHER: killed - semantic}
    return Metrics(suites, valid, detecting, mutants, kills)


def intervals(
    samples: Sequence[SampleResult], draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """95 % percentile bootstrap intervals of all scores, programs drawn with replacement.

    Draws in which a score has nothing to divide by do not count for it.
    """
    groups = by_program(samples)
    metrics = measure(samples)
    columns = _columns(groups, list(groups))
    random = Random(seed)  # noqa: S311 - draws to be repeated, no secrets
    drawn: dict[str, list[float]] = {name: [] for name in SCORES}
    for _ in range(draws if groups else 0):
        one = _drawn(columns, random.choices(range(len(groups)), k=len(groups)))
        for name, score in SCORES.items():
            if (value := score(one)) is not None:
                drawn[name].append(value)
    return {
        name: Interval(score(metrics), *bounds(drawn[name]), len(groups))
        for name, score in SCORES.items()
    }


@dataclass(frozen=True)
class Comparison:
    """Two results over the programs that both scored: differences are second minus first.

    only_first, only_second: programs that only one of them scored, which take no part.
    """

    n: int
    only_first: int
    only_second: int
    differences: Mapping[str, Interval]
    mcnemar: Mapping[str, Mapping[str, float | int]]

    def to_json(self) -> dict[str, Any]:
        return {
            "programs": self.n,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "differences": {name: d.to_json() for name, d in self.differences.items()},
            "mcnemar": {name: dict(test) for name, test in self.mcnemar.items()},
        }


def compare(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    draws: int = DRAWS,
    seed: int = SEED,
) -> Comparison:
    """Paired comparison: the same draws of programs serve both results.

    mcnemar: for VD and secure passes, how many suites (same program and sample; same prompt too where a
    result holds several) only one of the two has it for, and the exact p. Raises ValueError when the two
    share no program.
    """
    one, other = by_program(first), by_program(second)
    shared = [program for program in one if program in other]
    if not shared:
        raise ValueError("the two results have no program in common")
    tests = {
        "vd": _discordant(first, second, attrgetter("detects")),
        "secure_passes": _discordant(first, second, attrgetter("secure_passes")),
    }
    return Comparison(
        len(shared),
        len(one) - len(shared),
        len(other) - len(shared),
        _differences(one, other, shared, draws, seed),
        tests,
    )


def _differences(
    one: Groups, other: Groups, shared: Sequence[str], draws: int, seed: int
) -> dict[str, Interval]:
    columns = [_columns(groups, shared) for groups in (one, other)]
    everything = range(len(shared))
    totals = [_drawn(column, everything) for column in columns]
    random = Random(seed)  # noqa: S311 - draws to be repeated, no secrets
    drawn: dict[str, list[float]] = {name: [] for name in SCORES}
    for _ in range(draws):
        picks = random.choices(everything, k=len(shared))
        before, after = (_drawn(column, picks) for column in columns)
        for name, score in SCORES.items():
            if (value := _minus(score, after, before)) is not None:
                drawn[name].append(value)
    return {
        name: Interval(_minus(score, totals[1], totals[0]), *bounds(drawn[name]), len(shared))
        for name, score in SCORES.items()
    }


def _minus(score: Callable[[Metrics], float | None], one: Metrics, other: Metrics) -> float | None:
    first, second = score(one), score(other)
    return None if first is None or second is None else first - second


def _discordant(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    has: Callable[[SampleResult], bool],
) -> dict[str, float | int]:
    apart = any(len({sample.prompt for sample in samples}) > 1 for samples in (first, second))
    one, other = (
        {
            (sample.id, sample.prompt if apart else "", sample.sample): has(sample)
            for sample in samples
            if sample.health == "ok"
        }
        for samples in (first, second)
    )
    pairs = [(one[key], other[key]) for key in one if key in other]
    return discordant(pairs)


def result_json(result: Result) -> dict[str, Any]:
    """The contract's object: `summary` and `samples`, scores by group, and how the result was made."""
    groups = {group: by_group(result.samples, group) for group in GROUPS}
    groups["operator"] = by_operator(result.samples)
    found = intervals(result.samples)
    return {
        "summary": {
            **summary_json(measure(result.samples), states(result.samples)),
            "intervals": {name: interval.to_json() for name, interval in found.items()},
        },
        **result.model_dump(mode="json", exclude={"samples", "trivial"}),
        "by": {
            group: {name: summary_json(metrics) for name, metrics in rows.items()}
            for group, rows in groups.items()
        },
        "trivial_summaries": {
            name: summary_json(measure(samples)) for name, samples in result.trivial.items()
        },
        **result.model_dump(mode="json", include={"samples", "trivial"}),
    }
