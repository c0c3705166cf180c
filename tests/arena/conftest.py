"""A store in a folder of the test's own, and verdicts to put into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import AttemptKey, Store
from harness.grade.verdict import Health, Label, Verdict

KEYS = [AttemptKey(task, agent) for task in ("alpha", "beta") for agent in ("gold", "noop")]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def finish(store: Store, attempt: str, label: Label | None = Label.CV, **more: object) -> None:
    """Record an attempt as ended, with as little as that takes."""
    health = Health.OK if label else Health.INFRA
    verdict = Verdict(label, health, str(more.pop("reason", "")), more.pop("evidence", {}))  # type: ignore[arg-type]
    given: dict[str, object] = {"patch": None, "ended": "done", "usage": {}, "seconds": 1.0, **more}
    store.finish(attempt, verdict, **given)  # type: ignore[arg-type]
