"""The pack that ships: every task holds. References pass everything, variants fail what they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.tracks.dual.check import check
from arena.tracks.dual.score import Scorer
from harness.executor.plan import Means
from harness.grade.ports import MemoryKeeper
from harness.stand.stand import Stand, StandFault
from tasks.dual.pack import load_dual

PACK = load_dual("dual")
TASKS = {task.id: task for task in PACK.tasks}
LEAST_TASKS, LEAST_IN_ALL_LANGUAGES = 60, 15
DOMAINS = {"files", "web", "database", "crypto", "system", "data", "input"}


@pytest.mark.parametrize("name", TASKS)
def test_the_task_holds(name: str, stand: Stand, tmp_path: Path) -> None:
    means = Means(stand, tmp_path, coverage=False)
    scorer = Scorer(means, MemoryKeeper(), (StandFault,), remember=False)
    found = check(TASKS[name], scorer, repeats=1)
    assert found.infra == ""
    assert found.problems == ()


def test_there_is_enough_of_everything() -> None:
    assert len(TASKS) >= LEAST_TASKS
    whole = [task for task in PACK.tasks if len(task.references) == 3]
    assert len(whole) >= LEAST_IN_ALL_LANGUAGES
    assert {task.spec.domain for task in PACK.tasks} == DOMAINS
    assert {task.spec.io.shape for task in PACK.tasks} == {
        "function",
        "stdin",
        "cli",
        "file",
        "http",
    }
