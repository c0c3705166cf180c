#!/usr/bin/env python3
"""CPU time of `arena szz` against its floor: one diff and one multi-range blame for each file.

    scripts/bench/tracing.py REPOSITORY @FIXES [--rounds 3] [--paths all]

The floor is computed here on its own, with git's porcelain and another way of reading a patch, so that
the candidates are compared as well. CPU time is that of the process and of its children, user and
system; `with graph` writes the commit-graph anew each time, and its cost is in the figure.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def git(repository: str, *args: str) -> str:
    done = subprocess.run(["git", "-C", repository, *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def removed_lines(patch: str) -> dict[str, list[str]]:
    """Old file name -> `-L` arguments for the runs of deleted lines, read line by line."""
    wanted: dict[str, list[int]] = {}
    path, line, left = "", 0, 0
    for text in patch.split("\n"):
        if left <= 0 and text.startswith("--- "):
            path = text[4:].rstrip("\t").removeprefix("a/")
        match = HUNK.match(text)
        if left <= 0 and match:
            line, left = int(match[1]), int(match[2] or 1) + int(match[3] or 1)
            continue
        if left > 0:
            if text.startswith("-"):
                wanted.setdefault(path, []).append(line)
            line += text[:1] in ("-", " ")
            left -= {"-": 1, "+": 1, " ": 2}.get(text[:1], 0)
    return {name: _ranges(lines) for name, lines in wanted.items()}


def _ranges(lines: list[int]) -> list[str]:
    starts = [n for n in lines if n - 1 not in set(lines)]
    ends = [n for n in lines if n + 1 not in set(lines)]
    return [f"-L{first},{last}" for first, last in zip(starts, ends, strict=True)]


def floor(repository: str, fixes: list[str]) -> dict[str, set[str]]:
    """Plain B-SZZ by hand: candidates of each fix."""
    found: dict[str, set[str]] = {}
    for fix in fixes:
        patch = git(repository, "-c", "core.quotePath=false", "diff", f"{fix}^1", fix)
        commits: set[str] = set()
        for path, ranges in removed_lines(patch).items():
            said = git(repository, "blame", "--porcelain", *ranges, f"{fix}^1", "--", path)
            commits |= set(re.findall(r"^([0-9a-f]{40}) \d+ \d+ \d+$", said, re.MULTILINE))
        found[fix] = commits
    return found


def ours(repository: str, fixes: str, *options: str) -> dict[str, set[str]]:
    """The same by the command, in a process of its own."""
    arena = str(Path(sys.executable).with_name("arena"))
    line = [arena, "szz", repository, fixes, "--json", "--paths", "all", *options]
    done = subprocess.run(line, capture_output=True, check=False)
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    return {row["fix"]: set(row["candidates"]) for row in rows}


def measure_work(
    work: Callable[[], dict[str, set[str]]],
) -> tuple[float, float, dict[str, set[str]]]:
    start, wall = cpu(), time.monotonic()
    found = work()
    return cpu() - start, time.monotonic() - wall, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repository")
    parser.add_argument("fixes", help="@FILE with full commit ids, one a line")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    fixes = Path(given.fixes.removeprefix("@")).read_text("utf-8").split()
    work = {
        "floor": lambda: floor(given.repository, fixes),
        "ours": lambda: ours(given.repository, given.fixes, "--no-index"),
        "with graph": lambda: ours(given.repository, given.fixes, "--index"),
    }
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    for _ in range(given.rounds):
        results = {}
        for name, one in work.items():
            seconds, wall, results[name] = measure_work(one)
            spent[name].append((seconds, wall))
        wrong = [fix for fix in fixes if results["floor"][fix] != results["ours"].get(fix)]
        if wrong or results["ours"] != results["with graph"]:
            print(f"candidates differ for {len(wrong)} fix(es): {wrong[:3]}", file=sys.stderr)
    least = statistics.median(seconds for seconds, _ in spent["floor"])
    print(f"{len(fixes)} fixes, {given.rounds} round(s), {os.cpu_count()} CPUs")
    for name, times in spent.items():
        seconds, wall = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:12} CPU {seconds:7.2f} s  wall {wall:7.2f} s  {seconds / least:5.2f} x floor")


if __name__ == "__main__":
    main()
