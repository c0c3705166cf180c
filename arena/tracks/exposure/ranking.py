"""Facts that tables and figures share: ranks of models, what tells them apart, the most volatile wordings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from arena.report.statistics import FEWEST, Interval, ratio_intervals, wilson
from arena.tracks.exposure.assessment import Assessed, Assessment
from arena.tracks.exposure.counts import VerdictCounts
from arena.tracks.exposure.intervals import probability_interval
from arena.tracks.exposure.scores import Wording
from arena.tracks.exposure.tasks.wordings import similarity

MAX_TIED = 20
"""So many wordings at either end are compared by their texts where several have the same P."""


@dataclass(frozen=True)
class Pole:
    """One wording of a pair: its number, text, and what its completions came to."""

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
    """The wordings of one scenario that are furthest apart in P. similarity: of their texts, 0 to 1."""

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


def volatile(one: Assessment) -> Pair | None:
    """The pair of Table 4 of one model: of the greatest difference in P, the one with the closest texts.

    A wording without a program that counts takes no part: its P is 0 by definition. One whose programs have
    no place for the weakness does: the paper's own pair has such a one. None where no two wordings differ.
    """
    found = [pair for s in one.scenarios.values() if (pair := _furthest(one.name, s))]
    return most_volatile(found)


def most_volatile(pairs: Iterable[Pair]) -> Pair | None:
    """The first of those with the greatest difference, and among them the closest texts."""
    return max(pairs, key=lambda pair: (pair.distance, pair.similarity), default=None)


def _furthest(model: str, one: Assessed) -> Pair | None:
    poles = [
        Pole(*facts)
        for facts in zip(one.numbers, one.texts, one.wordings, one.counts, strict=True)
        if facts[2].valid
    ]
    if not poles:
        return None
    chances = [pole.wording.probability for pole in poles]
    if max(chances) == min(chances):
        return None
    tops, bottoms = (
        [pole for pole in poles if pole.wording.probability == end][:MAX_TIED]
        for end in (max(chances), min(chances))
    )
    pairs = [
        Pair(model, one.id, high, low, similarity(high.text, low.text))
        for high, low in product(tops, bottoms)
    ]
    return most_volatile(pairs)


@dataclass(frozen=True)
class Ranked:
    """One model in two orders. Rank 1 is the least exposed; equal values share the better rank.

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
    mes = [one.scores.me_of_pack for one in every]
    rates = [naive_interval(one) for one in every]
    found = [
        Ranked(one.name, me, rate, _rank(me, mes) or 0, _rank(rate, rates))
        for one, me, rate in zip(every, mes, rates, strict=True)
    ]
    return sorted(found, key=lambda one: (one.by_me, one.by_naive or len(every) + 1))


def _rank(own: Interval, every: Sequence[Interval]) -> int | None:
    if own.value is None:
        return None
    return 1 + sum(one.value is not None and one.value < own.value for one in every)


def kendall_tau(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Agreement of two orders: tau-b, (C - D) / sqrt((C + D + ties of one) (C + D + ties of the other)).

    C and D are the pairs that both order alike and the other way round (Kendall, 1945). 1: the same order,
    -1: reversed. None where one of them orders nothing.
    """
    from scipy.stats import kendalltau  # type: ignore[import-untyped]

    if len(pairs) < FEWEST:
        return None
    tau = float(kendalltau(*zip(*pairs, strict=True)).statistic)
    return None if math.isnan(tau) else max(-1.0, min(1.0, tau))


def told_apart(ranked: Sequence[Ranked]) -> tuple[int, int]:
    """(pairs of models whose intervals of ME do not overlap, all pairs)."""
    pairs = list(combinations(ranked, 2))
    return sum(_is_disjoint(one.me, other.me) for one, other in pairs), len(pairs)


def _is_disjoint(one: Interval, other: Interval) -> bool:
    if None in (one.low, one.high, other.low, other.high):
        return False
    return (one.high or 0.0) < (other.low or 0.0) or (other.high or 0.0) < (one.low or 0.0)


def naive_interval(one: Assessment) -> Interval:
    """Table 3 with Wilson's interval: it speaks of completions of these wordings, as if all were alike."""
    return wilson(*_naive_counts(one.outcomes.total(scenarios=one.scenarios.keys()), one))


def naive_of_scenarios(one: Assessment) -> Interval:
    """Table 3 with a bootstrap over scenarios: completions of one scenario are alike, others would differ."""
    counted = one.outcomes.counts_by_scenario
    columns = [_naive_counts(counted[name], one) for name in one.scenarios]
    parts: tuple[Sequence[float], Sequence[float]] = (
        [vulnerable for vulnerable, _ in columns],
        [n for _, n in columns],
    )
    return ratio_intervals({"naive": parts})["naive"]


def _naive_counts(counts: VerdictCounts, one: Assessment) -> tuple[int, int]:
    return counts.vulnerable, counts.applicable if one.inputs.applicable else counts.valid
