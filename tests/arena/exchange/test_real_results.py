"""What the real packages write is read, each in an environment of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.arena.exchange.outside import environment
from tests.arena.exchange.test_readers import by_task, imported

ENV = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def run_script(programs: Path, name: str, folder: Path) -> None:
    script = Path(__file__).with_name(name)
    argv = [str(programs / "python"), str(script), str(folder)]
    subprocess.run(argv, check=True, cwd=folder.parent, env=ENV, timeout=300)


@pytest.mark.nightly("installs Inspect")
def test_genuine_logs_of_inspect(tmp_path: Path) -> None:
    run_script(environment("inspect", "3.11"), "write_eval.py", tmp_path / "logs")
    for form in ("eval", "json"):
        run = imported(tmp_path / "logs" / form)
        assert run.problems == [] and run.pack == "demo"
        found = {task: attempt for (task, _), attempt in by_task(run).items()}
        assert {task: attempt.verdict for task, attempt in found.items()} == {
            "alpha": "includes=C",
            "beta": "includes=I",
        }
        alpha = found["alpha"]
        assert (alpha.model, alpha.agent_version) == ("mockllm/model", "inspect-ai 0.3.285")
        assert alpha.usage["input_tokens"] == 2 * (10 + 2 + 3)
        assert (alpha.usage["calls"], alpha.usage["output_tokens"]) == (2, 10)
        assert alpha.trajectory is not None
        steps = alpha.trajectory["steps"]
        assert [step["source"] for step in steps] == ["system", "user", "agent", "agent"]
        assert steps[2]["tool_calls"][0]["function_name"] == "list_files"
        assert steps[2]["observation"]["results"][0]["content"] == "x.c"
        assert steps[3]["message"].startswith("the answer is yes, at length")


@pytest.mark.nightly("installs Harbor")
def test_a_genuine_job_of_harbor(tmp_path: Path) -> None:
    run_script(environment("harbor", "3.12"), "write_job.py", tmp_path / "jobs")
    run = imported(tmp_path / "jobs")
    assert (run.problems, run.pack) == ([], "set")
    found = by_task(run)
    assert {key: (attempt.verdict, attempt.fault) for key, attempt in found.items()} == {
        ("alpha", 0): ("reward 1", ""),
        ("alpha", 1): ("reward 0", ""),
        ("beta", 0): ("", "RuntimeError: no engine"),
    }
    first = found["alpha", 0]
    assert (first.agent, first.model, first.seconds) == ("a", "openai/m", 90.0)
    assert first.usage["usd"] == 0.5 and first.trajectory is not None
