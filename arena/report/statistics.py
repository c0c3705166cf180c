"""Intervals, paired tests and agreement: what the tracks' reports share. All draws are seeded.

Draws are numpy's, exact tests scipy's; both are imported where they are used. Ours are Wilson's interval, as
an effective size is no whole number of trials, and Cohen's kappa, which scipy does not have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    # A number for each draw.
    Drawn = NDArray[Any]

DRAWS = 2_000
SEED = 20_260
LEVEL = 0.95
# Units that are drawn at once: many tasks must not fill the memory.
AT_ONCE = 2**20
FEWEST = 2
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)

# What each unit (a task, a program) adds to a rate's numerator and to its denominator.
Ratio = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Interval:
    """A score with the bounds of its 95 % interval, and the units (programs, tasks) that it rests on."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


def points(difference: Interval) -> str:
    """A difference of rates in points of percent, with its interval."""
    if difference.value is None or difference.low is None or difference.high is None:
        return (
            "-"
            if difference.value is None
            else f"{100 * difference.value:+.1f} points [no interval]"
        )
    return f"{100 * difference.value:+.1f} points [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def bounds(values: ArrayLike) -> tuple[float | None, float | None]:
    """The percentiles that leave out (1 - LEVEL) / 2 on either side; values that are NaN do not count."""
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    numbers = numbers[~np.isnan(numbers)]
    if not numbers.size:
        return None, None
    low, high = np.quantile(numbers, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def drawn_sums(columns: Sequence[Sequence[float]], draws: int = DRAWS, seed: int = SEED) -> Drawn:
    """The sum of each column over the units of each draw: a row for each column, with `draws` sums.

    A draw has as many units as there are, with replacement, and is the same for all columns. The same number
    of units is drawn alike in every call. (scipy's `bootstrap` draws separately for each statistic.)
    """
    import numpy as np

    table = [np.asarray(column, dtype=float) for column in columns]
    units = len(columns[0]) if columns else 0
    random = np.random.default_rng(seed)
    result = np.zeros((len(table), draws))
    step = max(1, AT_ONCE // max(1, units))
    for start in range(0, draws, step):
        block = slice(start, min(start + step, draws))
        # One draw for all columns keeps numerators and denominators of the same units.
        picked = random.integers(units, size=(block.stop - start, units))
        for sums, column in zip(result, table, strict=True):
            sums[block] = column[picked].sum(axis=1)
    return result


def quotients(over: Drawn, under: Drawn) -> Drawn:
    """The ratio of each two sums, NaN where there is nothing to divide by."""
    import numpy as np

    result: Drawn = np.divide(over, under, out=np.full(over.shape, np.nan), where=under != 0)
    return result


def ratio_of(ratio: Ratio) -> float | None:
    """The ratio of the sums, None where there is nothing to divide by."""
    whole = math.fsum(ratio[1])
    return math.fsum(ratio[0]) / whole if whole else None


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
    low = min(share, max(0.0, middle - half))
    high = max(share, min(1.0, middle + half))
    return low, high


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two raters beyond chance, (p_o - p_e) / (1 - p_e) (Cohen, 1960).

    None without pairs, and where both always use the same label, so that chance explains all.
    """
    if not pairs:
        return None
    n = len(pairs)
    labels = {label for pair in pairs for label in pair}
    agreed = sum(first == second for first, second in pairs)
    by_chance = sum(
        sum(first == label for first, _ in pairs) * sum(second == label for _, second in pairs)
        for label in labels
    )
    if by_chance == n * n:
        return None
    return (agreed / n - by_chance / n**2) / (1 - by_chance / n**2)


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p of McNemar's test: discordant pairs under a fair coin."""
    from scipy.special import bdtr  # type: ignore[import-untyped]  # scipy.stats takes a second to import

    few = min(only_first, only_second)
    return min(1.0, 2 * float(bdtr(few, only_first + only_second, 0.5)))


def fisher(with_it: int, without: int, others_with: int, others_without: int) -> float:
    """Right-tailed p of Fisher's exact test: so many `with_it` or more, if both were equally likely.

    The tail of the hypergeometric distribution, by log-gamma: importing scipy.stats for it takes a second.
    """
    if not with_it:
        return 1.0
    row, other_row, column = with_it + without, others_with + others_without, with_it + others_with
    of_all = _log_binomial(row + other_row, column)
    tail = range(with_it, min(row, column) + 1)
    logs = (_log_binomial(row, k) + _log_binomial(other_row, column - k) - of_all for k in tail)
    return min(1.0, math.fsum(map(math.exp, logs)))


def _log_binomial(n: int, k: int) -> float:
    """The logarithm of n over k; -inf where there is no way."""
    if not 0 <= k <= n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def discordant(pairs: Sequence[tuple[bool, bool]]) -> dict[str, float | int]:
    """Pairs of outcomes, how many only the first or only the second has, and McNemar's exact p."""
    only_first = sum(a and not b for a, b in pairs)
    only_second = sum(b and not a for a, b in pairs)
    p = mcnemar(only_first, only_second)
    return {"pairs": len(pairs), "only_first": only_first, "only_second": only_second, "p": p}
