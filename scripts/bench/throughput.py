"""Real attempts: the cost of each, and how many times faster two workers are than a single worker.

    python scripts/bench/throughput.py [--tasks 4] [--rounds 3] [--agents gold,fixed] [--workers 1,2]
                                        [--cpus 1]
    python scripts/bench/throughput.py --costs FILE [--agents noop,broken,stub,gold,fixed,careless]

Wants Docker and the images of the pack. Environments and gold's outcomes are built before anything is timed.
Each round begins with a copy of that store, in which nothing is graded. The first form takes the numbers of
workers in turn, and prints attempts a minute for each, the part of the machine's CPUs that was busy, the
ratio round by round, and the load. With `--cpus` a sandbox has no more than so many CPUs, whatever its task
allows: a second worker gains no more than what the first leaves idle.

The second form runs each attempt once, with a single worker, and writes a JSON line for each stage to FILE:
wall seconds, CPU seconds of this process with its children and of the containers, and, apart from
these, those of dockerd and containerd, whoever else uses them; then the quantiles of each stage.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.jobs import Capacity, Stage
from arena.protocols import Matrix, Say, Setup
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.sweep.drive import drive
from arena.sweep.engines.local import LocalEngine
from arena.tracks.repo.track import RepoTrack, open_track
from harness.command import Limits
from harness.grade.verdict import Verdict
from harness.protocols import Charge, Solution

SETUP = Setup("repo", "starter", sandbox="docker")
COUNTERS = {  # CPU time of a container, in this unit of a second
    "/sys/fs/cgroup/cpuacct/docker/{}/cpuacct.usage": 1e9,
    "/sys/fs/cgroup/docker/{}/cpu.stat": 1e6,
    "/sys/fs/cgroup/system.slice/docker-{}.scope/cpu.stat": 1e6,
}
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


class Containers:
    """CPU seconds of the containers of a backend, read before each is removed."""

    def __init__(self, backend: Any) -> None:
        self.seconds = 0.0
        self._create = backend.create
        backend.create = self._create_counted

    def _create_counted(self, *arguments: Any, **options: Any) -> Any:
        box = self._create(*arguments, **options)
        stop = box.stop

        def stop_counting() -> None:
            if box._container is not None:
                self.seconds += used_by(box._container.id)
            stop()

        box.stop = stop_counting
        return box


def used_by(container: str) -> float:
    """CPU seconds of a container so far. Raises OSError where the kernel does not report them."""
    for pattern, unit in COUNTERS.items():
        file = Path(pattern.format(container))
        if file.exists():
            words = file.read_text().split()
            return int(words[1] if words[0] == "usage_usec" else words[0]) / unit
    raise OSError(f"no CPU time of container {container}: none of {', '.join(COUNTERS)}")


def daemons() -> float:
    """CPU seconds of dockerd and containerd, with the children they have waited for."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
        if name in ("dockerd", "containerd"):
            ticks += sum(map(int, rest.split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def machine() -> tuple[float, float]:
    """Busy and all CPU seconds of this machine since it began, of all processes; those stolen are busy."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK")


def measure_own_cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def limit_cpus(backend: Any, cpus: float) -> None:
    """Limit every sandbox of a backend to so many CPUs."""
    create = backend.create

    def create_capped(image: str, limits: Limits, *arguments: Any) -> Any:
        return create(image, replace(limits, cpus=min(cpus, limits.cpus)), *arguments)

    backend.create = create_capped


class MeasuredRun:
    """The track, with the cost of each stage of each attempt recorded. For a single worker."""

    def __init__(self, track: RepoTrack, file: Path) -> None:
        self._track, self._file = track, file
        self._containers = Containers(track.grader.backend)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._track, name)

    @contextmanager
    def _note_costs(self, key: AttemptKey, stage: Stage) -> Iterator[dict[str, Any]]:
        row: dict[str, Any] = {"task": key.task, "agent": key.agent, "stage": str(stage)}
        wall, before = time.monotonic(), self._read()
        yield row
        row["wall"] = round(time.monotonic() - wall, 3)
        after = self._read()
        parts = ("driver", "containers", "daemons")
        row |= {part: round(b - a, 3) for part, a, b in zip(parts, before, after, strict=True)}
        row["cpu"] = round(row["driver"] + row["containers"], 3)
        with self._file.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def _read(self) -> tuple[float, float, float]:
        return measure_own_cpu(), self._containers.seconds, daemons()

    def solve(self, key: AttemptKey, say: Say, charge: Charge | None = None) -> Solution:
        with self._note_costs(key, Stage.SOLVE):
            return self._track.solve(key, say, charge)

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict:
        with self._note_costs(key, Stage.GRADE) as row:
            verdict = self._track.grade(key, solution, say)
            row["label"] = verdict.label
        return verdict


def warm(folder: Path, tasks: int) -> list[str]:
    """A store that has gold's outcomes of so many tasks; returns these tasks."""
    store = Store(folder)
    track = open_track(SETUP, store, lambda text: None)
    chosen = track.pack.tasks_of_kinds()[: tasks or None]
    for task in chosen:
        track.grader.ready(task)
    return [task.id for task in chosen]


def drive_matrix(
    folder: Path, matrix: Matrix, workers: int, cpus: float = 0, measured: Path | None = None
) -> float:
    """Drives all attempts of the matrix in a store; returns the seconds it took."""
    store = Store(folder)
    opened = open_track(SETUP, store, lambda text: None)
    if cpus:
        limit_cpus(opened.grader.backend, cpus)
    track: Any = MeasuredRun(opened, measured) if measured else opened
    run = store.open_run(opened.pack_name, opened.attempts(matrix), {})
    began = time.monotonic()
    engine = LocalEngine(track, store)
    drive(store, run, SETUP, engine, Capacity(workers, workers), opened.needs)
    seconds = time.monotonic() - began
    counts = store.counts(run)
    if sum(counts.labels.values()) != counts.attempts:
        why = Counter(
            attempt.reason for attempt in store.attempts(run) if attempt.health not in ("", "ok")
        )
        raise RuntimeError(f"attempts without a label: {counts}: {why.most_common(3)}")
    return seconds


def summary(file: Path) -> dict[str, Any]:
    """Quantiles of wall and CPU seconds of the stages, by what came of them."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    groups = defaultdict(list)
    for row in rows:
        groups[row["stage"], row.get("label", "")].append(row)
    return {
        " ".join(filter(None, name)): {
            "n": len(group),
            **{what: quantiles([row[what] for row in group]) for what in ("wall", "cpu")},
        }
        for name, group in sorted(groups.items())
    }


def quantiles(values: Sequence[float]) -> list[float]:
    ranked = sorted(values)
    return [ranked[round(q * (len(ranked) - 1))] for q in QUANTILES]


def turns(warmed: Path, matrix: Matrix, numbers: list[int], rounds: int, cpus: float) -> None:
    attempts = len(matrix.tasks) * len(matrix.agents)
    ratios = []
    for number in range(rounds):
        row: dict[str, Any] = {"round": number, "attempts": attempts}
        for workers in numbers:
            with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
                copy = shutil.copytree(warmed, Path(folder, "store"))
                before = machine()
                seconds = drive_matrix(copy, matrix, workers, cpus)
                busy, whole = (b - a for a, b in zip(before, machine(), strict=True))
            row[f"{workers}"] = {
                "a_minute": round(60 * attempts / seconds, 2),
                "seconds": round(seconds, 1),
                "busy": round(busy / whole, 2),
            }
        first, last = (row[f"{numbers[n]}"]["seconds"] for n in (0, -1))
        ratios.append(first / last)
        row |= {"ratio": round(ratios[-1], 2), "load": os.getloadavg()}
        print(json.dumps(row), flush=True)
    print(json.dumps({"median_ratio": round(statistics.median(ratios), 2)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--agents", default="gold,fixed")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--cpus", type=float, default=0, help="CPUs of a sandbox at most")
    parser.add_argument("--costs", type=Path)
    parser.add_argument("--warm", type=Path, help="where that store is kept for the next time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        warmed = options.warm or Path(folder, "warm")
        tasks = warm(warmed, options.tasks)
        matrix = Matrix(options.agents.split(","), tasks=tasks)
        if options.costs:
            copy = shutil.copytree(warmed, Path(folder, "store"))
            drive_matrix(copy, matrix, 1, options.cpus, options.costs)
            print(json.dumps(summary(options.costs), indent=1))
        else:
            numbers = [int(number) for number in options.workers.split(",")]
            turns(warmed, matrix, numbers, options.rounds, options.cpus)


if __name__ == "__main__":
    main()
