"""Real agents on the starter pack, to a scripted edit: each label, and seconds to the first call.

    .venv/bin/python scripts/bench/agents.py [AGENT ...] [--task TASK ...] [--solution fixed|gold]

One attempt at a time, by default of each installed agent on one task of each library. The script lets an
agent apply the solution: by its shell, or as edit blocks where it has none. Needs Docker; costs nothing.
Prints a line for each attempt, and how many had the label that is due; exit status 1 if any had not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from arena.cli.agents import programs, toolboxes  # noqa: E402
from arena.protocols import Matrix, Setup  # noqa: E402
from arena.tracks.opening import open_track  # noqa: E402
from harness.grade.ports import MemoryCache  # noqa: E402
from harness.protocols import Budget  # noqa: E402
from harness.sandbox.base import SandboxFault  # noqa: E402
from tasks.loader import load_pack  # noqa: E402
from tests.harness.agents.solving import solving  # noqa: E402

TASKS = (
    *("brook-include", "lexis-long-strings", "pixmill-tga-colour-map"),
    *("tarn-index-lookup", "wirepack-enum-labels"),
)
DUE = {"fixed": "C&S", "gold": "CV"}
SECONDS = 1800.0
"""Of an attempt, on a machine that may be busy."""


def attempt(agent: str, task: str, solution: str, folder: Path) -> tuple[str, str]:
    """The label, and what is told of the attempt."""
    script = folder / f"{agent}-{task}-{solution}.toml"
    script.write_text(solving(load_pack("starter").task(task).solution(solution)))
    began = time.monotonic()
    setup = Setup("repo", "starter", "docker", caps=Budget(seconds=SECONDS))
    track = open_track(setup, MemoryCache(), lambda _: None)
    try:
        (key,) = track.attempts(Matrix((agent,), (f"script:{script}",), tasks=(task,)))
        made = track.solve(key, lambda _: None)
        calls = json.loads(made.artefacts["ledger"])["calls"]
        solved = time.monotonic() - began
        verdict = track.grade(key, made, lambda _: None)
        first = f"first call after {calls[0]['began']:.1f} s" if calls else "no call"
        told = f"{made.ended}, {len(calls)} calls, {first}, {solved:.0f} s to the patch"
        return verdict.label or str(verdict.health), told
    except SandboxFault as fault:
        return "infra", f"{type(fault).__name__}: {' '.join(str(fault).split())[:200]}"
    finally:
        track.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--task", action="append")
    parser.add_argument("--solution", choices=DUE, default="fixed")
    given = parser.parse_args()
    boxes = toolboxes()
    installed = [name for name, one in programs().items() if one is not None and boxes.find(one)]
    pairs = [(agent, task) for agent in given.agents or installed for task in given.task or TASKS]
    right = 0
    with tempfile.TemporaryDirectory() as folder:
        for agent, task in pairs:
            label, told = attempt(agent, task, given.solution, Path(folder))
            right += label == DUE[given.solution]
            print(f"{agent:16} {task:24} {label:6} {told}", flush=True)
    print(f"{right} of {len(pairs)} are {DUE[given.solution]}")
    return 0 if right == len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
