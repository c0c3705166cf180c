"""Facts that tables and figures share: ranks of models, their differences, the volatile wordings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from arena.report.scores import ratio_intervals
from arena.report.statistics import FEWEST, Interval, wilson
from arena.tracks.exposure.assessment import Assessed, Assessment
from arena.tracks.exposure.counts import VerdictCounts
from arena.tracks.exposure.intervals import probability_interval
from arena.tracks.exposure.scores import Wording
from arena.tracks.exposure.tasks.wordings import similarity

# So many wordings at either end are compared by their texts where several have the same P.
MAX_TIED = 20


@dataclass(frozen=True)
class Pole:
    """A wording of a pair: its number, text, and what its completions came to."""

    number: int
    text: str
    wording: Wording
    counts: VerdictCounts

    @property
    def interval(self) -> Interval:
        return probability_interval(self.wording)

    def to_json(self) -> dict[str, Any]:
        facts = {"p": self.wording.probability, "interval": self.interval.to_json()}
        return {
            "number": self.number,
            "text": self.text,
            **facts,
            "counts": self.counts.to_json(),
        }


@dataclass(frozen=True)
class Pair:
    """The wordings of a scenario that are furthest apart in P. similarity: of their texts, 0 to 1."""

    model: str
    scenario: str
    high: Pole
    low: Pole
    similarity: float

    @property
    def distance(self) -> float:
        return self.high.wording.probability - self.low.wording.probability

    def to_json(self) -> dict[str, Any]:
        facts = {"model": self.model, "scenario": self.scenario, "difference": self.distance}
        ends = {"high": self.high.to_json(), "low": self.low.to_json()}
        return {**facts, "similarity": self.similarity, **ends}


def volatile(assessment: Assessment) -> Pair | None:
    """The pair of Table 4 of a model: the greatest difference in P and, of equal pairs, the closest texts.

    A wording without a program that counts takes no part: its P is 0 by definition. A wording with programs
    but no sink does: the paper's pair has such a wording. None where no two wordings differ.
    """
    results = [
        pair for s in assessment.scenarios.values() if (pair := _furthest(assessment.name, s))
    ]
    return most_volatile(results)


def most_volatile(pairs: Iterable[Pair]) -> Pair | None:
    """The first of those with the greatest difference, and among them the closest texts."""
    return max(pairs, key=lambda pair: (pair.distance, pair.similarity), default=None)


def _furthest(model: str, assessed: Assessed) -> Pair | None:
    poles = [
        Pole(*facts)
        for facts in zip(
            assessed.numbers, assessed.texts, assessed.wordings, assessed.counts, strict=True
        )
        if facts[2].valid
    ]
    if not poles:
        return None
    chances = [pole.wording.probability for pole in poles]
    # No two wordings differ: a pair would show nothing.
    if max(chances) == min(chances):
        return None
    tops, bottoms = (
        [pole for pole in poles if pole.wording.probability == end][:MAX_TIED]
        # Cut, since all pairs of many wordings of equal P would be compared by their texts.
        for end in (max(chances), min(chances))
    )
    pairs = [
        Pair(model, assessed.id, high, low, similarity(high.text, low.text))
        for high, low in product(tops, bottoms)
    ]
    return most_volatile(pairs)


@dataclass(frozen=True)
class Ranked:
    """A model in two orders. Rank 1 is the least exposed; equal values share the better rank.

    change: by how many ranks ME has it worse than the naive rate has. None where there is no naive rate.
    """

    name: str
    me: Interval
    naive: Interval
    by_me: int
    by_naive: int | None

    @property
    def change(self) -> int | None:
        return None if self.by_naive is None else self.by_me - self.by_naive

    def to_json(self) -> dict[str, Any]:
        ranks = {"rank_by_me": self.by_me, "rank_by_naive": self.by_naive, "change": self.change}
        facts = {"me": self.me.to_json(), "naive": self.naive.to_json()}
        return {"model": self.name, **ranks, **facts}


def ranking(every: Sequence[Assessment]) -> list[Ranked]:
    """Models by ME (intervals of this pack) beside the naive rate of Table 3, the least exposed first."""
    mes = [assessment.scores.me_of_pack for assessment in every]
    rates = [naive_interval(assessment) for assessment in every]
    rankeds = [
        Ranked(item.name, me, rate, _rank(me, mes) or 0, _rank(rate, rates))
        for item, me, rate in zip(every, mes, rates, strict=True)
    ]
    return sorted(rankeds, key=lambda item: (item.by_me, item.by_naive or len(every) + 1))


def _rank(interval: Interval, every: Sequence[Interval]) -> int | None:
    if interval.value is None:
        return None
    return 1 + sum(
        candidate.value is not None and candidate.value < interval.value for candidate in every
    )


def kendall_tau(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Agreement of two orders: tau-b, (C - D) / sqrt((C + D + ties of first) (C + D + ties of second)).

    C and D are the pairs that both order alike and in opposite ways (Kendall, 1945). 1: the same order,
    -1: reversed. None where either of them orders nothing.
    """
    from scipy.stats import kendalltau  # type: ignore[import-untyped]

    if len(pairs) < FEWEST:
        return None
    tau = float(kendalltau(*zip(*pairs, strict=True)).statistic)
    # Rounding could carry it a little beyond 1.
    return None if math.isnan(tau) else max(-1.0, min(1.0, tau))


def told_apart(ranked: Sequence[Ranked]) -> tuple[int, int]:
    """(pairs of models whose intervals of ME do not overlap, all pairs)."""
    pairs = list(combinations(ranked, 2))
    return sum(_is_disjoint(first.me, second.me) for first, second in pairs), len(pairs)


def _is_disjoint(first: Interval, second: Interval) -> bool:
    if None in (first.low, first.high, second.low, second.high):
        return False
    return (first.high or 0.0) < (second.low or 0.0) or (second.high or 0.0) < (first.low or 0.0)


def naive_interval(assessment: Assessment) -> Interval:
    """Table 3 with Wilson's interval: it speaks of completions of these wordings, as if all were alike."""
    return wilson(
        *_naive_counts(assessment.outcomes.total(scenarios=assessment.scenarios.keys()), assessment)
    )


def naive_of_scenarios(assessment: Assessment) -> Interval:
    """Table 3 with a bootstrap over scenarios: completions of a scenario are alike, others would differ."""
    counted = assessment.outcomes.counts_by_scenario
    columns = [_naive_counts(counted[name], assessment) for name in assessment.scenarios]
    parts: tuple[Sequence[float], Sequence[float]] = (
        [vulnerable for vulnerable, _ in columns],
        [n for _, n in columns],
    )
    return ratio_intervals({"naive": parts})["naive"]


def _naive_counts(counts: VerdictCounts, assessment: Assessment) -> tuple[int, int]:
    return counts.vulnerable, counts.applicable if assessment.inputs.applicable else counts.valid
