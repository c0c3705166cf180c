"""What a user names as an agent is one, or is told not to be."""

from __future__ import annotations

import pytest

from harness.agents._make import make_agent
from harness.protocols import Agent, Job, Solution
from parsers.registry import UnknownName
from tasks.loader import Task, load_pack


class Own(Agent):
    runs_model_output = False

    def solve(self, job: Job) -> Solution:
        return Solution(b"")


class Asking(Own):
    def __init__(self, what: str) -> None:
        self.what = what


class Idle(Agent):
    runs_model_output = False


@pytest.fixture
def task() -> Task:
    return load_pack("starter").tasks_of_kinds()[0]


@pytest.mark.slow
def test_a_class_of_ones_own(task: Task) -> None:
    assert isinstance(make_agent(f"{__name__}:Own", task), Own)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "told"), [
    ("os:getcwd", "agent 'os:getcwd': is no class below harness.protocols.Agent"),
    ("os:sep", "agent 'os:sep': is no class"),
    ("json:JSONDecoder", "is no class below"),
    (f"{__name__}:Idle", "lacks `solve`"),
    (f"{__name__}:Asking", "cannot be made without arguments: .*'what'"),
])  # fmt: skip
def test_what_is_no_agent_is_told_in_one_line(name: str, told: str, task: Task) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        make_agent(name, task)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_what_is_not_there_is_told(task: Task) -> None:
    with pytest.raises(UnknownName, match="cannot import 'os:none'"):
        make_agent("os:none", task)
