"""What the scheduler costs: attempts that do nothing, driven from a store and into it.

    python scripts/bench/sweep.py [--attempts 10000] [--workers 2] [--store URL] [--rounds 3]
    python scripts/bench/sweep.py --resume 100000

Prints attempts a second, the largest memory of the process, and with --resume the seconds until the first
attempt of a half-done sweep begins in a new process.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from arena.jobs import Capacity, Needs, Stage
from arena.protocols import Matrix, Say, Setup, Track
from arena.store.model import Attempt, AttemptKey, AttemptUpdate, Spent, TaskFacts
from arena.store.store import Store
from arena.sweep.drive import drive
from arena.sweep.engines.local import LocalEngine
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Charge, Ended, Solution

TASKS, AGENTS = 105, 9
MARK = 0.0


class Nothing:
    """A track whose attempts take no time."""

    pack_name = "nothing"

    def attempts(self, matrix: Matrix) -> list[AttemptKey]:
        return []

    def describe(self, tasks: Sequence[str]) -> list[TaskFacts]:
        return []

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        return Needs()

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        global MARK
        MARK = MARK or time.monotonic()
        return Solution(b"", Ended.FINISHED, {"calls": 1, "usd": 0.01})

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        return Verdict(Label.NO, Health.OK, "nothing was done")

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]:
        return {}

    def missing(self) -> str:
        return ""

    def close(self) -> None: ...


def keys(count: int) -> list[AttemptKey]:
    """So many attempts over 105 tasks and 9 agents."""
    return [
        AttemptKey(
            f"task-{n % TASKS:04}",
            f"agent-{n // TASKS % AGENTS}",
            "",
            "neutral",
            n // (TASKS * AGENTS),
        )
        for n in range(count)
    ]


def megabytes() -> float:
    """The largest memory of this process; `ru_maxrss` would include that of its parent process."""
    peaks = re.findall(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(peaks[0]) / 1024


def driven(store: Store, run: str, workers: int) -> float:
    """Seconds that the drive took."""
    track, began = Nothing(), time.monotonic()
    setup = Setup("repo", "nothing")
    drive(
        store,
        run,
        setup,
        LocalEngine(cast(Track, track), store),
        Capacity(workers, workers),
        track.needs,
    )
    return time.monotonic() - began


def throughput(place: str, attempts: int, workers: int) -> dict[str, float]:
    store = Store(place)
    began = time.monotonic()
    run = store.open_run("nothing", keys(attempts), {})
    opened = time.monotonic() - began
    seconds = driven(store, run, workers)
    counts = store.counts(run)
    assert counts.labels == {"NO": attempts}, counts
    return {"a_second": attempts / seconds, "open_seconds": opened, "mib": megabytes()}


def resume(place: str, attempts: int, workers: int) -> dict[str, float]:
    """A sweep with every second attempt done, taken up by a separate process."""
    store = Store(place)
    run = store.open_run("nothing", keys(attempts), {})
    verdict = Verdict(Label.NO, Health.OK, "before")
    half = store.attempts(run)[::2]
    for start in range(0, len(half), 500):
        store.write(
            [AttemptUpdate(a.id, Spent(), verdict=verdict) for a in half[start : start + 500]]
        )
    began = time.time()
    done = subprocess.run(
        [
            sys.executable,
            __file__,
            "--taken-up",
            run,
            "--store",
            store.url,
            "--workers",
            str(workers),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    reply: dict[str, float] = json.loads(done.stdout)
    return {"first_after": reply["first"] - began, "mib": reply["mib"]}


def taken_up(place: str, run: str, workers: int) -> None:
    store = Store(place)
    driven(store, run, workers)
    now = time.time() - (time.monotonic() - MARK)
    print(json.dumps({"first": now, "mib": megabytes()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", default="")
    parser.add_argument("--resume", type=int, default=0)
    parser.add_argument("--taken-up", default="")
    options = parser.parse_args()
    if options.taken_up:
        taken_up(options.store, options.taken_up, options.workers)
        return
    rounds = []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
            place = options.store or str(Path(folder, "store"))
            if options.resume:
                rounds.append(resume(place, options.resume, options.workers))
            else:
                rounds.append(throughput(place, options.attempts, options.workers))
        print(
            json.dumps({"round": number, **{k: round(v, 2) for k, v in rounds[-1].items()}}),
            flush=True,
        )
    medians = {name: statistics.median(round_[name] for round_ in rounds) for name in rounds[0]}
    print(json.dumps({"median": {name: round(value, 2) for name, value in medians.items()}}))


if __name__ == "__main__":
    main()
