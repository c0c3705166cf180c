"""Real agents that speak the Agent Client Protocol, sealed in, against scripts: to a graded patch, and again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.cli.agents import find_program
from arena.models.attempt_models import ModelOptions, Models
from arena.protocols import Matrix
from arena.store.store import AttemptKey, Store
from arena.tracks.repo.track import RepoTrack
from harness.grade.grader import Grader
from harness.protocols import Budget, Ended
from harness.sandbox.base import Backend
from harness.toolbox import Toolboxes, default_folder
from tasks.loader import Pack, load_pack
from tests.harness.agents.solving import solving
from tests.tiers import lacking

TASK = "lexis-long-strings"
DECLARED = Path(__file__).with_name("codex-acp.toml")
# What a user writes -> the end of the command that is driven.
AGENTS = {"acp:opencode acp": "opencode acp", f"declared:{DECLARED}": "codex-acp"}

pytestmark = [
    pytest.mark.docker,
    pytest.mark.nightly("installs toolboxes"),
    pytest.mark.parametrize("agent", AGENTS, ids=["opencode", "codex-acp"]),
]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("starter")


@pytest.fixture(autouse=True)
def _installed(agent: str) -> None:
    boxes, program = Toolboxes(default_folder()), find_program(agent)
    if boxes.find(program) is None:
        if shutil.which("npm") is None:
            lacking("npm", "apt-get install nodejs npm")
        boxes.install(program, None, print)


def test_to_a_graded_patch_and_once_more_from_its_record(
    agent: str, pack: Pack, docker: Backend, tmp_path: Path
) -> None:
    store = Store(tmp_path / "store")
    models = Models(store, ModelOptions(pinned={"temperature": 0}))
    track = RepoTrack(pack, lambda: Grader(docker, store), Budget(1200), models=models)
    (tmp_path / "s.toml").write_text(solving(pack.task(TASK).solution("fixed")))
    try:
        (key,) = track.attempts(Matrix([agent], [f"script:{tmp_path / 's.toml'}"], tasks=[TASK]))
        made = track.solve(key)
        assert made.ended is Ended.FINISHED, (made.note, made.artefacts["output"][-2000:])
        assert track.grade(key, made, lambda _: None).label == "C&S"
        record = tmp_path / "record"
        record.write_bytes(made.artefacts["record"])
        again = track.solve(AttemptKey(key.task, agent, f"replay:{record}"))
    finally:
        models.close()
    assert made.usage["calls"] == len(json.loads(made.artefacts["ledger"])["calls"]) > 1
    facts = made.note["program"]
    assert facts["protocol"] == "acp" and facts["command"].endswith(AGENTS[agent])
    updates = [json.loads(line)["update"] for line in made.trajectory.splitlines()]
    kinds = {update["sessionUpdate"] for update in updates}
    assert kinds >= {"agent_message_chunk", "tool_call", "tool_call_update"}, kinds
    assert made.note["told"] == "end_turn"
    assert (again.ended, again.patch) == (Ended.FINISHED, made.patch), again.note


def test_one_that_never_stops_is_stopped_at_its_cap(
    agent: str, pack: Pack, docker: Backend, tmp_path: Path
) -> None:
    text = solving(pack.task(TASK).solution("fixed"))
    rules, first, *_ = text.split("[[turns]]")
    (tmp_path / "s.toml").write_text(f"then = 'repeat'\n{rules}[[turns]]{first}")
    store = Store(tmp_path / "store")
    models = Models(store, ModelOptions())
    track = RepoTrack(pack, lambda: Grader(docker, store), Budget(1200, calls=3), models=models)
    try:
        made = track.solve(AttemptKey(TASK, agent, f"script:{tmp_path / 's.toml'}"))
    finally:
        models.close()
    assert made.usage["calls"] <= 3 and made.ended is Ended.CAPPED_CALLS, made.note
