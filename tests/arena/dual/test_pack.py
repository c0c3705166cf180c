"""The dual pack that ships: how much there is of what, and that its tasks hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.tracks.dual.check import PARTS, check
from arena.tracks.dual.languages.plan import RunnerResources
from arena.tracks.dual.runner.pool import ProgramRunner, ProgramRunnerFault
from arena.tracks.dual.score import ProgramScorer
from arena.tracks.dual.tasks.pack import load_dual
from harness.grade.ports import MemoryCache

PACK = load_dual("dual")
LEAST_TASKS, LEAST_IN_ALL_LANGUAGES = 60, 15


def test_there_is_enough_of_everything() -> None:
    assert len(PACK.tasks) >= LEAST_TASKS
    whole = [task for task in PACK.tasks if len(task.references) == 3]
    assert len(whole) >= LEAST_IN_ALL_LANGUAGES
    domains = {"files", "web", "database", "crypto", "system", "data", "input"}
    assert {task.spec.domain for task in PACK.tasks} == domains
    shapes = {"function", "stdin", "cli", "file", "http"}
    assert {task.spec.io.shape for task in PACK.tasks} == shapes
    assert {task.spec.level for task in PACK.tasks} == {"function", "program"}


@pytest.mark.rotating(60)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", [task.id for task in PACK.tasks])
def test_the_task_holds(name: str, part: str, runner: ProgramRunner, tmp_path: Path) -> None:
    """References pass everything, in every language; variants fail what they must, and only that."""
    means = RunnerResources(runner, tmp_path, coverage=False)
    scorer = ProgramScorer(means, MemoryCache(), (ProgramRunnerFault,), remember=False)
    found = check(PACK.task(name), scorer, repeats=1, parts=[part])
    assert found.problems == [] and found.ok
