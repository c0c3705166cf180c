"""`arena tasks build` where the pack has the task already: it is named, and built anew only on demand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.building.cases.loader import LoadedCase
from arena.building.funnel import CaseProgress
from arena.building.merging import CaseInWork
from arena.building.pipeline import Pipeline
from tests.arena.building.test_pipeline import case  # noqa: F401 - a fixture


@pytest.mark.parametrize("again", [False, True])
def test_a_task_that_the_pack_has_is_reported_and_set_aside_only_where_that_is_wanted(
    case: LoadedCase,  # noqa: F811 - the fixture
    tmp_path: Path,
    again: bool,
) -> None:
    heard: list[str] = []
    means: Any = SimpleNamespace(grader=None, cache=None)
    pipeline = Pipeline(tmp_path, means, on_step=lambda _, step: heard.append(step), again=again)
    one, folder = CaseInWork(case, CaseProgress(case.id)), tmp_path / "task-1"
    pipeline._take_stored(one, folder)
    assert heard == []
    folder.mkdir()
    (folder / "task.toml").write_text("schema = 1\n")
    pipeline._take_stored(one, folder)
    assert folder.exists() != again
    assert (tmp_path / ".lost/task-1/task.toml").exists() == again
    words = ["is set aside in .lost and built anew" if again else "taken as the pack has it"]
    assert [word for word in words if word in heard[0]] == words
