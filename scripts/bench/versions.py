"""What grading costs here compared with a second checkout of the project (an older grader), by turns.

    .venv/bin/python scripts/bench/versions.py CHECKOUT [--task ID ...] [--runs N] [--sandbox docker]

CHECKOUT has its `.venv` (`git worktree add CHECKOUT COMMIT`, there `./scripts/setup`).
For each task the patch `fixed`, which goes through every step, is graded in a process of each checkout that
has prepared the task and graded it once; then rounds of a grading each follow, in turn. Printed are the
seconds of each, and the ratio of the medians.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
DEFAULT_TASKS = ("brook-include", "pixmill-tiled-pmz", "lexis-long-strings", "tarn-index-lookup")
GRADER = """
import sys, time
from harness.grade.grader import Grader
from harness.grade import ports
from parsers.registry import lookup
from tasks.loader import load_pack
CACHE = getattr(ports, "MemoryCache", None) or ports.MemoryKeeper  # as older commits have it
task = load_pack("starter").task(sys.argv[1])
grader = Grader(lookup("harness.sandbox.backends", sys.argv[2])(), CACHE())
grader.ready(task)
for _ in sys.stdin:
    began = time.monotonic()
    verdict = grader.grade(task, task.solution("fixed"))
    print(time.monotonic() - began, verdict.label, flush=True)
"""


class Grading:
    """A process of a checkout that grades on request."""

    def __init__(self, checkout: Path, task: str, sandbox: str) -> None:
        self._process = subprocess.Popen(
            [checkout / ".venv/bin/python", "-c", GRADER, task, sandbox],
            cwd=checkout,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run_once(self) -> float:
        """Seconds of a grading."""
        if self._process.stdin is None or self._process.stdout is None:
            raise SystemExit("no pipe")
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        seconds, _, label = self._process.stdout.readline().partition(" ")
        if label.strip() not in ("C&S", "CS"):
            raise SystemExit(f"the patch `fixed` grades {label.strip() or 'not at all'}")
        return float(seconds)

    def end(self) -> None:
        self._process.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--task", action="append")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sandbox", default="docker")
    args = parser.parse_args()
    ratios = []
    for task in args.task or DEFAULT_TASKS:
        both = [Grading(path, task, args.sandbox) for path in (args.checkout.resolve(), HERE)]
        for each in both:
            each.run_once()
        rounds = [[each.run_once() for each in both] for _ in range(args.runs)]
        for each in both:
            each.end()
        there, here = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratios.append(here / there)
        print(f"{task}: there {there:.2f} s, here {here:.2f} s, ratio {ratios[-1]:.2f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
