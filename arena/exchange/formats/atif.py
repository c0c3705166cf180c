"""A run as a job folder of Harbor with trajectories in ATIF, which `harbor view` opens; and an index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.exchange.atif import trajectory_of, with_session
from arena.exchange.groups import file_name
from arena.exchange.job_folder import (
    JobTotals,
    job_config,
    job_result,
    rewards_of,
    trial_config,
    trial_name,
    trial_result,
)
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import empty_folder, write_output
from arena.report.text import one_line
from arena.store.model import Attempt
from arena.vocabulary import Vocabulary, vocabulary_or_bare

INDEX = "index.jsonl"
PATCH = "attempt.patch"


def write(source: Source, out: Path, say: Say) -> None:
    words = vocabulary_or_bare(source.run.track)
    empty_folder(out)
    job = out / file_name(source.run.id)
    totals = JobTotals()
    replicates = open_attempts = trajectories = 0
    with write_output(out / INDEX) as index:
        for attempt in source.attempts():
            if not attempt.health:
                open_attempts += 1
                continue
            replicates = max(replicates, attempt.key.replicate + 1)
            path = _write_trial(source, job, attempt, words, totals)
            if path is not None:
                index.write(json.dumps(_entry(path.relative_to(out), attempt)).encode() + b"\n")
                trajectories += 1
    if not totals.trials:
        raise ValueError(f"run {source.run.id}: no attempt that has ended")
    _put(job / "config.json", job_config(job.name, totals, replicates))
    _put(job / "result.json", job_result(source.run, totals, open_attempts))
    say(f"{totals.trials} trials in {job}: harbor view {out}")
    say(
        f"{trajectories} have a trajectory; {totals.trials - trajectories} have none: "
        "no agent worked on them with a model"
    )
    if open_attempts:
        say(f"{open_attempts} attempts have not ended and are not in it")


def _write_trial(
    source: Source, job: Path, attempt: Attempt, words: Vocabulary, totals: JobTotals
) -> Path | None:
    """Write the folder of an attempt; returns the path of its trajectory, None where there is none."""
    folder = job / trial_name(attempt)
    result = trial_result(job.name, attempt, words, source.run.pack)
    totals.add(result)
    _put(folder / "config.json", trial_config(job.name, attempt))
    _put(folder / "result.json", result)
    rewards = rewards_of(attempt, words)
    if rewards is not None:
        _put(folder / "verifier/reward.json", rewards)
    result_line = one_line(f"{attempt.label or attempt.health}: {attempt.reason}") + "\n"
    _put_bytes(folder / "verifier/test-stdout.txt", result_line.encode("utf-8", "replace"))
    if attempt.patch is not None:
        _put_bytes(folder / "artifacts" / PATCH, source.store.blob(attempt.patch))
    trajectory = trajectory_of(source, attempt)
    if trajectory is None:
        return None
    path = folder / "agent/trajectory.json"
    _put(path, with_session(trajectory, attempt.id))
    return path


def _entry(path: Path, attempt: Attempt) -> dict[str, Any]:
    entry = {
        "file": path.as_posix(),
        "attempt": attempt.id,
        "run": attempt.run,
        **vars(attempt.key),
    }
    attempt_json = {"label": attempt.label, "health": attempt.health, "usd": attempt.usd}
    return {**entry, **attempt_json, "provenance": attempt.provenance.to_json()}


def _put(path: Path, value: Any) -> None:
    _put_bytes(path, json.dumps(value, indent=1, ensure_ascii=False).encode("utf-8", "replace"))


def _put_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_output(path) as stream:
        stream.write(data)


PLUGIN = WrittenFile("atif", "A job folder of Harbor with trajectories in ATIF.", write)
