"""Hostile patches as answers to tasks of Harbor: each becomes a task whose solution is the patch.

    OUT/tasks/<task>__<name>/   the task's directory with a solution that applies the patch
    OUT/jobs/redteam/           what Harbor writes when its agent `oracle` has played these solutions

The tasks may be any whose directories are named like the patches' tasks; the patch is applied in the working
directory of the agent's container. Neither exit status is a measure: Harbor goes on with
the verifier where a solution failed (harbor 0.26.0), so a solution says at its end that the patch is in.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.exchange.atif import object_of, text_of
from arena.exchange.bounded import (
    PartUnreadable,
    files_below,
    folders_in,
    read_bytes,
    read_object,
)
from arena.exchange.columns import value_of_type

PROGRAM = "harbor"
TASKS, JOBS, JOB = "tasks", "jobs", "redteam"
PATCH = "hostile.patch"
APPLIED = "redteam: the patch is applied"
SOLVE = f"""\
#!/bin/sh
# A hostile patch in place of the reference answer.
set -eu
git -c safe.directory='*' apply --whitespace=nowarn "$(dirname "$0")/{PATCH}"
echo '{APPLIED}'
"""
ORACLE_LOG = "agent/oracle.txt"
MAX_LOG_BYTES = 16 << 20


def write_hostile_tasks(tasks: Path, patches: Mapping[str, tuple[str, bytes]], out: Path) -> int:
    """Write a task for each patch whose task is in `tasks`; returns how many have none.

    patches: by the name of the new task, the patch's task and its bytes. Links in a task stay links.
    Raises ValueError where there is no task for any, OSError.
    """
    present = {name: of for name, of in patches.items() if (tasks / of[0] / "task.toml").is_file()}
    if not present:
        raise ValueError(f"{tasks}: no directory of a task of Harbor for any of these patches")
    part = out / f".{TASKS}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, (task, patch) in present.items():
        # Links are not followed: they could lead anywhere.
        shutil.copytree(tasks / task, part / name, symlinks=True)
        solution = part / name / "solution"
        # `rmtree` refuses a link, and what it leads to is not ours to remove.
        if solution.is_symlink():
            solution.unlink()
        shutil.rmtree(solution, ignore_errors=True)
        solution.mkdir()
        (solution / PATCH).write_bytes(patch)
        (solution / "solve.sh").write_text(SOLVE, "utf-8")
        (solution / "solve.sh").chmod(0o755)
    part.rename(out / TASKS)  # an interrupted writing leaves nothing that looks whole
    return len(patches) - len(present)


def harbor_command(out: Path, options: list[str]) -> list[str]:
    """The command that plays the hostile tasks; started again, Harbor resumes the same job."""
    folders = ["-p", str(out / TASKS), "-o", str(out / JOBS), "--job-name", JOB]
    return [PROGRAM, "run", *folders, "-a", "oracle", "-y", *options]


def is_installed() -> bool:
    return shutil.which(PROGRAM) is not None


def run_harbor(command: list[str]) -> int:
    """Run it; returns its exit status. What it prints goes to stderr, ours to stdout."""
    return subprocess.run(command, check=False, stdout=sys.stderr).returncode


def read_rewards(out: Path) -> dict[str, float | None]:
    """The reward of each hostile task, by its name; None where none was measured.

    Not measured: no trial that ended, an exception in it, no reward, a patch that could not be applied.
    Raises PartUnreadable where the folder of tasks cannot be read.
    """
    rewards: dict[str, float | None] = {folder.name: None for folder in folders_in(out / TASKS)}
    for name, reward in _trials(out / JOBS / JOB):
        if name in rewards:
            rewards[name] = reward
    return rewards


def _trials(job: Path) -> Iterator[tuple[str, float]]:
    """(task's folder, reward) of the trials of a job that were measured."""
    if not job.is_dir():
        return
    for trial in folders_in(job):
        try:
            files = {str(file.relative_to(trial)): file for file in files_below(trial)}
            result = read_object(files["result.json"])
            log = read_bytes(files[ORACLE_LOG], MAX_LOG_BYTES)
        except (PartUnreadable, KeyError):
            continue  # half a trial was not measured
        reward = _reward(result)
        path = text_of(object_of(result.get("task_id")).get("path"))
        # At the end: the patch could print the line before, and `set -e` stops where it is not applied.
        if path and reward is not None and log.strip().endswith(APPLIED.encode()):
            yield Path(path).name, reward


def _reward(result: Mapping[str, Any]) -> float | None:
    """The reward of a trial without an exception: that of the usual name, or its only reward."""
    if result.get("exception_info"):
        return None
    rewards = object_of(object_of(result.get("verifier_result")).get("rewards"))
    if "reward" not in rewards and len(rewards) != 1:
        return None
    reward: float | None = value_of_type(rewards.get("reward", next(iter(rewards.values()))), float)
    return reward
