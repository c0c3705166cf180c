"""Real agents from their packages, sealed in, against scripts: to a C&S patch and to a CV patch, graded.

Their toolboxes (400 to 700 MB each) are installed once on the machine: one agent's in the default tier,
every agent's nightly, and those that ARENA_TEST_AGENTS names (with commas) in either.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.audit import audit, flag_names
from arena.cli.main import app
from arena.models.attempt_models import ModelOptions, Models
from arena.protocols import Matrix
from arena.store.store import AttemptKey, Store
from arena.tracks.repo.track import RepoTrack
from harness.agents._sealed import Sealed
from harness.grade.grader import Grader
from harness.protocols import Budget, Ended
from harness.sandbox.base import Backend
from harness.toolbox import Toolboxes, default_folder
from harness.toolbox.recipe import NodeRecipe
from parsers import registry
from parsers.patch import parse_patch
from tasks.loader import Pack, load_pack
from tests.harness.agents.solving import solving
from tests.tiers import lacking

ONE = "codex"
OTHERS = ("mini-swe-agent", "aider", "openhands", "openhands-cli", "claude-code", "opencode")
# Where SWE-agent's source is: a folder, an archive or a clone with its tag. It is in no package index.
SWE_AGENT = os.environ.get("ARENA_TEST_SWE_AGENT", "")
ASKED = os.environ.get("ARENA_TEST_AGENTS", "")
NAMES = (
    ASKED.split(",")
    if ASKED
    else [ONE, *(pytest.param(o, marks=pytest.mark.nightly) for o in (*OTHERS, "swe-agent"))]
)
TASK = "lexis-long-strings"

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("starter")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("agents"))


@pytest.fixture(scope="module")
def track(docker: Backend, pack: Pack, store: Store) -> Iterator[RepoTrack]:
    models = Models(store, ModelOptions(pinned={"temperature": 0}))
    grader = Grader(docker, store)
    grader.ready(pack.task(TASK))
    yield RepoTrack(pack, lambda: grader, Budget(1200), models=models)
    models.close()


@pytest.fixture(params=NAMES)
def agent(request: pytest.FixtureRequest) -> str:
    """An agent's name, with its toolbox installed."""
    name: str = request.param
    program = registry.module("harness.agents", name).PROGRAM
    boxes = Toolboxes(default_folder())
    if boxes.find(program) is None:
        source = Path(SWE_AGENT) if getattr(program.recipe, "source", None) else None
        if source is not None and not SWE_AGENT:
            lacking("source of SWE-agent", "ARENA_TEST_SWE_AGENT=PATH: a clone with the tag v1.1.0")
        if isinstance(program.recipe, NodeRecipe) and shutil.which("npm") is None:
            lacking("npm", "apt-get install nodejs npm")
        boxes.install(program, source, print)
    return name


@pytest.mark.nightly("installs packages or toolboxes")
def test_a_fresh_toolbox_has_what_its_lock_names_and_nothing_else(agent: str) -> None:
    program = registry.module("harness.agents", agent).PROGRAM
    found = Toolboxes(default_folder()).find(program)
    assert found is not None
    lock = Path(program.recipe.lock).read_text()
    if isinstance(program.recipe, NodeRecipe):
        entries = json.loads(lock)["packages"]
        locked = {n.rpartition("node_modules/")[2]: e["version"] for n, e in entries.items() if n}
        assert dict(found.facts["packages"]).items() <= locked.items()
        assert set(locked) - set(found.facts["packages"]) <= {
            name.rpartition("node_modules/")[2] for name, e in entries.items() if e.get("optional")
        }
        return
    locked = dict(re.findall(r"(?m)^([\w.-]+)==([\w.!+-]+)", lock))
    own = {program.recipe.source.package: program.version} if program.recipe.source else {}
    plain = {re.sub(r"[-_.]+", "-", n).lower(): v for n, v in found.facts["packages"].items()}
    assert plain == {**locked, **own}


def script(agent: str, solution: str, pack: Pack, folder: Path) -> Path:
    """The script that any agent plays, with a solution of the task in place of its greeting."""
    path = folder / f"{agent}-{solution}.toml"
    path.write_text(solving(pack.task(TASK).solution(solution)))
    return path


def changed(patch: bytes) -> set[str | None]:
    return {change.new for change in parse_patch(patch).files}


@pytest.mark.nightly("installs packages or toolboxes")
@pytest.mark.parametrize(("solution", "label"), [("fixed", "C&S"), ("gold", "CV")])
def test_a_real_agent_to_a_graded_patch_and_once_more_from_its_record(
    agent: str,
    solution: str,
    label: str,
    track: RepoTrack,
    pack: Pack,
    store: Store,
    tmp_path: Path,
) -> None:
    model = f"script:{script(agent, solution, pack, tmp_path)}"
    (key,) = track.attempts(Matrix([agent], [model], tasks=[TASK]))
    made = track.solve(key)
    told = (made.ended, dict(made.note), made.artefacts["output"][-2000:])
    assert made.ended is Ended.FINISHED, told
    assert changed(made.patch) == changed(pack.task(TASK).solution(solution)), told
    verdict = track.grade(key, made, lambda _: None)
    assert verdict.label == label, (verdict.reason, told)
    atif = json.loads(made.artefacts["atif"])
    assert not flag_names(audit(atif, made.patch, {**verdict.evidence, "agent": made.note}))
    assert made.usage["calls"] == len(json.loads(made.artefacts["ledger"])["calls"]) >= 1
    assert made.trajectory and atif["steps"]
    assert made.usage["claimed"].get("output_tokens", 1) > 0
    record = tmp_path / "record"
    record.write_bytes(made.artefacts["record"])
    again = track.solve(AttemptKey(key.task, agent, f"replay:{record}"))
    assert (again.ended, again.patch) == (Ended.FINISHED, made.patch), (
        again.note.get("diverged"),
        again.note.get("difference"),
    )


@pytest.mark.nightly("installs packages or toolboxes")
def test_a_real_agent_that_never_stops_is_stopped_at_its_cap(
    agent: str, track: RepoTrack, pack: Pack, docker: Backend, store: Store, tmp_path: Path
) -> None:
    text = script(agent, "fixed", pack, tmp_path).read_text()
    rules, first, *_ = text.split("[[turns]]")
    endless = tmp_path / "endless.toml"
    endless.write_text(f"then = 'repeat'\n{rules}[[turns]]{first}")
    models = Models(store, ModelOptions())
    few = RepoTrack(pack, lambda: Grader(docker, store), Budget(1200, calls=3), models=models)
    try:
        made = few.solve(AttemptKey(TASK, agent, f"script:{endless}"))
    finally:
        models.close()
    assert made.usage["calls"] <= 3
    assert made.ended is (Ended.FINISHED if agent == "aider" else Ended.CAPPED_CALLS), made.note


@pytest.mark.nightly("installs packages or toolboxes")
def test_an_agent_is_seen_to_work_by_one_command(agent: str) -> None:
    done = CliRunner().invoke(app, ["agents", "try", agent, "--task", TASK, "--sandbox", "docker"])
    assert done.exit_code == 0, done.output
    assert "+hello" in done.stdout and "finished after" in done.stdout
    assert re.search(r"\d+\.\d s  I say hello\.", done.stdout)


def test_every_real_agent_is_one() -> None:
    for name in (ONE, *OTHERS):
        assert isinstance(Sealed(registry.module("harness.agents", name).PROGRAM), Sealed)
