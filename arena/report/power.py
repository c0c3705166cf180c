"""The difference of two columns that an experiment can detect, before it is run."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Any

from arena.report.statistics import LEVEL

POWER = 0.8
# Share of pairs of attempts of which one alone is good, where nothing is known of the two columns.
DIFFER = 0.3
# How much of that is the task's, and so the same in each replicate.
OF_TASK = 0.5
# Up to here power is computed exactly; beyond it the normal approximation is 0.1 points too low at most.
MAX_TASKS = 1_000
HALVINGS = 20
ASSUMED = (
    f"if {100 * DIFFER:.0f} % of pairs differ, half of it by task; {100 * POWER:.0f} % power, two-sided "
    f"{1 - LEVEL:.2g}"
)


def least_difference(tasks: int, replicates: int, differ: float = DIFFER) -> float | None:
    """The least difference of good rates (0 to 1) that McNemar's exact test detects with 80 % power.

    None where there are too few tasks for any: a difference cannot exceed the share of pairs that differ.
    Replicates average out what is not the task's: psi' = psi (rho + (1 - rho) / r), and the difference
    shrinks as in Connor's approximation (1987).
    """
    if tasks < 1 or replicates < 1:
        return None
    single = _detect_exactly(tasks, differ) if tasks <= MAX_TASKS else _approximate(tasks, differ)
    if single is None:
        return None
    left = differ * (OF_TASK + (1 - OF_TASK) / replicates)
    return single * _approximate(tasks, left) / _approximate(tasks, differ)


def mcnemar_power(tasks: int, differ: float, difference: float) -> float:
    """The chance that McNemar's exact two-sided test is below 0.05, for pairs drawn independently.

    differ: the chance that the sides of a pair differ; difference: of the good rates, not above `differ`.
    """
    import numpy as np
    from scipy.special import bdtr, gammaln, xlogy  # type: ignore[import-untyped]

    pairs, critical = _critical_counts(tasks)
    ways = gammaln(tasks + 1) - gammaln(pairs + 1) - gammaln(tasks - pairs + 1)
    weights = np.exp(ways + xlogy(pairs, differ) + xlogy(tasks - pairs, 1 - differ))
    chance = (differ + difference) / (2 * differ)
    rejected = bdtr(critical, pairs, chance) + bdtr(critical, pairs, 1 - chance)
    return float((weights * rejected).sum())


def _detect_exactly(tasks: int, differ: float) -> float | None:
    low, high = 0.0, differ
    if mcnemar_power(tasks, differ, differ) < POWER:
        return None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if mcnemar_power(tasks, differ, middle) >= POWER else (middle, high)
        )
    return high


def _approximate(tasks: int, differ: float) -> float:
    """Connor: d = k sqrt((psi - d^2) / tasks) k = z(0.975) + z(0.8), so d^2 = k^2 psi / (tasks + k^2)."""
    normal = NormalDist()
    k = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    return math.sqrt(k * k * differ / (tasks + k * k))


@cache
def _critical_counts(tasks: int) -> tuple[Any, Any]:
    """Numbers of pairs that differ, and for each the largest count of the rarer side with p below 0.05.

    Numbers without any such count (below 6 pairs) are left out.
    """
    import numpy as np
    from scipy.special import bdtr

    pairs, critical = [], []
    count = -1
    for number in range(1, tasks + 1):
        # The critical count never falls with the number of pairs, so that it goes on from the last one.
        while 2 * bdtr(count + 1, number, 0.5) <= 1 - LEVEL:
            count += 1
        if count >= 0:
            pairs.append(number)
            critical.append(count)
    return np.array(pairs, dtype=int), np.array(critical, dtype=float)
