"""Writes genuine trajectories of mini-swe-agent into a folder: run by its environment's Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from minisweagent.agents.default import DefaultAgent  # type: ignore[import-not-found,unused-ignore]
from minisweagent.environments.local import (  # type: ignore[import-not-found,unused-ignore]
    LocalEnvironment,
)
from minisweagent.models.test_models import (  # type: ignore[import-not-found,unused-ignore]
    DeterministicModel,
    make_output,
)
from minisweagent.run.benchmarks.swebench import (  # type: ignore[import-not-found,unused-ignore]
    update_preds_file,
)

out, patch = Path(sys.argv[1]), Path(sys.argv[2])


def work(task: str, commands: list[str], **limits: Any) -> None:
    """Let the agent run the commands, and keep what it leaves as a batch of tasks does."""
    outputs = [make_output("I act.", [{"command": command}], 0.5) for command in commands]
    model = DeterministicModel(model_name="openai/m", outputs=outputs, cost_per_call=0.5)
    wording = {"system_template": "You edit.", "instance_template": "{{task}}"}
    agent = DefaultAgent(model, LocalEnvironment(), **wording, **limits)
    info = agent.run("Add it.")
    told = {"exit_status": info.get("exit_status"), "submission": info.get("submission")}
    agent.save(out / task / f"{task}.traj.json", {"info": told, "instance_id": task})
    update_preds_file(out / "preds.json", task, "openai/m", info.get("submission"))


submit = f"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat {patch}"
work("alpha", ["echo x.c", submit])
work("beta", ["echo x.c"] * 3, step_limit=2)
