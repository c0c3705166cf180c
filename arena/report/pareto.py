"""Which of several are beaten by none: as good or better, and not dearer."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def front(points: Mapping[Name, tuple[float, float]]) -> set[Name]:
    """Names of the Pareto-efficient points (good, cost).

    No point is at least as good and no dearer than they are, and strictly better in either. Points that are
    equal in both stand or fall together.
    """
    efficient: set[Name] = set()
    best, best_cost = float("-inf"), float("inf")
    # By cost, the best first in each: only a point before can beat another.
    for name, (good, cost) in sorted(points.items(), key=lambda p: (p[1][1], -p[1][0])):
        if good > best:
            best, best_cost = good, cost
            efficient.add(name)
        elif (good, cost) == (best, best_cost):
            efficient.add(name)
    return efficient
