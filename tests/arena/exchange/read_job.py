"""Opens job folders as `harbor view` does and prints what is in them as JSON: run by Harbor's Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from harbor.utils.trajectory_validator import (  # type: ignore[import-not-found,unused-ignore]
    TrajectoryValidator,
)
from harbor.viewer.scanner import JobScanner  # type: ignore[import-not-found,unused-ignore]

folder = Path(sys.argv[1])
scanner = JobScanner(folder)
jobs = {}
for job in scanner.list_jobs():
    config, result = scanner.get_job_config(job), scanner.get_job_result(job)
    trials = {}
    for name in scanner.list_trials(job):
        trial = scanner.get_trial_result(job, name)
        path = folder / job / name / "agent" / "trajectory.json"
        validator = TrajectoryValidator()
        trials[name] = {
            "has_config": scanner.get_trial_config(job, name) is not None,
            "task": trial.task_name,
            "rewards": trial.verifier_result.rewards if trial.verifier_result else None,
            "usd": trial.agent_result.cost_usd,
            "exception": trial.exception_info.exception_type if trial.exception_info else None,
            "errors": validator.get_errors()
            if path.exists() and not validator.validate(path)
            else [],
        }
    stats = {"usd": result.stats.cost_usd, "pending": result.stats.n_pending_trials}
    jobs[job] = {
        "agents": sorted(agent.name for agent in config.agents),
        "stats": stats,
        "trials": trials,
    }
print(json.dumps(jobs))
