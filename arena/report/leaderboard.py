"""The leaderboard: what is compared (agents, models, prompts), with rates, scores and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from arena.report.pareto import front
from arena.report.statistics import Interval
from arena.report.tally import LabelTally, Part
from arena.store.model import Row
from arena.vocabulary import vocabulary_or_bare
from harness.user_names import display_name

BY = ("track", "agent", "model", "prompt")
# What attempts may be grouped by: one value for each attempt.
GROUPS = (*BY, "run", "pack", "task", "language", "project", "domain", "replicate")


@dataclass(frozen=True)
class Entry:
    """A line: the attempts that have the same values of the fields in `key`.

    labels: in the order of the track's vocabulary; good, vulnerable: all labels of that kind together.
    usd_per_attempt: of the attempts that have a label. usd_per_good: all USD for each good attempt. flagged:
    attempts with signs of cheating.
    calibration: all are of agents that submit a task's stored solution. pareto: no entry of the track is at
    least as good and as cheap, and better in either; calibration is left out. pass_at: by k.
    """

    track: str
    key: Mapping[str, str]
    attempts: int
    unlabelled: int
    tasks: int
    labels: Mapping[str, Part]
    good: Part
    vulnerable: Part
    score: Interval | None
    usd: float
    usd_per_attempt: float | None
    usd_per_good: float | None
    tokens: int
    seconds: float
    flagged: int
    pass_at: Mapping[int, Interval]
    calibration: bool = False
    pareto: bool = False

    @property
    def lines(self) -> tuple[str, str]:
        """The compared configuration: the agent, and all else but the track; a neutral prompt is left out."""
        names = {name: text for name, text in self.key.items() if name != "track" and text}
        if names.get("prompt") == "neutral" and len(names) > 1:
            del names["prompt"]
        agent = display_name(names.pop("agent", ""))
        return agent, " ".join(f"({v})" if k == "prompt" else v for k, v in names.items())

    @property
    def column(self) -> str:
        """`lines` as a single line."""
        return " ".join(filter(None, self.lines)) or self.track

    def to_json(self) -> dict[str, Any]:
        return {
            **dict.fromkeys(BY, ""),
            **self.key,
            "track": self.track,
            "attempts": self.attempts,
            "unlabelled": self.unlabelled,
            "tasks": self.tasks,
            "labels": {label: part.to_json() for label, part in self.labels.items()},
            "good": self.good.to_json(),
            "vulnerable": self.vulnerable.to_json(),
            "score": self.score.to_json() if self.score else None,
            "usd": self.usd,
            "usd_per_attempt": self.usd_per_attempt,
            "usd_per_good": self.usd_per_good,
            "tokens": self.tokens,
            "seconds": self.seconds,
            "flagged": self.flagged,
            "calibration": self.calibration,
            "pareto": self.pareto,
            "pass_at": {str(k): interval.to_json() for k, interval in self.pass_at.items()},
        }


def leaderboard(rows: Iterable[Row], by: Sequence[str] = BY) -> list[Entry]:
    """An entry for each combination of the fields `by`, the best first within each track.

    Attempts of two tracks are never put together, whether `by` has "track" or not. Raises ValueError for
    a field that attempts cannot be grouped by, or an unknown track.
    """
    for name in by:
        if name not in GROUPS:
            raise ValueError(f"no field {name!r} to group by; known: {', '.join(GROUPS)}")
    fields = tuple(dict.fromkeys(("track", *by)))
    # A name more than needed, since `attrgetter` of a single name returns no tuple.
    key_of = attrgetter(*fields, "track")
    groups: dict[tuple[Any, ...], LabelTally] = {}
    for row in rows:
        key = key_of(row)
        # Not by `setdefault`, which would make a tally for each of 100,000 rows.
        tally = groups.get(key)
        if tally is None:
            tally = groups[key] = LabelTally()
        tally.add(row)
    entries = [
        _entry(dict(zip(fields, map(str, key), strict=False)), tally)
        for key, tally in groups.items()
    ]
    return sorted(_with_front(entries), key=_place)


def _entry(key: Mapping[str, str], tally: LabelTally) -> Entry:
    words = vocabulary_or_bare(key["track"])
    known_labels = [meaning.label for meaning in words.shown(tally.counts)]
    labels = (*known_labels, *sorted(tally.counts.keys() - set(known_labels)))
    return Entry(
        track=key["track"],
        key=key,
        attempts=tally.labelled_count + tally.unlabelled,
        unlabelled=tally.unlabelled,
        tasks=len(tally.labelled_of),
        labels={label: tally.part((label,)) for label in labels},
        good=tally.part(words.good),
        vulnerable=tally.part(words.vulnerable),
        score=tally.score(),
        usd=tally.usd,
        usd_per_attempt=tally.usd_per_attempt(),
        usd_per_good=tally.usd_per(words.good),
        tokens=tally.tokens,
        seconds=tally.seconds,
        flagged=tally.flagged,
        pass_at=tally.pass_at(words.good),
        calibration=all(map(words.calibrates, tally.agents)),
    )


def _with_front(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, those on the front of good rate against cost of their track marked."""
    points: dict[str, dict[int, tuple[float, float]]] = {}
    for number, entry in enumerate(entries):
        rate, cost = entry.good.share.value, entry.usd_per_attempt
        if rate is not None and cost is not None and not entry.calibration:
            points.setdefault(entry.track, {})[number] = (rate, cost)
    best = {number for of_track in points.values() for number in front(of_track)}
    return [replace(entry, pareto=number in best) for number, entry in enumerate(entries)]


def _place(entry: Entry) -> tuple[Any, ...]:
    rate = entry.good.share.value
    return entry.track, rate is None, -(rate or 0.0), *entry.key.values()
