"""Job folders of Harbor (0.26.0, schema version 1): a single job, or a folder of jobs.

A trial is an attempt; trials of a task by the same agent and model are repetitions, in the order of their
names. The verdict is the main reward. A trial's patch is a file below `artifacts/` that ends in `.patch` or
`.diff`, if there is exactly 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.exchange.atif import object_of, text_of
from arena.exchange.bounded import (
    MAX_PATCH_BYTES,
    PartUnreadable,
    files_below,
    folders_in,
    read_bytes,
    read_object,
    time_of,
)
from arena.exchange.columns import value_of_type
from arena.exchange.foreign import TWO_VERDICTS, ForeignAttempt, ForeignReader, ForeignRun
from arena.exchange.job_folder import REWARD

NAME = "harbor"
VERSION = 1
CONFIG, RESULT = "config.json", "result.json"
TRAJECTORY = "agent/trajectory.json"
REWARD_FILE = "verifier/reward.json"
PATCHES = (".patch", ".diff")
# The regular files of a trial by their path in it: none that a link leads to.
Files = Mapping[str, Path]


def takes(path: Path) -> bool:
    return path.is_dir() and bool(_jobs(path))


def _jobs(path: Path) -> list[Path]:
    """The folder itself, or those in it, that hold the configuration of a job."""
    try:
        files = [file for file in files_below(path, 1) if file.name == CONFIG]
    except PartUnreadable:
        return []
    return [file.parent for file in files if _is_job(file)]


def _is_job(config: Path) -> bool:
    try:
        return "job_name" in read_object(config)
    except PartUnreadable:
        return False


def read(path: Path) -> ForeignRun:
    attempts: list[ForeignAttempt] = []
    problems: list[str] = []
    packs: dict[str, None] = {}
    for job in _jobs(path):
        for trial in folders_in(job):
            try:
                files = {str(file.relative_to(trial)): file for file in files_below(trial)}
                # Jobs have other folders too, which are no trials.
                if not {CONFIG, RESULT} & files.keys():
                    continue
                result = _result(trial, files)
                attempts.append(_attempt(f"{job.name}/{trial.name}", result, files, problems))
                packs[text_of(result.get("source"))] = None
            except PartUnreadable as problem:
                problems.append(f"{problem}: left out")
    pack = " ".join(filter(None, packs))
    return ForeignRun(NAME, _repetitions(attempts), problems, pack)


def _result(trial: Path, files: Files) -> dict[str, Any]:
    if RESULT not in files:
        raise PartUnreadable(f"{trial}: no {RESULT}: the trial has not ended")
    result = read_object(files[RESULT])
    version = result.get("schema_version", VERSION)  # the first versions of Harbor wrote none
    if version != VERSION:
        raise PartUnreadable(f"{files[RESULT]}: schema version {version!r}; {VERSION} is read")
    return result


def _attempt(
    origin: str, result: dict[str, Any], files: Files, problems: list[str]
) -> ForeignAttempt:
    info, spent = object_of(result.get("agent_info")), object_of(result.get("agent_result"))
    exception = object_of(result.get("exception_info"))
    rewards = object_of(object_of(result.get("verifier_result")).get("rewards"))
    started, finished = time_of(result.get("started_at")), time_of(result.get("finished_at"))
    model = object_of(info.get("model_info"))
    provider = text_of(model.get("provider"))
    fault = ": ".join(
        filter(None, (text_of(exception.get(f"exception_{n}")) for n in ("type", "message")))
    )
    verdict = _verdict(rewards)
    rewards_read = _object(REWARD_FILE, files, problems)
    # One of the two was changed afterwards: neither is believed.
    if rewards_read is not None and rewards and rewards_read != rewards:
        problems.append(
            f"{origin}: {REWARD_FILE} says {_verdict(rewards_read)}, {RESULT} {verdict}: two verdicts"
        )
        verdict = TWO_VERDICTS
    return ForeignAttempt(
        identity=text_of(result.get("id")) or origin,
        origin=origin,
        task=text_of(result.get("task_name")),
        agent=text_of(info.get("name")),
        model="/".join(filter(None, (provider, text_of(model.get("name"))))),
        verdict=verdict,
        reason=", ".join(f"{name} {value}" for name, value in rewards.items()),
        # Harbor's verifier may have given a reward though the agent ended by an exception.
        fault=fault if exception and not rewards else "",
        ended="" if exception else "finished",
        patch=_patch(origin, files, problems),
        instruction="",
        scores={**rewards, **({"exception": fault} if exception else {})},
        usage={
            "input_tokens": value_of_type(spent.get("n_input_tokens"), int),
            "cached_tokens": value_of_type(spent.get("n_cache_tokens"), int),
            "output_tokens": value_of_type(spent.get("n_output_tokens"), int),
            "usd": value_of_type(spent.get("cost_usd"), float),
        },
        seconds=finished - started if started is not None and finished is not None else 0.0,
        finished=finished,
        agent_version=text_of(info.get("version")),
        atif=_atif(files, problems),
    )


def _verdict(rewards: dict[str, Any]) -> str:
    """The reward that has the usual name, or else the first reward."""
    name = REWARD if REWARD in rewards else next(iter(rewards), "")
    value = rewards.get(name)
    number = value_of_type(value, float)
    return (
        "" if value is None else f"{name} {number:g}" if number is not None else f"{name} {value}"
    )


def _object(name: str, files: Files, problems: list[str]) -> dict[str, Any] | None:
    """The object of a file of a trial; None where it has none, or none that can be read."""
    if name not in files:
        return None
    try:
        return read_object(files[name])
    except PartUnreadable as problem:
        problems.append(str(problem))
        return None


def _atif(files: Files, problems: list[str]) -> bytes | None:
    trajectory = _object(TRAJECTORY, files, problems)
    return None if trajectory is None else json.dumps(trajectory).encode()


def _patch(origin: str, files: Files, problems: list[str]) -> bytes | None:
    patches = [n for n in files if n.startswith("artifacts/") and n.endswith(PATCHES)]
    if len(patches) > 1:
        problems.append(f"{origin}: {len(patches)} patches in artifacts: none is taken")
    if len(patches) != 1:
        return None
    try:
        return read_bytes(files[patches[0]], MAX_PATCH_BYTES)
    except PartUnreadable as problem:
        problems.append(str(problem))
        return None


def _repetitions(attempts: list[ForeignAttempt]) -> list[ForeignAttempt]:
    """The attempts, numbered by task, agent and model."""
    numbers: dict[tuple[str, str, str], int] = {}
    numbered = []
    for attempt in attempts:
        column = (attempt.task, attempt.agent, attempt.model)
        numbers[column] = number = numbers.get(column, -1) + 1
        numbered.append(replace(attempt, number=number))
    return numbered


PLUGIN = ForeignReader(NAME, "Job folders of Harbor, one or a folder of them.", takes, read)
