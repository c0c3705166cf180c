"""Intervals of shares and means over attempts that are not independent, since several share a task.

The variance of a share p = X/N over K tasks (x_t of n_t) is that of a ratio estimator (Cochran 1977, chapter
6): v = K/(K-1) * sum (x_t - p n_t)^2 / N^2. The number of independent trials with the same variance is the
effective size p (1-p) / v (Rao and Scott 1992). With that size Wilson's formula (1927) gives the interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.report.statistics import Interval, wilson_bounds

# Of one task: the sum over its attempts of what is averaged (each 0 to 1), and how many attempts.
Part = tuple[float, int]

NO_INTERVAL = Interval(None, None, None, 0)
# A variance below it is none: only rounding made it.
TINY = 1e-12


def clustered_share(parts: Sequence[Part]) -> Interval:
    """The share of attempts that have something, with its 95 % interval; `n` is the number of attempts.

    With a single attempt per task this is Wilson's interval. A lone task with several attempts is 1 trial.
    """
    counted = [part for part in parts if part[1]]
    attempts = sum([n for _, n in counted])
    is_one_per_task = len(counted) == attempts
    return _interval(
        counted, attempts, attempts if is_one_per_task else effective_size(counted, attempts)
    )


def mean_score(parts: Sequence[Part]) -> Interval:
    """The mean of scores from 0 to 1, with its 95 % interval; `n` is the number of attempts.

    As `clustered_share`, but scores may vary less than a share does, so their effective size is not capped.
    """
    counted = [part for part in parts if part[1]]
    return _interval(counted, sum(n for _, n in counted), effective_size(counted, math.inf))


def mean_over_tasks(values: Sequence[float], attempts: int) -> Interval:
    """The mean of a value (0 to 1) per task, from so many attempts in all; `n` is the number of tasks."""
    parts = [(value, 1) for value in values]
    is_one_per_task = len(values) == attempts
    return _interval(
        parts, len(values), attempts if is_one_per_task else effective_size(parts, attempts)
    )


def effective_size(parts: Sequence[Part], cap: float) -> float:
    """The number of independent trials with the same information as these tasks, capped by the argument.

    Where all have it or none has, nothing varies that could be measured: each task then counts as a single
    trial (after Korn and Graubard 1998). Without a variance between tasks it is the cap, or the attempts.
    """
    tasks, attempts = len(parts), sum(n for _, n in parts)
    share = _share(parts)
    if share is None or share in (0.0, 1.0):
        return float(tasks)
    if tasks == 1:
        return 1.0
    squares = math.fsum((x - share * n) ** 2 for x, n in parts)
    variance = tasks / (tasks - 1) * squares / attempts**2
    if variance < TINY:
        return float(attempts) if math.isinf(cap) else cap
    return min(cap, share * (1 - share) / variance)


def _share(parts: Sequence[Part]) -> float | None:
    attempts = sum(n for _, n in parts)
    # Rounding could lift it above 1, where a variance would be negative.
    return min(1.0, math.fsum(x for x, _ in parts) / attempts) if attempts else None


def _interval(parts: Sequence[Part], n: int, size: float) -> Interval:
    share = _share(parts)
    return NO_INTERVAL if share is None else Interval(share, *wilson_bounds(share, size), n)
