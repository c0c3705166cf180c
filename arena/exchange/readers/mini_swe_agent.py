"""Trajectories of mini-swe-agent (2.4.6, form `mini-swe-agent-1.1`): a `*.traj.json` or a folder of them.

A folder is what `mini-extra swebench` writes: `ID/ID.traj.json` and `preds.json`. The program judges nothing,
so there is no verdict; the patch is what was submitted. `preds.json` has it too, and a difference is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.exchange.atif import object_of, objects, text_of
from arena.exchange.bounded import PartUnreadable, files_below, patch_bytes, read_object
from arena.exchange.chat import atif_from
from arena.exchange.columns import value_of_type
from arena.exchange.foreign import ForeignAttempt, ForeignReader, ForeignRun
from arena.exchange.transcript import MAX_TIME_S

NAME = "mini-swe-agent"
SUFFIX = ".traj.json"
FORM = "mini-swe-agent-1"
PREDICTIONS = "preds.json"
SUBMITTED = "Submitted"
# How it ended at a limit of its own; which of its limits is not recorded.
LIMITED = ("LimitsExceeded", "TimeExceeded")


def takes(path: Path) -> bool:
    try:
        return any(True for _ in _trajectories(path))
    except PartUnreadable:
        return False


def _trajectories(path: Path) -> Iterator[Path]:
    """Raises PartUnreadable."""
    if not path.is_dir():
        yield from [path] if path.name.endswith(SUFFIX) else []
        return
    yield from (each for each in files_below(path, 3) if each.name.endswith(SUFFIX))


def read(path: Path) -> ForeignRun:
    attempts: list[ForeignAttempt] = []
    problems: list[str] = []
    predictions = _predictions(path / PREDICTIONS, problems) if path.is_dir() else {}
    top = path if path.is_dir() else path.parent
    for file in _trajectories(path):
        try:
            attempt = _attempt(file, top)
        except PartUnreadable as problem:
            problems.append(f"{problem}: left out")
            continue
        attempts.append(attempt)
        predicted = predictions.pop(attempt.task, None)
        if predicted is not None and patch_bytes(predicted) != (attempt.patch or b""):
            problems.append(f"{file}: {PREDICTIONS} has another patch: the trajectory's is taken")
    problems += [
        f"{path / PREDICTIONS}: {name[:100]}: no trajectory: left out" for name in predictions
    ]
    return ForeignRun(NAME, attempts, problems)


def _predictions(path: Path, problems: list[str]) -> dict[str, str]:
    """Patch by task."""
    if not path.exists():
        return {}
    try:
        entries = read_object(path)
    except PartUnreadable as problem:
        problems.append(str(problem))
        return {}
    return {name: text_of(object_of(entry).get("model_patch")) for name, entry in entries.items()}


def _attempt(path: Path, top: Path) -> ForeignAttempt:
    whole = read_object(path)
    form = text_of(whole.get("trajectory_format"))
    if not form.startswith(FORM):
        raise PartUnreadable(f"{path}: form {form[:40]!r}; {FORM}.x is read")
    info = object_of(whole.get("info"))
    config, stats = object_of(info.get("config")), object_of(info.get("model_stats"))
    model = text_of(object_of(config.get("model")).get("model_name"))
    status = text_of(info.get("exit_status"))
    messages, version = objects(whole.get("messages")), text_of(info.get("mini_version"))
    task = text_of(whole.get("instance_id")) or path.name.removesuffix(SUFFIX)
    patch = text_of(info.get("submission"))
    times = [time for time in map(_time, messages) if time is not None]
    return ForeignAttempt(
        identity=str(path.relative_to(top)),  # a folder that was moved is the same import
        origin=path.name,
        task=task,
        agent=NAME,
        model=model,
        reason=f"exit status {status}" if status else "",
        fault="" if status in ("", SUBMITTED, *LIMITED) else f"exit status {status}",
        ended="finished" if status == SUBMITTED else "",
        # Without an exit status it has not ended; with one, an empty patch is an answer.
        patch=patch_bytes(patch) if status else None,
        instruction=next(
            (text_of(m.get("content")) for m in messages if m.get("role") == "user"), ""
        ),
        scores={"exit_status": status},
        usage={
            "calls": value_of_type(stats.get("api_calls"), int) or 0,
            "usd": value_of_type(stats.get("instance_cost"), float) or 0.0,
        },
        seconds=max(times) - min(times) if times else 0.0,
        finished=max(times) if times else None,
        agent_version=version,
        atif=atif_from(messages, agent=NAME, version=version, model=model, session=task),
    )


def _time(message: dict[str, Any]) -> float | None:
    time = value_of_type(object_of(message.get("extra")).get("timestamp"), float)
    return time if time is not None and 0 <= time < MAX_TIME_S else None


PLUGIN = ForeignReader(
    NAME, "Trajectories of mini-swe-agent (*.traj.json), one or a folder.", takes, read
)
