"""`arena tasks check` never believes the outcomes that ship, and writes them for tasks that hold when asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from arena.protocols import Checked
from arena.tracks.repo import track as repo
from harness.grade import grader as grading
from harness.grade import outcomes
from harness.grade.grader import Grader
from images.content import ImageContent
from tasks.loader import Task
from tests.arena.conftest import Arena

HOLDS, BROKEN = "brook-include", "brook-references"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Tasks whose outcomes were written; of two tasks one holds, and what ships is never looked at."""
    written: list[str] = []

    def checked(grader: Grader, tasks: Sequence[Task], workers: int) -> Iterator[Checked]:
        for task in tasks:
            grader.ready(task)
            wrong = (("tests", "unstable"),) if task.id == BROKEN else ()
            yield Checked(task.id, wrong)

    def refer(*args: Any) -> None:
        assert args[-1] is False, "what ships was asked for"

    backend = SimpleNamespace(
        name="fake", find=lambda name: name, resolve=lambda image: image, content_of=ImageContent
    )
    monkeypatch.setattr(repo, "choose_backend", lambda name, say: backend)
    monkeypatch.setattr(repo, "check_tasks", checked)
    monkeypatch.setattr(grading, "reference", refer)
    monkeypatch.setattr(grading, "ship", lambda backend, task, *_: written.append(task.id))
    monkeypatch.setattr(outcomes, "load_shipped", None)
    return written


@pytest.mark.slow
@pytest.mark.parametrize(("option", "wrote"), [((), []), (("--set", "outcomes=write"), [HOLDS])])
def test_outcomes_are_written_of_tasks_that_hold(
    option: tuple[str, ...], wrote: list[str], arena: Arena, written: list[str]
) -> None:
    done = arena("tasks", "check", "starter", "--task", HOLDS, "--task", BROKEN, *option)
    assert (done.status, written) == (1, wrote)
    assert done.out.startswith(f"ok  {HOLDS}\nBAD {BROKEN}\n")
