"""Rows for the tests of statistics."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from arena.store.model import Row

NUMBERS = count()
PLAIN = {
    "run": "r",
    "track": "repo",
    "pack": "p",
    "task": "t",
    "agent": "a",
    "model": "m",
    "prompt": "neutral",
    "replicate": 0,
    "health": "ok",
    "label": None,
    "score": None,
    "usd": 0.0,
    "tokens": 0,
    "seconds": 0.0,
}


def row(label: str | None = "C&S", **more: object) -> Row:
    """A row with what the test tells, and plain values elsewhere."""
    health = "ok" if label else "infra"
    made = {**PLAIN, "id": f"{next(NUMBERS):016x}", "health": health, "label": label, **more}
    return Row(**made)  # type: ignore[arg-type]


def rows(agent: str, labels: Iterable[Iterable[str | None]], **more: object) -> list[Row]:
    """Of one agent: a list of labels for each task, one for each replicate."""
    return [
        row(label, agent=agent, task=f"t{number}", replicate=replicate, **more)
        for number, found in enumerate(labels)
        for replicate, label in enumerate(found)
    ]
