"""Each agent's newest release beside the pinned one: it starts in an empty image, and does a scripted attempt.

The newest is resolved by `scripts/agent_locks.py --newest`, as a change of the pin would be. SWE-agent is in no
index, so that its newest release cannot be asked for.
"""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.cli.agents import _surroundings
from harness.agents._at_pvic import workspace_of
from harness.agents._make import load_program
from harness.agents._program import AgentProgram
from harness.agents._sealed import Sealed
from harness.gateway.access import ModelAccess
from harness.gateway.gateway import Gateway
from harness.gateway.models._make import make_model
from harness.gateway.price import FREE
from harness.gateway.record import read_record
from harness.protocols import Budget, Job, Solution
from harness.sandbox.base import Backend
from harness.toolbox import Toolboxes, default_folder
from harness.toolbox.check import problems
from harness.toolbox.recipe import NodeRecipe
from parsers.patch import parse_patch
from tasks.loader import load_pack
from tests.harness.agents.test_real_agents import ONE, OTHERS
from tests.mini import Mini
from tests.real.releases import ROW

pytestmark = [pytest.mark.real, pytest.mark.docker, pytest.mark.needs("npm")]
LOCKS = Path("scripts/agent_locks.py").resolve()
RESOLVE_TIMEOUT_S = 600
# Agents that report no tokens of their own.
NO_CLAIM = frozenset({"openhands-cli"})
TRUTH = {
    "problems": [],
    "ended": "finished",
    "files": ["hello.txt"],
    "text": "+hello\n",
    "played again": ("finished", True),
}
Solve = Callable[[AgentProgram, Toolboxes, str], Solution]


@pytest.fixture(scope="module")
def solve(docker: Backend, mini: Mini) -> Iterator[Solve]:
    """Let a program do one attempt with a model that a user would write as the text says."""
    task = load_pack(mini.folder).tasks[0]
    with Gateway() as gateway:

        def run(program: AgentProgram, boxes: Toolboxes, model: str) -> Solution:
            access = ModelAccess(gateway, make_model(model), FREE, {"temperature": 0})
            workspace = workspace_of(docker, task)
            try:
                job = Job(workspace, "Write hello into hello.txt.", Budget(300), access)
                return Sealed(program, boxes).solve(job)
            finally:
                workspace.close()

        yield run


@pytest.fixture
def trial() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's is not."""
    folder = Path(tempfile.mkdtemp(prefix="arena-newest-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def newest_of(program: AgentProgram, folder: Path) -> AgentProgram:
    """The program with the recipe of its newest release, locked in a folder."""
    command = [sys.executable, LOCKS, program.name, "--keep", "--newest", folder]
    subprocess.run(command, check=True, timeout=RESOLVE_TIMEOUT_S, stdout=subprocess.DEVNULL)
    recipe = program.recipe
    lock = folder / Path(recipe.lock).name
    if isinstance(recipe, NodeRecipe):
        named = json.loads(lock.read_text())["packages"][""]["dependencies"]
        packages = [f"{name}@{version}" for name, version in named.items()]
    else:
        versions = dict(re.findall(r"(?m)^([\w.-]+)==([\w.!+-]+)", lock.read_text()))
        names = [one.partition("==")[0] for one in recipe.packages]
        packages = [f"{name}=={versions[name]}" for name in names]
    found = copy.copy(program)
    found.version = re.split("==|@", packages[0])[-1]
    found.recipe = replace(recipe, packages=tuple(packages), lock=str(lock))
    return found


def facts_of(program: AgentProgram, boxes: Toolboxes, solve: Solve, folder: Path) -> dict[str, Any]:
    """What comes of an agent's check and of an attempt, and what it sends to its model (`sends`)."""
    boxes.install(program)
    found = problems(boxes, program, _surroundings(program))
    made = solve(program, boxes, "script:hello")
    record = folder / f"record-{program.version}"
    record.write_bytes(made.artefacts["record"])
    again = solve(program, boxes, f"replay:{record}")
    text = made.patch.decode().rpartition("@@\n")[2]
    calls = read_record(record).calls
    tools = {_tool_name(tool) for call in calls for tool in call.request.get("tools", ())}
    assert len(calls) == made.usage["calls"] >= 1
    assert json.loads(made.artefacts["atif"])["steps"], made.artefacts["output"][-2000:]
    claimed = made.usage["claimed"].get("output_tokens", 0)
    assert (claimed > 0) == (program.name not in NO_CLAIM), made.usage
    return {
        "problems": found,
        "ended": str(made.ended),
        "files": [change.new for change in parse_patch(made.patch).files],
        "text": text,
        "played again": (str(again.ended), again.patch == made.patch),
        "sends": tools | {key for call in calls for key in call.request},
    }


def _tool_name(tool: dict[str, Any]) -> str:
    inner = tool.get("function", tool)
    return f"tool {inner.get('name') or inner.get('type')}"


@pytest.mark.parametrize("name", [ONE, *OTHERS])
def test_the_newest_release_does_a_scripted_attempt(
    name: str, solve: Solve, trial: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    pinned = load_program(name)
    newest = newest_of(pinned, trial)
    facts = {pinned.version: facts_of(pinned, Toolboxes(default_folder()), solve, tmp_path)}
    if newest.version != pinned.version:
        facts[newest.version] = facts_of(newest, Toolboxes(trial / "boxes"), solve, tmp_path)
    sends = [found.pop("sends") for found in facts.values()]
    held = "held" if facts[newest.version] == TRUTH else "moved"
    differs = ", ".join(sorted(sends[0] ^ sends[-1]))
    told = f"{held}; only one of them sends {differs}" if differs else held
    row = f"| {name} | {pinned.version} | {newest.version} | {told} |"
    request.node.user_properties.append((ROW, row))
    assert facts == dict.fromkeys(facts, TRUTH)
