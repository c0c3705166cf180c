"""Intervals, paired tests and agreement: what the tracks' reports share. All draws are seeded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from random import Random
from statistics import NormalDist
from typing import Any

DRAWS = 2_000
SEED = 20_260
LEVEL = 0.95
MAX_KEPT = 400_000
"""Draws of at most so many units in all are kept to be used again."""
FEWEST = 2
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)

Ratio = tuple[Sequence[float], Sequence[float]]
"""What each unit (a task, a program) adds to a rate's numerator and to its denominator."""
Draw = Callable[[Sequence[float]], Sequence[float]]
"""Picks what was drawn out of a column."""


@dataclass(frozen=True)
class Interval:
    """A score with the bounds of its 95 % interval, and the units (programs, tasks) that it rests on."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def bounds(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The percentiles that leave out (1 - LEVEL) / 2 on either side, between ranks where they fall so."""
    if not values:
        return None, None
    ranked = sorted(values)
    tail = (1 - LEVEL) / 2
    return quantile(ranked, tail), quantile(ranked, 1 - tail)


def quantile(ranked: Sequence[float], share: float) -> float:
    """The value below which that share of the ranked values falls, linear between ranks."""
    position = share * (len(ranked) - 1)
    below = int(position)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (position - below)


def draws_of(units: int, draws: int = DRAWS, seed: int = SEED) -> Iterable[Draw]:
    """`draws` draws of as many of `units` with replacement, each as what picks them; none without units.

    May be iterated several times, to the same draws.
    """
    small = units * draws <= MAX_KEPT
    return _kept(units, draws, seed) if small else _Draws(units, draws, seed)


@dataclass(frozen=True)
class _Draws:
    """Draws made anew for each iteration: many tasks must not fill the memory."""

    units: int
    draws: int
    seed: int

    def __iter__(self) -> Iterator[Draw]:
        random = Random(self.seed)  # noqa: S311 - draws to be repeated, no secrets
        everything = range(self.units)
        for _ in range(self.draws if self.units else 0):
            yield _picker(random.choices(everything, k=self.units))


def _picker(indices: Sequence[int]) -> Draw:
    return itemgetter(*indices) if len(indices) > 1 else tuple


@lru_cache(maxsize=32)
def _kept(units: int, draws: int, seed: int) -> tuple[Draw, ...]:
    return tuple(_Draws(units, draws, seed))


def drawn_ratios(ratio: Ratio, picks: Iterable[Draw]) -> list[float | None]:
    """The ratio of sums for each draw; None for a draw that has nothing to divide by."""
    over, under = ratio
    if under and min(under) == max(under):
        whole = under[0] * len(under)
        return [sum(chosen(over)) / whole if whole else None for chosen in picks]
    sums = ((sum(chosen(over)), sum(chosen(under))) for chosen in picks)
    return [part / whole if whole else None for part, whole in sums]


def ratio_of(ratio: Ratio) -> float | None:
    """The ratio of the sums, None where there is nothing to divide by."""
    whole = math.fsum(ratio[1])
    return math.fsum(ratio[0]) / whole if whole else None


def ratio_intervals(
    ratios: Mapping[str, Ratio], draws: int = DRAWS, seed: int = SEED
) -> dict[str, Interval]:
    """95 % percentile bootstrap intervals of ratios of sums, units drawn with replacement.

    All ratios are over the same units, in the same order, and share the draws. Draws in which a ratio has
    nothing to divide by do not count for it; `n` is the number of units that add to its denominator. One
    unit says nothing of how units vary: it has no interval.
    """
    units = max((len(under) for _, under in ratios.values()), default=0)
    picks = draws_of(units, draws, seed)
    found = {}
    for name, ratio in ratios.items():
        n = sum(part > 0 for part in ratio[1])
        drawn = drawn_ratios(ratio, picks) if n >= FEWEST else ()
        values = [value for value in drawn if value is not None]
        found[name] = Interval(ratio_of(ratio), *bounds(values), n)
    return found


def wilson(count: int, n: int) -> Interval:
    """A proportion of independent trials with Wilson's score interval (Wilson, 1927)."""
    if not n:
        return Interval(None, None, None, 0)
    return Interval(count / n, *wilson_bounds(count / n, n), n)


def wilson_bounds(share: float, n: float) -> tuple[float, float]:
    """Wilson's score interval of a share (0 to 1) of `n` > 0 trials; n may be an effective size."""
    square = Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    # The bounds of all or nothing are 0 and 1, and a share lies in its interval: rounding must not matter.
    low = 0.0 if share == 0 else min(share, max(0.0, middle - half))
    high = 1.0 if share == 1 else max(share, min(1.0, middle + half))
    return low, high


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two raters beyond chance, (p_o - p_e) / (1 - p_e) (Cohen, 1960).

    None without pairs, and where both always say the same one thing, so that chance explains all.
    """
    if not pairs:
        return None
    n = len(pairs)
    labels = {label for pair in pairs for label in pair}
    agreed = sum(one == other for one, other in pairs)
    by_chance = sum(
        sum(one == label for one, _ in pairs) * sum(other == label for _, other in pairs)
        for label in labels
    )
    if by_chance == n * n:
        return None
    return (agreed / n - by_chance / n**2) / (1 - by_chance / n**2)


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p of McNemar's test: discordant pairs under a fair coin."""
    n = only_first + only_second
    ways = tail = 1
    for k in range(min(only_first, only_second)):
        ways = ways * (n - k) // (k + 1)
        tail += ways
    return min(1.0, 2 * tail / (1 << n)) if n else 1.0


def fisher(with_it: int, without: int, others_with: int, others_without: int) -> float:
    """One-sided p of Fisher's exact test: so many `with_it` or more, were it as likely for both."""
    own, others = with_it + without, others_with + others_without
    have = with_it + others_with
    whole = _ways(own + others, have)
    most = min(own, have)
    terms = (_ways(own, k) + _ways(others, have - k) - whole for k in range(with_it, most + 1))
    return min(1.0, math.fsum(map(math.exp, terms)))


def _ways(n: int, k: int) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) if k <= n else -math.inf


def discordant(pairs: Sequence[tuple[bool, bool]]) -> dict[str, float | int]:
    """Pairs of outcomes, how many only the first or only the second has, and McNemar's exact p."""
    only_first = sum(a and not b for a, b in pairs)
    only_second = sum(b and not a for a, b in pairs)
    p = mcnemar(only_first, only_second)
    return {"pairs": len(pairs), "only_first": only_first, "only_second": only_second, "p": p}
