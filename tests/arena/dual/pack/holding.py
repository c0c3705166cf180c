"""What it means that a task of the pack holds, and the tasks of a domain."""

from __future__ import annotations

from pathlib import Path

from arena.tracks.dual.check import check
from arena.tracks.dual.score import Scorer
from harness.executor.plan import Means
from harness.grade.ports import MemoryKeeper
from harness.stand.stand import Stand, StandFault
from tasks.dual.pack import load_dual

PACK = load_dual("dual")


def tasks_of(domain: str) -> list[str]:
    return [task.id for task in PACK.tasks if task.spec.domain == domain]


def expect_to_hold(name: str, stand: Stand, folder: Path) -> None:
    """References pass everything, in every language; variants fail what they must, and only that."""
    means = Means(stand, folder, coverage=False)
    scorer = Scorer(means, MemoryKeeper(), (StandFault,), remember=False)
    found = check(PACK.task(name), scorer, repeats=1)
    assert found.infra == ""
    assert found.problems == ()
