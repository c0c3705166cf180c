"""A class compared with labels of people: precision, recall and F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.report.scores import ratio_intervals
from arena.report.statistics import Interval, wilson


@dataclass(frozen=True)
class RatedScores:
    """A class compared with labels: counts, and precision, recall (Wilson) and F1 (bootstrap)."""

    hits: int
    false_alarms: int
    misses: int
    rejections: int
    precision: Interval
    recall: Interval
    f1: Interval

    @property
    def n(self) -> int:
        return self.hits + self.false_alarms + self.misses + self.rejections

    def to_json(self) -> dict[str, Any]:
        counts = {"tp": self.hits, "fp": self.false_alarms, "fn": self.misses}
        rates = {name: getattr(self, name).to_json() for name in ("precision", "recall", "f1")}
        return {"n": self.n, **counts, "tn": self.rejections, **rates}


def scores(pairs: Sequence[tuple[bool, bool]]) -> RatedScores:
    """From (our verdict, the person's): precision tp/(tp+fp), recall tp/(tp+fn), F1 of the two."""
    counted = Counter(pairs)
    hits, alarms = counted[True, True], counted[True, False]
    misses = counted[False, True]
    # F1 = 2 tp / (2 tp + fp + fn) is a ratio of sums, so that it can be drawn as one.
    over = [2.0 * (ours and theirs) for ours, theirs in pairs]
    under = [float(ours) + float(theirs) for ours, theirs in pairs]
    f1 = ratio_intervals({"f1": (over, under)})["f1"]
    return RatedScores(
        hits,
        alarms,
        misses,
        counted[False, False],
        wilson(hits, hits + alarms),
        wilson(hits, hits + misses),
        Interval(f1.value, f1.low, f1.high, len(pairs)),
    )
