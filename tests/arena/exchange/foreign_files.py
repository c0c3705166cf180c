"""Small results of other programs, in the forms that their releases of November 2026 were seen to write."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

DIFF = "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n"
MODEL = "openai/m"


def put(path: Path, value: Any) -> Path:
    """Write a text or a JSON value, with the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def harbor_trial(job: Path, name: str, task: str, reward: float | None, **changes: Any) -> Path:
    """A trial that ended with a reward, or with an exception where that is None."""
    trial = job / name
    config = {"trial_name": name, "task": {"path": task}, "agent": {"name": "a"}}
    exception = {"exception_type": "RuntimeError", "exception_message": "no engine"}
    result = {
        "schema_version": 1,
        "id": f"id-of-{name}",
        "task_name": task,
        "trial_name": name,
        "source": "set",
        "config": config,
        "agent_info": {
            "name": "a",
            "version": "1.2",
            "model_info": {"name": "m", "provider": "openai"},
        },
        "agent_result": {"n_input_tokens": 10, "n_output_tokens": 2, "cost_usd": 0.5},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward, "builds": 1}},
        "exception_info": exception if reward is None else None,
        "started_at": "2026-05-01T10:00:00Z",
        "finished_at": "2026-05-01T10:01:30Z",
    }
    put(trial / "config.json", config)
    put(trial / "result.json", {**result, **changes})
    if reward is not None:
        put(trial / "verifier/reward.json", {"reward": reward, "builds": 1})
    return trial


def harbor_job(folder: Path) -> Path:
    """A folder of jobs with one job: two repetitions of one task, and one that failed."""
    job = folder / "job"
    put(job / "config.json", {"job_name": "job", "agents": [{"name": "a"}]})
    put(job / "result.json", {"id": "j", "n_total_trials": 3})
    first = harbor_trial(job, "alpha__1", "alpha", 1.0)
    put(first / "artifacts/logs/out.patch", DIFF)
    steps = [{"step_id": 1, "source": "user", "message": "Do it."}]
    put(first / "agent/trajectory.json", {"schema_version": "ATIF-v1.7", "steps": steps})
    harbor_trial(job, "alpha__2", "alpha", 0.0)
    harbor_trial(job, "beta__1", "beta", None)
    return folder


def inspect_sample(task: str, epoch: int = 1, value: Any = "C", **changes: Any) -> dict[str, Any]:
    call = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}
    return {
        "id": task,
        "epoch": epoch,
        "input": "Do it.",
        "target": "x",
        "messages": [
            {"id": "1", "role": "user", "content": "attachment://abc", "source": "input"},
            {"id": "2", "role": "assistant", "content": "I look.", "tool_calls": [call]},
            {"id": "3", "role": "tool", "content": "x.c", "tool_call_id": "c1", "function": "bash"},
        ],
        "output": {
            "model": MODEL,
            "choices": [{"message": {"role": "assistant", "content": DIFF}}],
        },
        "scores": {"includes": {"value": value, "explanation": "it says so"}},
        "model_usage": {
            MODEL: {
                "input_tokens": 30,
                "input_tokens_cache_read": 40,
                "input_tokens_cache_write": 30,
                "output_tokens": 7,
                "total_tokens": 107,
                "total_cost": 0.25,
            }
        },
        "turn_count": 2,
        "attachments": {"abc": "Do it, in long."},
        "total_time": 2.5,
        "completed_at": "2026-05-01T10:00:00+00:00",
        "uuid": f"{task}-{epoch}",
        **changes,
    }


def inspect_head(version: int = 2) -> dict[str, Any]:
    spec = {
        "eval_id": "e1",
        "task": "demo",
        "solver": "mine",
        "model": MODEL,
        "dataset": {"name": "set"},
        "packages": {"inspect_ai": "0.3.285"},
    }
    return {"version": version, "status": "success", "eval": spec}


def inspect_log(path: Path, samples: list[dict[str, Any]], version: int = 2) -> Path:
    """An `.eval` log, deflated; or a `.json` log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = inspect_head(version)
    if path.suffix == ".json":
        return put(path, {**head, "samples": samples})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("_journal/start.json", json.dumps(head))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            log.writestr(name, json.dumps(sample))
        log.writestr("header.json", json.dumps(head))
    return path


def swebench_run(folder: Path) -> Path:
    """alpha is resolved, beta not, gamma's machine failed, delta's patch is empty, omega was not evaluated."""
    model = "openai__m"
    patches = {"alpha": DIFF, "beta": DIFF, "gamma": DIFF, "delta": "", "omega": DIFF}
    entries = [
        {"instance_id": task, "model_name_or_path": MODEL, "model_patch": patch}
        for task, patch in patches.items()
    ]
    put(folder / "preds.jsonl", "".join(json.dumps(entry) + "\n" for entry in entries))
    logs = folder / "logs/run_evaluation/run1"
    put(logs / "run.json", {"dataset": "set", "split": "test"})
    for task, resolved in (("alpha", True), ("beta", False)):
        put(
            logs / model / task / "report.json",
            {task: {"resolved": resolved, "infra_failure": False}},
        )
        put(logs / model / task / "patch.diff", DIFF)
    put(logs / model / "gamma/run_instance.log", "Error response from daemon\n")
    summary = {
        "resolved_ids": ["alpha"],
        "unresolved_ids": ["beta"],
        "empty_patch_ids": ["delta"],
        "error_ids": ["gamma"],
        "infra_failure_ids": ["gamma"],
        "schema_version": 2,
    }
    put(folder / f"{model}.run1.json", summary)
    return folder


def mini_trajectory(folder: Path, task: str, status: str = "Submitted", **changes: Any) -> Path:
    """A trajectory whose submission is DIFF, or empty where the agent did not submit."""
    patch = DIFF if status == "Submitted" else ""
    spent = {"api_calls": 2, "instance_cost": 0.75}
    messages = [
        {"role": "system", "content": "You edit."},
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": "I look.", "extra": {"timestamp": 1_777_629_600.0}},
        {"role": "user", "content": "x.c", "extra": {"timestamp": 1_777_629_602.5}},
        {"role": "exit", "content": patch, "extra": {"exit_status": status, "submission": patch}},
    ]
    info = {
        "model_stats": spent,
        "config": {"model": {"model_name": MODEL}},
        "mini_version": "2.4.6",
        "exit_status": status,
        "submission": patch,
    }
    form = {"trajectory_format": "mini-swe-agent-1.1", "instance_id": task}
    return put(
        folder / task / f"{task}.traj.json", {"info": info, "messages": messages, **form, **changes}
    )


def mini_folder(folder: Path) -> Path:
    for task, status in (
        ("alpha", "Submitted"),
        ("beta", "LimitsExceeded"),
        ("gamma", "RuntimeError"),
    ):
        mini_trajectory(folder, task, status)
    entry = {"model_name_or_path": MODEL, "instance_id": "alpha", "model_patch": DIFF}
    put(folder / "preds.json", {"alpha": entry})
    return folder
