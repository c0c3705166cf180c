"""CPU and wall time of the test runner, for each run, the workers' and the driver's part with it.

    python scripts/bench/runner.py [--workers N] [--runs N] [--dataset FILE]

Without a dataset (SecMutBench's JSON) it runs a small built-in program; with a dataset, all stored mutants,
the secure and the insecure versions against the reference tests.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner

PROGRAM = "def add(a, b):\n    return a + b\n"
TESTS = (
    "def test_a():\n    assert add(1, 2) == 3\n\ndef test_b():\n    assert add(1, 2) == 4, 'sum'\n"
)
MILLI = 1e3


def jobs_of(dataset: Path) -> list[SuiteJob]:
    """Every program of the dataset and all its mutants, with its reference tests."""
    data: Any = json.loads(dataset.read_text())
    jobs = []
    for sample in data if isinstance(data, list) else data["samples"]:
        codes = [sample["secure_code"], sample["insecure_code"]]
        codes += [mutant["mutated_code"] for mutant in sample["mutants"]]
        jobs += [SuiteJob(code, sample["security_tests"]) for code in codes]
    return jobs


def spent() -> float:
    """CPU seconds of this process and of all below it, ended ones too."""
    total = 0.0
    me = psutil.Process()
    for process in (me, *me.children(recursive=True)):
        times = process.cpu_times()
        total += times.user + times.system
        if process.pid != me.pid:
            total += times.children_user + times.children_system
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU and wall time of the test runner")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--dataset", type=Path)
    options = parser.parse_args()
    jobs = (
        jobs_of(options.dataset) if options.dataset else [SuiteJob(PROGRAM, TESTS)] * options.runs
    )
    with TestRunner(options.workers) as runner, ThreadPoolExecutor(options.workers) as threads:
        started = time.monotonic()
        list(threads.map(runner.run, [SuiteJob(PROGRAM, TESTS)] * options.workers * 4))
        print(f"workers are warm after {time.monotonic() - started:.2f} s")
        before, started = spent(), time.monotonic()
        results = list(threads.map(runner.run, jobs))
        wall, cpu = time.monotonic() - started, spent() - before
    ended = Counter(result.stopped.value for result in results)
    own_cpu_s = sum(result.cpu for result in results)
    print(f"{len(jobs)} runs, {options.workers} workers: {dict(ended)}")
    print(f"wall {wall:.1f} s, {wall / len(jobs) * MILLI:.1f} ms a run")
    print(
        f"CPU  {cpu:.1f} s, {cpu / len(jobs) * MILLI:.1f} ms a run (the runs alone {own_cpu_s:.1f} s)"
    )


if __name__ == "__main__":
    main()
