"""Writes a job folder by Harbor's own models, as its jobs are dumped: run by its environment's Python."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from harbor.models.agent.context import AgentContext  # type: ignore[import-not-found,unused-ignore]
from harbor.models.job.config import JobConfig  # type: ignore[import-not-found,unused-ignore]
from harbor.models.job.result import (  # type: ignore[import-not-found,unused-ignore]
    JobResult,
    JobStats,
)
from harbor.models.task.id import LocalTaskId  # type: ignore[import-not-found,unused-ignore]
from harbor.models.trajectories import (  # type: ignore[import-not-found,unused-ignore]
    Agent,
    Step,
    Trajectory,
)
from harbor.models.trial.config import (  # type: ignore[import-not-found,unused-ignore]
    AgentConfig,
    TaskConfig,
    TrialConfig,
)
from harbor.models.trial.result import (  # type: ignore[import-not-found,unused-ignore]
    AgentInfo,
    ExceptionInfo,
    ModelInfo,
    TrialResult,
)
from harbor.models.verifier.result import (  # type: ignore[import-not-found,unused-ignore]
    VerifierResult,
)

START = datetime(2026, 5, 1, tzinfo=UTC)
job = Path(sys.argv[1]) / "job"
results = []
for name, reward in (("alpha__1", 1.0), ("alpha__2", 0.0), ("beta__1", None)):
    trial = job / name
    task = Path(name.partition("__")[0])
    agent = AgentConfig(name="a", model_name="openai/m")
    config = TrialConfig(task=TaskConfig(path=task), trial_name=name, trials_dir=job, agent=agent)
    fault = None
    if reward is None:
        fault = ExceptionInfo(
            exception_type="RuntimeError",
            exception_message="no engine",
            exception_traceback="",
            occurred_at=START,
        )
    result = TrialResult(
        task_name=str(task),
        trial_name=name,
        trial_uri=trial.as_uri(),
        task_id=LocalTaskId(path=task),
        source="set",
        task_checksum="0",
        config=config,
        agent_info=AgentInfo(
            name="a", version="1.2", model_info=ModelInfo(name="m", provider="openai")
        ),
        agent_result=AgentContext(n_input_tokens=10, n_output_tokens=2, cost_usd=0.5),
        verifier_result=None if reward is None else VerifierResult(rewards={"reward": reward}),
        exception_info=fault,
        started_at=START,
        finished_at=START + timedelta(seconds=90),
    )
    results.append(result)
    for folder in ("agent", "verifier", "artifacts"):
        (trial / folder).mkdir(parents=True)
    (trial / "config.json").write_text(config.model_dump_json(indent=4))
    (trial / "result.json").write_text(result.model_dump_json(indent=4))
    step = Step(step_id=1, source="user", message="Do it.")
    trajectory = Trajectory(agent=Agent(name="a", version="1.2"), steps=[step])
    (trial / "agent/trajectory.json").write_text(trajectory.model_dump_json(exclude_none=True))
(job / "config.json").write_text(JobConfig(job_name="job").model_dump_json(indent=4))
stats = JobStats.from_trial_results(results, n_total_trials=3)
whole = JobResult(id=uuid4(), started_at=START, n_total_trials=3, stats=stats)
(job / "result.json").write_text(whole.model_dump_json(indent=4, exclude={"trial_results"}))
