"""Rates of labels, and the bounds that the unlabelled attempts could move them to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.report.tally import LabelTally
from arena.store.model import Attempt
from arena.vocabulary import vocabulary_or_bare

NO_RATE = {"count": 0, "n": 0, "rate": None, "interval": None, "low": None, "high": None}


def rates(attempts: Iterable[Attempt], track: str) -> dict[str, Any]:
    """Proportion of each label over the labelled attempts (SecureAgentBench, section 2.1).

    With a attempts of which u have no label and k the label: `n` a-u, `rate` k/(a-u), `interval` its 95 %
    interval (tasks as clusters), `low` k/a, `high` (k+u)/a. Returns {"attempts": a, "unlabelled": u,
    "labels": {label: {"count": k, "n", "rate", "interval", "low", "high"}}}; None where there is nothing to
    divide by.
    """
    tally = LabelTally()
    for attempt in attempts:
        tally.count(("", attempt.key.task), attempt.label)
    total = tally.labelled_count + tally.unlabelled
    return {
        "attempts": total,
        "unlabelled": tally.unlabelled,
        "labels": {
            meaning.label: _share_json(tally, meaning.label) if total else dict(NO_RATE)
            for meaning in vocabulary_or_bare(track).shown(tally.counts)
        },
    }


def _share_json(tally: LabelTally, label: str) -> dict[str, Any]:
    share_json = tally.part((label,)).to_json()
    low, high = share_json.pop("bounds")
    return {**share_json, "low": low, "high": high}


def rates_by_column(attempts: Iterable[Attempt], track: str) -> dict[str, dict[str, Any]]:
    """`rates` for each column (agent, model, prompt), in order of name."""
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(attempt.column, []).append(attempt)
    return {column: rates(groups[column], track) for column in sorted(groups)}
