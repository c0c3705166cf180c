"""Counts of attempts by task, and what they come to: shares with their intervals and bounds."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from arena.report.clusters import clustered_share, mean_score
from arena.report.passk import pass_at
from arena.report.statistics import Interval
from arena.store.model import Row

# Pack and task.
TaskKey = tuple[str, str]


@dataclass(frozen=True)
class Part:
    """A share of labelled attempts with its 95 % interval; low, high: where unlabelled ones could move it."""

    count: int
    share: Interval
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """count, n, rate, interval, bounds; rate and interval are None without labelled attempts."""
        share = self.share
        interval = None if share.value is None else [share.low, share.high]
        return {
            "count": self.count,
            "n": share.n,
            "rate": share.value,
            "interval": interval,
            "bounds": [self.low, self.high],
        }


@dataclass
class LabelTally:
    """Attempts of a track, counted by task of a pack. Costs and scores that are no numbers are not added.

    labelled_of: labelled attempts of each task, 0 where all are open. counts: by label, then by task.
    """

    labelled_of: dict[TaskKey, int] = field(default_factory=dict)
    counts: dict[str, dict[TaskKey, int]] = field(default_factory=dict)
    scores: dict[TaskKey, list[float]] = field(default_factory=dict)
    unlabelled: int = 0
    usd: float = 0.0
    usd_labelled: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    flagged: int = 0
    agents: set[str] = field(default_factory=set)

    def add(self, row: Row) -> None:
        task = (row.pack, row.task)
        self.count(task, row.label)
        usd = row.usd if 0 <= row.usd < math.inf else 0.0
        if row.label is not None:
            self.usd_labelled += usd
        if row.score is not None and 0 <= row.score <= 1:
            self.scores.setdefault(task, []).append(row.score)
        self.usd += usd
        self.seconds += row.seconds if 0 <= row.seconds < math.inf else 0.0
        self.tokens += row.tokens
        self.flagged += bool(row.flags)
        self.agents.add(row.agent)

    def count(self, task: TaskKey, label: str | None) -> None:
        """Count a further attempt at a task, with this label or None."""
        before = self.labelled_of.get(task, 0)
        if label is None:
            self.labelled_of[task] = before
            self.unlabelled += 1
            return
        self.labelled_of[task] = before + 1
        of_label = self.counts.setdefault(label, {})
        of_label[task] = of_label.get(task, 0) + 1

    @property
    def labelled_count(self) -> int:
        return sum(self.labelled_of.values())

    def parts(self, labels: Collection[str]) -> list[tuple[int, int]]:
        """Per task: the attempts that have any of these labels, and all that have a label."""
        counts = [self.counts[label] for label in labels if label in self.counts]
        # The usual case, without a sum for each of many tasks.
        if len(counts) == 1:
            return [(counts[0].get(task, 0), n) for task, n in self.labelled_of.items()]
        return [
            (sum(by_task.get(task, 0) for by_task in counts), n)
            for task, n in self.labelled_of.items()
        ]

    def part(self, labels: Collection[str]) -> Part:
        """The share of labelled attempts that have any of these labels. There must be attempts."""
        parts = self.parts(labels)
        count, total = sum(x for x, _ in parts), self.labelled_count + self.unlabelled
        low, high = count / total, (count + self.unlabelled) / total
        return Part(count, clustered_share(parts), low, high)

    def score(self) -> Interval | None:
        """The mean of the scores; None where no attempt has a score."""
        interval = mean_score([(math.fsum(all_), len(all_)) for all_ in self.scores.values()])
        return interval if interval.n else None

    def pass_at(self, labels: Collection[str]) -> dict[int, Interval]:
        """pass@k, where an attempt with any of these labels is good."""
        return pass_at(self.parts(labels))

    def usd_per_attempt(self) -> float | None:
        """USD for each attempt that got a label, all tries of it; None where none has."""
        labelled = self.labelled_count
        return self.usd_labelled / labelled if labelled else None

    def usd_per(self, labels: Collection[str]) -> float | None:
        """All USD for each attempt that got any of these labels; None where none has."""
        count = sum(sum(self.counts[label].values()) for label in labels if label in self.counts)
        return self.usd / count if count else None
