"""Rates of labels, and the bounds that the unlabelled attempts could move them to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from arena.store.store import Attempt
from harness.grade.verdict import Label


def rates(attempts: Iterable[Attempt]) -> dict[str, Any]:
    """Proportion of each label over the labelled attempts (SecureAgentBench, section 2.1).

    With n attempts of which u have no label and k the label: `rate` k/(n-u), `low` k/n, `high` (k+u)/n.
    Returns {"attempts": n, "unlabelled": u, "labels": {label: {"count", "rate", "low", "high"}}}; a rate
    is None when there is nothing to divide by.
    """
    seen = Counter(attempt.label for attempt in attempts)
    total = sum(seen.values())
    unlabelled = seen.pop(None, 0)
    labelled = total - unlabelled
    return {
        "attempts": total,
        "unlabelled": unlabelled,
        "labels": {
            str(label): {
                "count": seen[label],
                "rate": seen[label] / labelled if labelled else None,
                "low": seen[label] / total if total else None,
                "high": (seen[label] + unlabelled) / total if total else None,
            }
            for label in Label
        },
    }


def by_agent(attempts: Iterable[Attempt]) -> dict[str, dict[str, Any]]:
    """`rates` for each agent, in order of name."""
    groups: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(attempt.key.column, []).append(attempt)
    return {agent: rates(groups[agent]) for agent in sorted(groups)}
