"""The interval of a paired difference, the same to the last digit in Python and on the page.

`static/stats.js` (`ratioInterval`) repeats this file: a mixing function of 32 bits selects the draws
in place of a library's generator, so that both draw the same tasks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from arena.report.statistics import DRAWS, FEWEST, SEED, Interval, Z, bounds, wilson_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

# With more tasks the normal interval is as good as a bootstrap, and faster.
MAX_BOOTSTRAP_TASKS = 500


def difference_interval(over: Sequence[float], under: Sequence[float]) -> Interval:
    """The ratio of two sums over tasks, -1 to 1, with its 95 % interval; `n` is the tasks.

    over: what each task gains; under: its pairs (at least 1). For fewer tasks a percentile bootstrap
    over tasks, for more the normal interval with the variance of a ratio (Cochran, 1977, section 6.4).
    """
    tasks = len(over)
    if not tasks:
        return Interval(None, None, None, 0)
    value = math.fsum(over) / math.fsum(under)
    if tasks < FEWEST:
        return Interval(value, None, None, tasks)
    if len({part / whole for part, whole in zip(over, under, strict=True)}) == 1:
        return _alike(value, tasks)
    interval = (
        _normal(over, under, value) if tasks > MAX_BOOTSTRAP_TASKS else _bootstrap(over, under)
    )
    return Interval(value, *interval, tasks)


def _alike(share: float, tasks: int) -> Interval:
    """The interval of a difference that is the same in every task, where a bootstrap has nothing to vary.

    So many tasks alike leave room for different tasks in no more than `rest` of all (Wilson), which could
    differ by up to 1 in either direction.
    """
    rest = 1 - wilson_bounds(1.0, tasks)[0]
    low, high = (share * (1 - rest) + end * rest for end in (-1.0, 1.0))
    return Interval(share, low, high, tasks)


def _normal(over: Sequence[float], under: Sequence[float], ratio: float) -> tuple[float, float]:
    tasks, whole = len(over), math.fsum(under)
    squares = math.fsum((x - ratio * n) ** 2 for x, n in zip(over, under, strict=True))
    half = Z * math.sqrt(tasks / (tasks - 1) * squares) / whole
    return max(-1.0, ratio - half), min(1.0, ratio + half)


def _bootstrap(over: Sequence[float], under: Sequence[float]) -> tuple[float | None, float | None]:
    import numpy as np

    picked = _pick_tasks(DRAWS, len(over))
    gained = np.asarray(over, dtype=float)[picked].sum(axis=1)
    return bounds(gained / np.asarray(under, dtype=float)[picked].sum(axis=1))


def _pick_tasks(draws: int, tasks: int) -> NDArray[Any]:
    """The tasks of each draw: the finaliser of MurmurHash3 (Appleby) over the number of the pick."""
    import numpy as np

    # Masked to 32 bits after each product, as `Math.imul` gives it on the page.
    mixed = np.arange(draws * tasks, dtype=np.uint64) * 0x9E3779B1 + SEED & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        mixed = (mixed ^ mixed >> np.uint64(shift)) * np.uint64(factor) & 0xFFFFFFFF
    return (mixed * np.uint64(tasks) >> np.uint64(32)).astype(int).reshape(draws, tasks)
