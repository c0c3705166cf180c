"""A run as a job folder of Harbor: what is in its JSON files, by attempt and for the whole job.

Form: `harbor.models.job` and `harbor.models.trial` of harbor 0.26.0 (schema version 1), as `harbor view` and
`harbor analyze` open it:

    JOB/config.json, JOB/result.json
    JOB/TRIAL/config.json, result.json            a trial is an attempt; `result.json` has its rewards
    JOB/TRIAL/agent/trajectory.json               ATIF, where a model was called
    JOB/TRIAL/verifier/reward.json, test-stdout.txt
    JOB/TRIAL/artifacts/attempt.patch             what the agent left
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.exchange.columns import text, value_of_type
from arena.exchange.groups import file_name
from arena.exchange.transcript import MAX_TIME_S, time_text
from arena.store.model import Attempt
from arena.store.tables import RunRow
from arena.vocabulary import Vocabulary
from harness.grade.ports import digest_of
from harness.grade.verdict import Health
from harness.user_names import strip_name

# The name under which Harbor looks for a trial's main reward.
REWARD = "reward"
NO_DIGEST = "unknown"


def uuid_of(*parts: str) -> str:
    """A UUID that is the same each time, for Harbor, which identifies jobs and trials by UUIDs."""
    return str(uuid.UUID(hex=digest_of(*parts)[:32]))


def trial_name(attempt: Attempt) -> str:
    """A folder's name, unique in the job."""
    return f"{file_name(attempt.key.task)}__{attempt.id}"


def rewards_of(attempt: Attempt, words: Vocabulary) -> dict[str, float] | None:
    """1 for a label that an attempt should have, else 0, and the track's score; None without a label."""
    if attempt.label is None:
        return None
    rewards = {REWARD: 1.0 if attempt.label in words.good else 0.0}
    score = value_of_type(attempt.score, float)
    return rewards if score is None else {**rewards, "score": score}


def trial_config(job: str, attempt: Attempt) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "task": {"path": text(attempt.key.task)},
        "trial_name": trial_name(attempt),
        "trials_dir": job,
        "agent": _agent(attempt),
        "job_id": uuid_of(attempt.run),
    }


def trial_result(job: str, attempt: Attempt, words: Vocabulary, pack: str) -> dict[str, Any]:
    """The result of an attempt; facts without a field of Harbor are in `agent_result.metadata`."""
    usage = attempt.usage
    rewards = rewards_of(attempt, words)
    ended = min(max(attempt.finished or 0.0, 0.0), MAX_TIME_S)
    started = max(0.0, ended - attempt.seconds)
    return {
        "schema_version": 1,
        "id": uuid_of(attempt.run, attempt.id),
        "task_name": text(attempt.key.task),
        "trial_name": trial_name(attempt),
        "trial_uri": "",
        "task_id": {"path": text(attempt.key.task)},
        "source": text(pack),
        "task_checksum": attempt.provenance.task_digest or NO_DIGEST,
        "config": trial_config(job, attempt),
        "agent_info": _agent_info(attempt),
        "agent_result": {
            "n_input_tokens": value_of_type(usage.get("input_tokens"), int),
            "n_cache_tokens": value_of_type(usage.get("cached_tokens"), int),
            "n_output_tokens": value_of_type(usage.get("output_tokens"), int),
            "cost_usd": value_of_type(attempt.usd, float),
            "metadata": _metadata(attempt),
        },
        "verifier_result": None if rewards is None else {"rewards": rewards},
        "verifier_environment_mode": "separate",
        "exception_info": _exception(attempt, ended),
        "started_at": time_text(started),
        "finished_at": time_text(ended),
    }


def _metadata(attempt: Attempt) -> dict[str, Any]:
    return {
        "attempt": attempt.id,
        "prompt": text(attempt.key.prompt),
        "replicate": attempt.key.replicate,
        "label": attempt.label,
        "health": attempt.health,
        "reason": text(attempt.reason),
        "ended": attempt.ended,
        "flags": [text(flag) for flag in attempt.flags],
        "provenance": attempt.provenance.to_json(),
    }


def _agent(attempt: Attempt) -> dict[str, Any]:
    return {
        "name": text(attempt.key.agent),
        "model_name": text(strip_name(attempt.key.model)) or None,
    }


def _agent_info(attempt: Attempt) -> dict[str, Any]:
    provider, _, name = text(strip_name(attempt.key.model)).rpartition("/")
    model = {"name": name, "provider": provider or None} if name else None
    version = attempt.provenance.agent_version or NO_DIGEST
    return {"name": text(attempt.key.agent), "version": version, "model_info": model}


def _exception(attempt: Attempt, ended: float) -> dict[str, str] | None:
    if attempt.health == Health.OK:
        return None
    return {
        "exception_type": attempt.health,
        "exception_message": text(attempt.reason),
        "exception_traceback": "",
        "occurred_at": time_text(ended),
    }


@dataclass
class JobTotals:
    """The sums of a job, added up trial by trial."""

    trials: int = 0
    errors: int = 0
    tokens: dict[str, int] = field(default_factory=dict)
    usd: float = 0.0
    finished: str = ""
    agents: dict[tuple[str, str], None] = field(default_factory=dict)
    tasks: dict[str, None] = field(default_factory=dict)
    evals: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, result: Mapping[str, Any]) -> None:
        """Add the result of a trial."""
        agent, error = result["config"]["agent"], result["exception_info"]
        self.trials += 1
        self.errors += error is not None
        self.finished = max(self.finished, result["finished_at"])
        self.agents[agent["name"], agent["model_name"] or ""] = None
        self.tasks[result["task_name"]] = None
        for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens"):
            self.tokens[name] = self.tokens.get(name, 0) + (result["agent_result"][name] or 0)
        self.usd += result["agent_result"]["cost_usd"] or 0.0
        self._add_rewards(result, agent, error)

    def _add_rewards(
        self, result: Mapping[str, Any], agent: Mapping[str, Any], error: Mapping[str, Any] | None
    ) -> None:
        info = result["agent_info"]["model_info"]
        names = (agent["name"], info["name"] if info else "", result["source"])
        empty = {"n_trials": 0, "n_errors": 0, "reward_stats": {}, "exception_stats": {}}
        stats = self.evals.setdefault("__".join(filter(None, names)), empty)
        rewards = (result["verifier_result"] or {}).get("rewards", {})
        stats["n_trials"] += bool(rewards)
        stats["n_errors"] += error is not None
        for name, value in rewards.items():
            trials = stats["reward_stats"].setdefault(name, {}).setdefault(value, [])
            trials.append(result["trial_name"])
        # A trial may have both, a reward and an exception.
        if error is not None:
            kinds = stats["exception_stats"].setdefault(error["exception_type"], [])
            kinds.append(result["trial_name"])


def job_config(job: str, totals: JobTotals, replicates: int) -> dict[str, Any]:
    agents = [{"name": name, "model_name": model or None} for name, model in totals.agents]
    return {
        "schema_version": 1,
        "job_name": job,
        "jobs_dir": ".",
        "n_attempts": max(1, replicates),
        "agents": agents,
        "tasks": [{"path": task} for task in totals.tasks],
    }


def job_result(run: RunRow, totals: JobTotals, open_attempts: int) -> dict[str, Any]:
    """open_attempts: those that have not ended, which have no trial folder."""
    started = time_text(min(max(run.created, 0.0), MAX_TIME_S))
    finished = max(totals.finished, started)
    return {
        "schema_version": 1,
        "id": uuid_of(run.id),
        "started_at": started,
        "updated_at": finished,
        "finished_at": None if open_attempts else finished,
        "n_total_trials": totals.trials + open_attempts,
        "stats": {
            "n_completed_trials": totals.trials,
            "n_errored_trials": totals.errors,
            "n_pending_trials": open_attempts,
            "evals": totals.evals,
            **totals.tokens,
            "cost_usd": totals.usd,
        },
    }
