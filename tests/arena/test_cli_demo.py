"""`arena demo` shows one task's six labels first, says how long the rest takes, and what is not as due."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.cli import demo
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.tracks.repo.track import RepoTrack
from harness.agents._make import make_agent
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Solution
from tasks.loader import load_pack
from tests.arena.conftest import Arena

pytestmark = pytest.mark.rotating(2)

TASKS = [task.id for task in load_pack("starter").tasks_of_kinds()]


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Label | None]:
    """No sandbox: every agent gets its due label, or what is put into this table."""
    special: dict[tuple[str, str], Label | None] = {}
    backend = SimpleNamespace(name="fake", isolates_model_output=True, resolve=lambda image: image)

    def grade(self: Any, key: AttemptKey, solution: Solution, say: Any) -> Verdict:
        due = make_agent(key.agent, self.pack.tasks[0]).due  # type: ignore[attr-defined]
        label = special.get((key.task, key.agent), due)
        return Verdict(label, Health.OK if label else Health.INFRA, "said so", {})

    monkeypatch.setattr("arena.tracks.backend.choose_backend", lambda name, say: backend)
    monkeypatch.setattr(RepoTrack, "solve", lambda *_: Solution(patch=b""))
    monkeypatch.setattr(RepoTrack, "grade", grade)
    return special


@pytest.mark.usefixtures("graded")
def test_one_task_comes_first_and_the_rest_is_told(arena: Arena) -> None:
    done = arena("demo")
    assert done.status == 0
    assert TASKS[0] in done.out and TASKS[1] not in done.out
    assert f"1 of {len(TASKS)} tasks; the other {len(TASKS) - 1} take " in done.err
    assert "./scripts/demo --all" in done.err.splitlines()[-1]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
@pytest.mark.usefixtures("graded")
def test_with_all_the_first_task_is_still_shown_first(arena: Arena) -> None:
    done = arena("demo", "--all")
    assert done.status == 0
    first, whole = done.out.split("labels: task x agent")[1:]
    assert TASKS[0] in first and TASKS[1] not in first
    assert all(task in whole for task in TASKS)
    assert f"{len(TASKS) - 1} more tasks take " in done.err and "scripts/demo" not in done.err


@pytest.mark.slow
@pytest.mark.usefixtures("graded")
def test_json_is_one_value_of_one_run(arena: Arena) -> None:
    one, all_ = arena("demo", "--json").json, arena("demo", "--all", "--json").json
    assert [row["task"] for row in one["attempts"]] == [TASKS[0]] * 6
    assert len(all_["attempts"]) == 6 * len(TASKS) and all_["seconds_left"] == 0
    assert {row["label"] for row in all_["attempts"]} == {"NO", "CE", "IC", "CV", "CS", "C&S"}
    assert len(Store(None).runs()) == 2


@pytest.mark.usefixtures("graded")
def test_named_tasks_are_all_that_is_run(arena: Arena) -> None:
    rows = arena("demo", "--json", "--task", TASKS[2], "--task", TASKS[2]).json["attempts"]
    assert [row["task"] for row in rows] == [TASKS[2]] * 6


@pytest.mark.slow
@pytest.mark.usefixtures("graded")
def test_what_is_at_hand_makes_no_guess_shorter(arena: Arena) -> None:
    """A second demo takes its verdicts from the store; the other tasks are not there yet."""
    arena("demo")
    Store(None).put_fact(demo.LONGEST, {"seconds": 60.0})
    assert f"take {len(TASKS) - 1} to {2 * len(TASKS) - 2} min" in arena("demo").err


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_a_label_that_is_not_due_and_none_at_all_end_the_command_otherwise(
    arena: Arena, graded: dict[tuple[str, str], Label | None]
) -> None:
    graded[TASKS[0], "gold"] = None
    done = arena("demo")
    assert (done.status, f"no label: {TASKS[0]} x gold: infra" in done.err) == (3, True)
    graded[TASKS[0], "fixed"] = Label.CV
    done = arena("demo")
    assert (done.status, f"not as due: {TASKS[0]} x fixed: CV" in done.err) == (1, True)
    graded.clear()
    graded[TASKS[1], "stub"] = Label.CV
    assert (arena("demo").status, arena("demo", "--all").status) == (0, 1)
