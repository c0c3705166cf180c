"""How long a repair and an input take to grade beside a patch of kind `write` of the same case.

    .venv/bin/python scripts/bench/kinds.py --sandbox local --runs 3 brook-include lexis-long-strings

Each is graded anew after a first time, which makes images and outcomes; medians in seconds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time

from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend
from parsers.registry import lookup
from tasks.loader import Task, load_pack

KINDS = {"": "fixed", "-repair": "gold", "-reproduce": "gold"}


def median(grader: Grader, task: Task, patch: bytes, runs: int) -> float:
    """Seconds of one grading; the first is not counted."""
    seconds = []
    for _ in range(runs + 1):
        began = time.monotonic()
        grader.grade(task, patch)
        seconds.append(time.monotonic() - began)
    return statistics.median(seconds[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("case", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("ARENA_HOME", home)
        backend: Backend = lookup("harness.sandbox.backends", options.sandbox)(print)
        grader, pack = Grader(backend, MemoryCache()), load_pack("starter")
        for case in options.case:
            found = {}
            for suffix, answer in KINDS.items():
                task = pack.task(f"{case}{suffix}")
                found[suffix] = median(grader, task, task.answer(answer), options.runs)
            write, repair, reproduce = found.values()
            told = f"write {write:.1f}, repair {repair:.1f} ({repair / write:.2f}), reproduce {reproduce:.1f}"
            print(f"{case}: {told}", flush=True)


if __name__ == "__main__":
    main()
