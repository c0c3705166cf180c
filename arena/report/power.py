"""Which difference of two columns an experiment can see, before it is made."""

from __future__ import annotations

import math
from statistics import NormalDist

from arena.report.statistics import LEVEL

POWER = 0.8
DIFFER = 0.3
"""Share of pairs of attempts of which one alone is good, where nothing is known of the two columns."""
OF_TASK = 0.5
"""How much of that is the task's, and so the same in each replicate."""
ASSUMED = (
    f"if {100 * DIFFER:.0f} % of pairs differ, half of it by task; {100 * POWER:.0f} % power, two-sided "
    f"{1 - LEVEL:.2g}"
)


def least_difference(tasks: int, replicates: int, differ: float = DIFFER) -> float | None:
    """The least difference of good rates (0 to 1) that is seen with 80 % power; None for no task.

    A pair's difference is -1, 0 or 1 with variance psi - d^2, psi the share of pairs that differ (Connor
    1987, for McNemar's test). Replicates average out what is not the task's: psi' = psi (rho + (1 - rho) /
    r). With k = z(0.975) + z(0.8), d = k sqrt((psi' - d^2) / tasks), so d^2 = k^2 psi' / (tasks + k^2).
    """
    if tasks < 1 or replicates < 1:
        return None
    normal = NormalDist()
    k = normal.inv_cdf((1 + LEVEL) / 2) + normal.inv_cdf(POWER)
    left = differ * (OF_TASK + (1 - OF_TASK) / replicates)
    return math.sqrt(k * k * left / (tasks + k * k))
