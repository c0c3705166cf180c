"""Trajectories go out as a job folder that Harbor opens."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from arena.exchange.atif import with_session
from arena.store.model import AttemptKey, attempt_id
from arena.store.store import Store
from tests.arena.exchange.making import PATCH, RUN, a_run, exported
from tests.arena.exchange.outside import environment
from tests.arena.exchange.test_inspect_frames import CALLS, a_measured_run
from tests.harness.agents.atif_format import check_step

CAPPED = attempt_id(RUN, AttemptKey("alpha", "aider", "openai/m", "neutral", 1))
LOST = attempt_id(RUN, AttemptKey("alpha", "aider", "openai/m", "neutral", 2))


def test_a_trial_is_an_attempt(store: Store, tmp_path: Path) -> None:
    a_measured_run(store)
    said = exported(store, "atif", tmp_path / "out")
    assert said[0].startswith("4 trials in ") and said[1].startswith("3 have a trajectory; 1 ")
    job = tmp_path / "out" / RUN
    trial = job / f"alpha__{CAPPED}"
    result = json.loads((trial / "result.json").read_text())
    assert result["agent_result"]["cost_usd"] == 0.25
    assert result["agent_result"]["metadata"]["label"] == "CV"
    assert result["agent_result"]["metadata"]["ended"] == "capped:usd"
    assert json.loads((trial / "verifier/reward.json").read_text()) == {"reward": 0, "score": 0}
    assert (trial / "artifacts/attempt.patch").read_bytes() == PATCH
    trajectory = json.loads((trial / "agent/trajectory.json").read_text())
    assert trajectory["session_id"] == trajectory["trajectory_id"] == CAPPED
    assert trajectory["schema_version"] == "ATIF-v1.8"
    for place, step in enumerate(trajectory["steps"], 1):
        check_step(step, place)
    lost = job / f"alpha__{LOST}"
    assert json.loads((lost / "result.json").read_text())["verifier_result"] is None
    assert not (lost / "verifier/reward.json").exists()
    whole = json.loads((job / "result.json").read_text())
    assert (whole["n_total_trials"], whole["stats"]["n_errored_trials"]) == (4, 1)
    assert whole["stats"]["evals"]["aider__m__starter"]["reward_stats"]["reward"].keys() == {
        "0.0",
        "1.0",
    }


def test_ids_of_a_trajectory_are_those_of_its_attempt() -> None:
    reference = {"trajectory_id": "scratch-1-1", "session_id": "scratch-1"}
    results = [{"source_call_id": "c", "subagent_trajectory_ref": [reference]}]
    call = {"tool_call_id": "c", "arguments": {"session_id": "scratch-1"}}
    step = {"source": "agent", "tool_calls": [call], "observation": {"results": results}}
    sub = {"schema_version": "ATIF-v1.7", "trajectory_id": "scratch-1-1", "session_id": "scratch-1"}
    whole = {**sub, "trajectory_id": "scratch-1", "steps": [step], "subagent_trajectories": [sub]}
    named = with_session(whole, "a1")
    assert (named["session_id"], named["trajectory_id"]) == ("a1", "a1")
    assert named["subagent_trajectories"][0] == {
        "schema_version": "ATIF-v1.8",
        "trajectory_id": "a1-1",
        "session_id": "a1",
    }
    kept = named["steps"][0]
    assert kept["observation"]["results"][0]["subagent_trajectory_ref"] == [
        {"trajectory_id": "a1-1", "session_id": "a1"}
    ]
    assert kept["tool_calls"][0]["arguments"] == {"session_id": "scratch-1"}
    assert whole["session_id"] == "scratch-1"


def test_versions_that_the_newest_does_not_only_add_to_stay() -> None:
    assert (
        with_session({**CALLS, "schema_version": "ATIF-v1.2"}, "a")["schema_version"] == "ATIF-v1.2"
    )


@pytest.mark.nightly("installs Harbor")
def test_harbor_opens_the_folder(store: Store, tmp_path: Path) -> None:
    programs = environment("harbor", "3.12")
    a_run(store)
    exported(store, "atif", tmp_path / "out")
    argv = [
        str(programs / "python"),
        str(Path(__file__).with_name("read_job.py")),
        str(tmp_path / "out"),
    ]
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=tmp_path, env=env)
    (job,) = json.loads(done.stdout).values()
    assert job["agents"] == ["aider", "gold"]
    assert job["stats"] == {"usd": 0.75, "pending": 1}
    assert len(job["trials"]) == 7
    for attempt in store.attempts(RUN):
        if not attempt.health:
            continue
        trial = job["trials"][f"{attempt.key.task}__{attempt.id}"]
        rewards = {
            "CV": {"reward": 0, "score": 0.5},
            "C&S": {"reward": 1, "score": 0.5},
            None: None,
        }
        assert trial == {
            "has_config": True,
            "task": attempt.key.task,
            "rewards": rewards[attempt.label],
            "usd": attempt.usd,
            "exception": None if attempt.label else "infra",
            "errors": [],
        }
