"""Agents of a user's own: found in the current folder, made as their class wants, and held to their answer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.store.model import AttemptKey
from arena.tracks.repo.track import RepoTrack
from harness.agents import NoSolution, _make
from harness.agents._make import make_agent
from harness.grade.grader import Grader
from harness.protocols import Agent, Job
from tasks.loader import load_pack
from tests.arena.conftest import Arena

PACK = load_pack("starter")
TASK = PACK.task("brook-include")


class Plain(Agent):
    runs_model_output = False

    def solve(self, job: Job) -> Any:
        return b"a patch"


class Told(Plain):
    def __init__(self, argument: str) -> None:
        self.argument = argument


def test_a_plug_in_of_ours_is_made_as_its_class_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_make, "load_program", lambda kind: Plain)
    assert isinstance(make_agent("command", TASK), Plain)
    with pytest.raises(ValueError, match="agent 'command' takes no argument"):
        make_agent("command:x", TASK)
    monkeypatch.setattr(_make, "load_program", lambda kind: Told)
    assert cast(Told, make_agent("command:x:y", TASK)).argument == "x:y"


def test_a_class_is_found_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "from harness.protocols import Agent\nclass Mine(Agent):\n    runs_model_output = False\n    def solve(self, job): ...\n"
    Path("agent_of_this_folder.py").write_text(code, "utf-8")
    assert type(make_agent("agent_of_this_folder:Mine", TASK)).__name__ == "Mine"


@pytest.mark.slow
def test_a_class_that_is_nowhere_says_where_it_was_looked_for(arena: Arena) -> None:
    done = arena("run", "--pack", "starter", "--agent", "nowhere_at_all:Toy")
    looked = "(looked in the current folder and on PYTHONPATH)"
    why = f"cannot import 'nowhere_at_all:Toy': No module named 'nowhere_at_all' {looked}"
    assert (done.status, done.err) == (2, f"arena: {why}\n")


def test_something_else_than_a_solution_is_named() -> None:
    grader = cast(Grader, SimpleNamespace(backend=None))
    key = AttemptKey(TASK.id, f"{__name__}:Plain")
    with pytest.raises(NoSolution, match=r"Plain': solve\(\) must return Solution, not bytes"):
        RepoTrack(PACK, lambda: grader).solve(key)


@pytest.mark.slow
def test_a_file_in_no_known_format_is_a_mistake(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "p2.jsonl").write_text("hello\n")
    done = arena("parse", "tests", "p2.jsonl")
    assert done.status == 2
    assert done.err.startswith(
        "arena: p2.jsonl: in no format that is known by its look; --format: "
    )
