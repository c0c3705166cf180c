"""How long the suite takes: a second revision and this tree, by turns, on the same idle machine.

    .venv/bin/python scripts/bench/suite.py [--revision c8334fac] [--rounds 2] [--tier default]

The revision is checked out elsewhere (a git worktree, removed at the end) with a separate `.venv`. Both
begin with their environments ready and without the leftovers of an earlier run of their suite: a fresh cache
folder replaces the user's. Images of the container engine are shared. Each line has wall
seconds, processor seconds of the command and of the whole machine, and the closing line of pytest. Before
each run it waits until the load average is below --idle; after ten minutes it goes on and reports the load.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
PATIENCE_S = 600


@dataclass(frozen=True)
class SuiteTime:
    """A run of a suite: seconds, exit status, and pytest's closing line."""

    tree: str
    wall_s: float
    cpu_s: float
    machine_cpu_s: float
    load_before: float
    status: int
    summary: str


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--revision", default="c8334fac", help="what this tree is compared with")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tier", choices=("quick", "default"), default="default")
    parser.add_argument("--idle", type=float, default=0.6, help="load average to wait for")
    parser.add_argument("--only", choices=("old", "new"), help="time one of the two")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="suite-") as folder:
        old = Path(folder, "old")
        trees = {"old": old, "new": TREE}
        if options.only != "new":
            subprocess.run(
                ["git", "worktree", "add", "-q", "--detach", old, options.revision],
                cwd=TREE,
                check=True,
            )
        chosen = {name: tree for name, tree in trees.items() if options.only in (None, name)}
        try:
            for tree in chosen.values():
                subprocess.run(["./scripts/setup"], cwd=tree, check=True)
            times = [
                time_suite(
                    name, tree, options.tier, Path(folder, f"cache-{number}-{name}"), options.idle
                )
                for number in range(options.rounds)
                for name, tree in chosen.items()
            ]
        finally:
            if options.only != "new":
                subprocess.run(["git", "worktree", "remove", "--force", old], cwd=TREE, check=False)
    print_ratio(times)
    return any(run.status for run in times)


def time_suite(name: str, tree: Path, tier: str, cache: Path, idle: float) -> SuiteTime:
    """Run the suite of a tree once and print its times."""
    load = wait_for_idle(idle)
    arguments = [f"--{tier}"] if tier == "quick" else []
    used, ticks, began = cpu_of_children(), cpu_of_machine(), time.monotonic()
    done = subprocess.run(
        ["./scripts/test", *arguments, "-q"],
        cwd=tree,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    wall = time.monotonic() - began
    lines = done.stdout.decode(errors="replace").splitlines()
    summary = next((line for line in reversed(lines) if " passed" in line), "nothing passed")
    run = SuiteTime(
        name,
        round(wall, 1),
        round(cpu_of_children() - used, 1),
        round(cpu_of_machine() - ticks, 1),
        round(load, 2),
        done.returncode,
        summary.strip("= "),
    )
    if done.returncode:
        print("\n".join(lines[-40:]), file=sys.stderr)
    print(json.dumps(asdict(run)), flush=True)
    shutil.rmtree(cache, ignore_errors=True)
    return run


def wait_for_idle(idle: float) -> float:
    """Wait until the machine is idle; returns the load average."""
    end = time.monotonic() + PATIENCE_S
    while (load := os.getloadavg()[0]) > idle:
        if time.monotonic() > end:
            print(
                f"suite: the load is {load:.1f} after {PATIENCE_S} s; timing all the same",
                file=sys.stderr,
            )
            break
        time.sleep(5)
    return load


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cpu_of_machine() -> float:
    """Busy processor seconds since the machine was started, containers among them."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def print_ratio(times: list[SuiteTime]) -> None:
    walls = {name: [run.wall_s for run in times if run.tree == name] for name in ("old", "new")}
    if all(walls.values()):
        ratio = statistics.median(walls["new"]) / statistics.median(walls["old"])
        print(f"new / old: {ratio:.2f} of the wall time, medians of {len(walls['new'])}")


if __name__ == "__main__":
    sys.exit(main())
