"""pass@k: whether any of k attempts at a task is good (Chen et al. 2021, section 2.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.report.clusters import mean_over_tasks
from arena.report.statistics import Interval

KS = (1, 2, 3, 5, 10, 20, 50, 100)


def estimate_pass_at_k(n: int, c: int, k: int) -> float | None:
    """1 - C(n-c, k) / C(n, k): the chance that k of n attempts include any of the c good attempts.

    The unbiased estimate for a task (Chen et al. 2021, eq. 1; DualGauge, Equations 1 and 2); None where k
    is not within 1 to n.
    """
    if not 1 <= k <= n:
        return None
    # Whole numbers, which stay exact where floats overflow.
    choices = math.comb(n, k)
    return (choices - math.comb(n - c, k)) / choices


def pass_at(counts: Sequence[tuple[int, int]], ks: Sequence[int] = KS) -> dict[int, Interval]:
    """pass@k for each k that some task has attempts for: the mean over the tasks with k attempts or more.

    counts: (good ones, labelled attempts) of each task. `n` of an interval is the number of tasks.
    """
    max_n = max((n for _, n in counts), default=0)
    return {k: _pass_at([(c, n) for c, n in counts if n >= k], k) for k in ks if k <= max_n}


def _pass_at(counts: Sequence[tuple[int, int]], k: int) -> Interval:
    values = [value for c, n in counts if (value := estimate_pass_at_k(n, c, k)) is not None]
    return mean_over_tasks(values, sum(n for _, n in counts))
