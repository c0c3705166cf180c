"""Feeds -> a representative score and n for each CWE (Equation 1, Section 5.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from arena.report.text import natural
from arena.tracks.exposure.cvss.feeds import FeedRecord, NvdFeed
from arena.tracks.exposure.scores import BASE, aggregate, expect_base

# What becomes of a CVE; each becomes the first of REJECTED, OUTSIDE, NO_SCORE and NO_CWE that holds.
COUNTED, REJECTED, OUTSIDE, NO_SCORE, NO_CWE = (
    "counted",
    "rejected",
    "outside the dates",
    "no score",
    "no CWE",
)


@dataclass(frozen=True)
class Representative:
    """A CWE's score, and the number of CVEs that it rests on."""

    score: float
    n: int

    def to_json(self) -> dict[str, Any]:
        return {"score": self.score, "n": self.n}


@dataclass(frozen=True)
class Aggregated:
    """Scores by CWE, in the order of their numbers. fates: what became of how many CVEs.

    partial: (read, total) where pages of an API's answer are missing.
    """

    cwes: Mapping[str, Representative]
    fates: Mapping[str, int]
    partial: tuple[tuple[int, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {name: cwe.to_json() for name, cwe in self.cwes.items()}


@dataclass(frozen=True)
class Rules:
    """Which CVEs count: published from `since` to `until`, both days included (UTC).

    v4: see `feeds.score_of`. Raises ValueError where no day is between the two.
    """

    since: date
    until: date
    v4: bool = False

    def __post_init__(self) -> None:
        if self.since > self.until:
            raise ValueError(f"--from, --to: {self.since} is after {self.until}")

    def fate(self, record: FeedRecord) -> str:
        reasons = (
            (record.rejected, REJECTED),
            (not self.since <= record.published <= self.until, OUTSIDE),
            (record.score is None, NO_SCORE),
            (not record.cwes, NO_CWE),
        )
        return next((fate for holds, fate in reasons if holds), COUNTED)


@dataclass
class _NewestRecords:
    """The newest version of each CVE; of equally new ones the first. All else of a record is dropped."""

    rules: Rules
    by_id: dict[str, tuple[float, str, float, tuple[str, ...]]] = field(default_factory=dict)

    def add(self, record: FeedRecord) -> None:
        modified = record.modified.timestamp()
        older = self.by_id.get(record.id)
        # Feeds of years and of recent changes overlap.
        if older is None or modified > older[0]:
            fate = self.rules.fate(record)
            cwes = record.cwes if fate == COUNTED else ()
            # A tuple of what counts, since there are some 300,000 CVEs.
            self.by_id[record.id] = (modified, fate, record.score or 0.0, cwes)


def representatives(paths: Sequence[Path], rules: Rules, base: float = BASE) -> Aggregated:
    """Scores of all CWEs that CVEs of these feeds name, by the rules. A CVE of several feeds counts once.

    Raises FeedError for a file that is no whole feed, ValueError for a base or without files.
    """
    expect_base(base)
    if not paths:
        raise ValueError("FEED: name at least one file")
    newest = _NewestRecords(rules)
    feeds = [NvdFeed(path, rules.v4) for path in paths]
    for feed in feeds:
        for record in feed:
            newest.add(record)
    scores: dict[str, list[float]] = {}
    for _, _, score, cwes in newest.by_id.values():
        for cwe in cwes:
            scores.setdefault(cwe, []).append(score)
    result = {
        cwe: Representative(aggregate(scores[cwe], base), len(scores[cwe]))
        for cwe in sorted(scores, key=natural)
    }
    fates = Counter(fate for _, fate, _, _ in newest.by_id.values())
    return Aggregated(result, dict(sorted(fates.items())), tuple(_partial(feeds)))


def _partial(feeds: Iterable[NvdFeed]) -> Iterable[tuple[int, int]]:
    """(read, total) where the pages of an answer, which all state the same total, do not add up to it."""
    read: Counter[int] = Counter()
    for feed in feeds:
        if feed.total is not None:
            read[feed.total] += feed.read
    return [(result, total) for total, result in sorted(read.items()) if result < total]
