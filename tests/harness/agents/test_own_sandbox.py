"""An agent that breaks its sandbox or its repository has a result, in each kind of sandbox."""

from __future__ import annotations

import pytest

from harness.agents._at_pvic import workspace_of
from harness.agents.command import ShellCommand
from harness.grade.grader import Grader
from harness.grade.verdict import Label
from harness.protocols import Budget, Ended, Job
from harness.sandbox.base import Backend
from harness.sandbox.engine import EngineFeatures
from tasks.loader import load_pack
from tests.mini import Mini

pytestmark = pytest.mark.slow
KILLINIT = "prlimit --pid 1 --nproc=0:0; kill -9 $(pgrep -x sleep); kill -9 -1; sleep 3"
# What is run, and whether work is left to be graded: None where that hangs on the sandbox.
LINES = {
    "killinit": (KILLINIT, True),
    "kill loop": ("(while :; do kill -9 -1; done) & sleep 1", True),
    "links round and round": ("ln -s b a; ln -s a b; ln -P a h", True),
    "hard link to nowhere": ("ln -s /nowhere a; ln -P a h", True),
    "unreadable": ("chmod 0 .", None),
    "gone": ("cd /; rm -rf /src/mini", False),
    "a file instead": ("cd /; rm -rf /src/mini; echo > /src/mini", False),
    "a link instead": ("cd /; rm -rf /src/mini; ln -s / /src/mini", False),
    "big": ("head -c 1G /dev/zero > big", None),
}


@pytest.mark.by_day("gone")
@pytest.mark.parametrize("name", LINES)
def test_what_an_agent_does_to_its_sandbox_leaves_a_result(
    name: str, grader: Grader, mini: Mini
) -> None:
    line, has_work = LINES[name]
    task = load_pack(mini.folder).tasks[0]
    space = workspace_of(grader.backend, task)
    try:
        solution = ShellCommand(f"echo 1 > new.c; {line}").solve(Job(space, "", Budget(20)))
    finally:
        space.close()
    work = b"new.c" in solution.patch
    assert work == has_work or (has_work is None and work != ("problem" in solution.note))
    if not work:
        verdict = grader.grade(task, solution.patch)
        assert verdict.label in (Label.NO, Label.CE, Label.IC), verdict.reason


@pytest.mark.docker
def test_where_an_engine_cannot_switch_users_an_ended_sandbox_is_the_agents_doing(
    docker: Backend, mini: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "_means", EngineFeatures(filters=False, switches=False))
    space = workspace_of(docker, load_pack(mini.folder).tasks[0])
    try:
        solution = ShellCommand(f"echo 1 > new.c; {KILLINIT}").solve(Job(space, "", Budget(20)))
    finally:
        space.close()
    assert (solution.ended, solution.note["stopped"]) == (Ended.KILLED, "sandbox")
    assert b"new.c" in solution.patch
