"""The track `repo` behind the Protocol: what opens it, its attempts, and what an attempt needs of a node."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.jobs import Needs, Stage
from arena.models.attempt_models import ModelOptions, Models
from arena.protocols import Matrix, Setup
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.tracks.opening import open_track
from arena.vocabulary import Kind, tracks, vocabulary
from harness.agents import CALIBRATION
from harness.agents._at_pvic import workspace_of
from harness.agents._sealed import MIN_LIMITS
from harness.grade.environment import limits_of
from harness.grade.ports import MemoryCache
from harness.protocols import Budget
from harness.sandbox.base import Backend, SandboxDied, SandboxRefused
from parsers.registry import UnknownName
from tasks.kinds import AGENT_FOLDER
from tasks.loader import TaskError, load_pack
from tests.arena.tracks.opening import made, opened, says
from tests.mini import Mini
from tests.mini.kinds import with_kinds


def test_calibration_agents_are_there_once(mini: Mini, local: Backend) -> None:
    with opened("repo", mini.folder, sandbox="local") as track:
        twice = Matrix(["noop", "gold", "noop"], ["a/b", "c/d"], ["neutral", "reminder"])
        keys = track.attempts(twice)
        (task,) = {key.task for key in keys}
        assert keys == [AttemptKey(task, "noop"), AttemptKey(task, "gold")]
        _, verdict = made(track, keys[0])
        assert (verdict.label, track.pack_name) == ("NO", load_pack(mini.folder).spec.name)


def test_facts_and_needs(mini: Mini, local: Backend) -> None:
    task = load_pack(mini.folder).tasks[0]
    limits, image = limits_of(task), task.spec.environment.image
    with opened("repo", mini.folder, sandbox="local") as track:
        (facts,) = track.describe([task.id])
        by_gold, by_aider = (AttemptKey(task.id, agent) for agent in ("gold", "aider"))
        own, real = track.needs(by_gold, Stage.SOLVE), track.needs(by_aider, Stage.SOLVE)
        graded = track.needs(by_aider, Stage.GRADE)
    assert own == Needs(image, 1, 0, limits.memory, limits.disk)
    assert (real.memory, real.disk) == (
        limits.max_limits(MIN_LIMITS).memory,
        limits.max_limits(MIN_LIMITS).disk,
    )
    assert graded == Needs(image, 1, 1, limits.memory, limits.disk)
    assert (facts.instruction, facts.cwes, facts.image) == (
        task.instruction,
        task.spec.weakness.cwe,
        image,
    )
    assert facts.project and facts.language == task.spec.weakness.language


def test_caps_are_the_budget_of_an_attempt(mini: Mini, local: Backend) -> None:
    caps = Budget(60.0, 0.5, 7, 1000)
    with opened("repo", mini.folder, sandbox="local", caps=caps) as track:
        assert track._budget == caps  # type: ignore[attr-defined]


def test_an_agent_that_runs_model_output_is_refused_without_isolation(
    mini: Mini, local: Backend
) -> None:
    wanted = Matrix(["command:true"])
    with (
        opened("repo", mini.folder, sandbox="local") as track,
        pytest.raises(SandboxRefused, match="does not isolate"),
    ):
        track.attempts(wanted)
    with opened("repo", mini.folder, sandbox="local", trust_agents=True) as track:
        assert len(track.attempts(wanted)) == 1


def test_records_are_in_a_store(tmp_path: Path) -> None:
    key = AttemptKey("t", "aider", "replay:latest")
    models = Models(None, ModelOptions())
    for ask in (lambda: models.expect(key.model), lambda: models.access(key)):
        with pytest.raises(ValueError, match=r"^replay:latest: .*replays need the local engine$"):
            ask()
    with pytest.raises(LookupError, match="no attempt starts with"):
        Models(Store(tmp_path), ModelOptions()).expect("replay:none")
    models.close()
    with pytest.raises(SandboxDied, match="closed"):
        models.access(AttemptKey("t", "aider", says(tmp_path, "m", "x")))


MISTAKES: dict[str, tuple[dict[str, Any], Matrix, str]] = {
    "option": (
        {"options": {"language": "c"}},
        Matrix([]),
        "unknown to the track repo; known: outcomes",
    ),
    "sandbox": ({"sandbox": "odd"}, Matrix(["gold"]), "unknown sandbox 'odd'"),
    "scanner": ({"scanner": "odd"}, Matrix([]), "no scanner 'odd'"),
    "agent": ({}, Matrix(["nobody"]), "unknown name 'nobody'"),
    "agents": ({}, Matrix([]), "agents: there is none"),
    "prompt": ({}, Matrix(["gold"], prompts=["rude"]), "unknown prompt 'rude'"),
    "task": ({}, Matrix(["gold"], tasks=["none"]), "no task 'none'"),
    "model": ({"trust_agents": True}, Matrix(["aider"]), "agent 'aider' needs a model"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line(name: str, mini: Mini, local: Backend) -> None:
    setup, matrix, said = MISTAKES[name]
    with (
        pytest.raises((ValueError, TaskError, UnknownName)) as caught,
        opened("repo", mini.folder, **{"sandbox": "local", **setup}) as track,
    ):
        track.attempts(matrix)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_an_unknown_track_lists_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match=r"^track 'odd' is unknown; known: dual, exposure, mutation"
    ):
        open_track(Setup("odd", "starter"), MemoryCache())


@pytest.mark.parametrize("track", tracks())
def test_every_track_has_a_vocabulary(track: str) -> None:
    found = vocabulary(track)
    assert found.track == track and len(set(found.labels)) == len(found.labels)
    assert found.good and found.vulnerable and not found.good & found.vulnerable
    assert found.kind(found.labels[0]) is Kind.NOTHING
    assert all(len(label) <= 40 for label in found.labels)


def test_the_calibration_agents_of_repo_are_due_every_label() -> None:
    assert len(CALIBRATION) == len(vocabulary("repo").shown(()))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_kinds(tmp_path_factory.mktemp("kinds")).folder


@pytest.mark.parametrize(
    ("asked", "suffixes"),
    [
        ("", [""]),
        ("repair", ["-repair"]),
        ("write, reproduce", ["", "-reproduce"]),
        ("all", ["", "-end-to-end", "-repair", "-reproduce"]),
    ],
)
def test_kinds_are_chosen_where_no_task_is_named(
    kinds: Path, local: Backend, asked: str, suffixes: list[str]
) -> None:
    with opened("repo", kinds, sandbox="local", options={"kinds": asked}) as track:
        tasks = [key.task for key in track.attempts(Matrix(["noop"]))]
        named = [key.task for key in track.attempts(Matrix(["noop"], tasks=["mini-twice-repair"]))]
    assert tasks == [f"mini-twice{suffix}" for suffix in suffixes]
    assert named == ["mini-twice-repair"]


def test_a_kind_that_the_pack_has_not_is_told(mini: Mini, local: Backend) -> None:
    with (
        opened("repo", mini.folder, sandbox="local", options={"kinds": "repair"}) as track,
        pytest.raises(TaskError, match="no task of kind 'repair'; there are write"),
    ):
        track.attempts(Matrix(["noop"]))


def test_an_input_is_solved_graded_and_told_like_any_answer(kinds: Path, local: Backend) -> None:
    with opened("repo", kinds, sandbox="local") as track:
        labels = {
            agent: made(track, AttemptKey("mini-twice-reproduce", agent))[1].label
            for agent in ("gold", "noop", "stub")
        }
        (facts,) = track.describe(["mini-twice-reproduce"])
    assert labels == {"gold": "reproduced", "noop": "no output", "stub": "no output"}
    assert (facts.details["kind"], facts.details["level"]) == ("reproduce", 0)
    assert (facts.details["files"], facts.details["lines"] > 3) == (2, True)


def test_what_a_task_gives_is_in_the_agents_sandbox_and_no_part_of_its_patch(
    kinds: Path, local: Backend
) -> None:
    task = load_pack(kinds).task("mini-twice-repair")
    task = replace(task, spec=task.spec.model_copy(update={"level": 2}))
    workspace = workspace_of(local, task)
    try:
        replayed = workspace.exec(f"sh {AGENT_FOLDER}/replay", 60)
        assert b"AddressSanitizer: heap-buffer-overflow" in replayed.output
        assert workspace.patch() == b""
    finally:
        workspace.close()
