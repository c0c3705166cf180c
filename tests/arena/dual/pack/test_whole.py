"""The pack as a whole: how much there is of what."""

from __future__ import annotations

from tests.arena.dual.pack.holding import PACK

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
