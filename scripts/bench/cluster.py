"""What Ray costs: attempts that do nothing, through a Ray cluster and through threads of this process.

    python scripts/bench/cluster.py [--attempts 2000] [--workers 2] [--rounds 3] [--address auto]

Without an address a cluster of one node is started here for each round. Told are, for both engines, the
seconds from the first to the last attempt divided by their number, with so many workers and with one (then
nothing hides what a message takes), and Ray's overhead: the difference. The start of the cluster is told
apart.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from sweep import Nothing, keys

from arena.jobs import Capacity, Node, StageJob
from arena.protocols import Engine, Say, Setup, Track
from arena.store.model import AttemptUpdate
from arena.store.store import Store
from arena.sweep.drive import drive
from arena.sweep.engines.local import LocalEngine
from arena.sweep.engines.ray import RayEngine
from arena.sweep.watch import Silent
from harness.grade.ports import ResultCache

SETUP = Setup("cluster:open_track", "nothing")


def open_track(setup: Setup, cache: ResultCache, say: Say) -> Nothing:
    return Nothing()


class Stopwatch(Silent):
    """When the driver had its nodes, and when the last attempt was stored."""

    ready = last = 0.0

    def nodes(self, nodes: Sequence[Node]) -> None:
        self.ready = self.ready or time.monotonic()

    def ended(self, job: StageJob, written: AttemptUpdate) -> None:
        self.last = time.monotonic()


def run_sweep(engine: Engine, attempts: int, workers: int) -> dict[str, float]:
    """Milliseconds an attempt, and seconds until the driver had its nodes."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        store = Store(Path(folder, "store"))
        run = store.open_run("nothing", keys(attempts), {})
        watch, began, needs = Stopwatch(), time.monotonic(), Nothing().needs
        drive(store, run, SETUP, engine, Capacity(workers, workers), needs, watch=watch)
        counts = store.counts(run)
        if counts.labels != {"NO": attempts}:
            raise RuntimeError(f"not all attempts have their label: {counts}")
        return {
            "ms": 1000 * (watch.last - watch.ready) / attempts,
            "start_seconds": watch.ready - began,
        }


def compare_engines(attempts: int, workers: int, address: str) -> dict[str, float]:
    """One round: milliseconds an attempt with both engines, and what Ray adds."""
    local = run_sweep(LocalEngine(cast(Track, Nothing())), attempts, workers)
    ray = run_sweep(RayEngine(address), attempts, workers)
    return {
        "workers": workers,
        "local_ms": local["ms"],
        "ray_ms": ray["ms"],
        "overhead_ms": ray["ms"] - local["ms"],
        "start_seconds": ray["start_seconds"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--address", default="")
    asked = parser.parse_args()
    here = Path(__file__).parent  # hosts of a cluster that is started here import this module too
    os.environ["PYTHONPATH"] = os.pathsep.join([str(here), str(here.parents[1])])
    for workers in (asked.workers, 1):
        rounds = []
        for _ in range(asked.rounds):
            rounds.append(compare_engines(asked.attempts, workers, asked.address))
            told = {name: round(value, 2) for name, value in rounds[-1].items()}
            print(json.dumps(told | {"load": os.getloadavg()[0]}), flush=True)
        medians = {n: round(statistics.median(one[n] for one in rounds), 2) for n in rounds[0]}
        print(json.dumps({"median": medians}), flush=True)


if __name__ == "__main__":
    main()
