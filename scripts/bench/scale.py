"""What a sweep needs, by simulation: the real driver over nodes that are only computed (`simulated.py`).

    python scripts/bench/scale.py --tasks 105 --columns 9 --nodes 4 --sandboxes 8 --cores 8
    python scripts/bench/scale.py --tasks 5000 --columns 20 --nodes 32 --sandboxes 16 --cores 16 --served 200
    python scripts/bench/scale.py --calibration --nodes 1 --sandboxes 2 --cores 2 --image 0 --others 4

Durations are drawn from measurements (`costs.jsonl`, written by `throughput.py --costs`); CPU of grading
is times --heavier, for projects that are larger than those of the starter pack. What cannot be measured
here is assumed, and can be set: how long a model takes (lognormal: median --minutes, up to the cap of
30), what it costs (lognormal within 0.2 to 1.0 USD: SecureAgentBench, Figure 5), sizes of images (--image
gigabytes on average, from 0.4 to 1.6 times that), the network, faults and lost nodes. --calibration: the
agents of the measurement over its tasks, each with the cost that it had.

Prints a JSON object: hours of the sweep, CPU hours, pulled gigabytes, USD, and seconds of CPU of the
driver. --blind: the same without telling the driver where images are.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tempfile
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from sharing import NEVER
from simulated import Image, SimulatedEngine, Work, World

from arena.jobs import Capacity, Needs, Stage, StageJob
from arena.protocols import Setup
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.sweep.budget import OTHERS, Bounds
from arena.sweep.control import DriveOptions
from arena.sweep.drive import drive

SETUP = Setup("repo", "simulated")
CAP = 1800.0
# Seconds of the container engine: those of an agent (docs/benchmarks.md) and of the two of a grading.
SOLVING, GRADING = 2.5, 1.4
# CPU seconds of a real agent beside its model: mini-swe-agent with a scripted model, 7.1.
AGENT_CPU = 7.0
# CPU seconds to make an environment: docs/benchmarks.md, "The demo from a fresh clone".
ENVIRONMENT = 11.5


class Costs:
    """Measured CPU seconds, by what was done."""

    def __init__(self, file: Path) -> None:
        self.rows = [json.loads(line) for line in file.read_text().splitlines()]
        self.exact = {(row["task"], row["agent"], row["stage"]): row["cpu"] for row in self.rows}
        graded = defaultdict(list)
        for row in self.rows:
            if row["stage"] == Stage.GRADE and row["label"] not in ("NO", "CE"):
                graded[row["task"]].append(row["cpu"])
        self.graded = list(itertools.chain.from_iterable(graded.values()))

    def keys(self) -> list[AttemptKey]:
        """The attempts that were measured from their beginning to their end."""
        ended = (row for row in self.rows if row["stage"] == Stage.GRADE)
        return list(dict.fromkeys(AttemptKey(row["task"], row["agent"]) for row in ended))


class Scene:
    """The work of a sweep, as requested on the command line."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.costs = options, Costs(options.costs)
        self.image = cache(self._image)

    def keys(self) -> list[AttemptKey]:
        if self.options.calibration:
            return self.costs.keys()
        columns = range(self.options.columns)
        models = self.options.models
        return [
            AttemptKey(f"task-{t:05}", f"agent-{c // models}", f"model-{c % models}")
            for c in columns
            for t in range(self.options.tasks)
        ]

    def work(self, job: StageJob, chance: random.Random) -> Work:
        if self.options.calibration:
            cpu = self.costs.exact[job.key.task, job.key.agent, str(job.stage)]
            return Work(cpu, self.options.engine if cpu > 1 else 0.0)
        if job.stage is Stage.GRADE:
            return Work(chance.choice(self.costs.graded) * self.options.heavier, GRADING)
        minutes = chance.lognormvariate(0, 0.6) * self.options.minutes
        usd = min(1.0, max(0.2, chance.lognormvariate(-0.7, 0.5)))
        return Work(AGENT_CPU, SOLVING, min(CAP, 60 * minutes), usd)

    def _image(self, task: str) -> Image:
        size = random.Random(f"image {task}").uniform(0.4, 1.6) * self.options.image * 1e9
        prepare = ENVIRONMENT * self.options.heavier
        return Image(f"image of {task}", size, prepare) if size else Image("")

    def needs(self, key: AttemptKey, stage: Stage) -> Needs:
        image = "" if self.options.blind else self.image(key.task).name
        return Needs(image, 1, int(stage is Stage.GRADE))

    def world(self) -> World:
        options = self.options
        return World(
            nodes=options.nodes,
            cores=options.cores,
            others=options.others,
            width=options.width,
            work=self.work,
            image=lambda job: self.image(job.key.task),
            link=options.link * 125e6,
            registry=options.registry * 125e6,
            served=options.served or NEVER,
            faulty=options.faulty,
            lost=options.lost * 3600 if options.lost else NEVER,
            seed=options.seed,
        )


def simulate_sweep(scene: Scene) -> dict[str, Any]:
    """Simulate a sweep, from its first attempt to its last."""
    scene_options, keys = scene.options, scene.keys()
    engine = SimulatedEngine(scene.world())
    limits = {OTHERS: scene_options.served} if scene_options.served else {}
    options = DriveOptions(Bounds(connections=limits), clock=engine.clock)
    capacity = Capacity(scene_options.sandboxes, scene_options.builds or scene_options.sandboxes)
    with tempfile.TemporaryDirectory(prefix="arena-scale-", dir=scene_options.scratch) as folder:
        store = Store(Path(folder, "store"))
        run = store.open_run("simulated", keys, {})
        began = time.process_time()
        ending = drive(store, run, SETUP, engine, capacity, scene.needs, options)
        used = time.process_time() - began
        counts = store.counts(run)
    hours = engine.now / 3600
    cores = scene_options.nodes * scene_options.cores
    return {
        "ended": str(ending.why) + (f": {ending.message}" if ending.message else ""),
        "attempts": counts.attempts,
        "labelled": sum(counts.labels.values()),
        "hours": round(hours, 3),
        "cpu_hours": round(engine.tally.busy / 3600, 2),
        "cores_busy": round(engine.tally.busy / 3600 / (hours * cores), 3) if hours else 0.0,
        "pulls": engine.tally.pulls,
        "pulled_gb": round(engine.tally.pulled / 1e9, 1),
        "node_images_gb": round(engine.tally.held / 1e9, 1),
        "usd": round(counts.spent.usd, 2),
        "tries": dict(engine.tally.tries),
        "nodes_lost": engine.tally.lost,
        "driver_cpu_ms_an_attempt": round(1000 * used / counts.attempts, 2),
    }


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    numbers: dict[str, tuple[type, float]] = {
        "tasks": (int, 105), "columns": (int, 9), "models": (int, 3), "nodes": (int, 4),
        "sandboxes": (int, 8), "builds": (int, 0), "cores": (int, 8), "served": (int, 0),
        "heavier": (float, 1), "minutes": (float, 10), "image": (float, 2.5),
        "others": (float, 0), "width": (float, 1),
        "engine": (float, GRADING), "link": (float, 1), "registry": (float, 10),
        "faulty": (float, 0), "lost": (float, 0), "seed": (int, 0),
    }  # fmt: skip
    for name, (kind, default) in numbers.items():
        parser.add_argument(f"--{name}", type=kind, default=default)
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--calibration", action="store_true")
    parser.add_argument("--scratch", help="folder for the store, best in memory")
    parser.add_argument("--costs", type=Path, default=Path(__file__).with_name("costs.jsonl"))
    return parser


if __name__ == "__main__":
    print(json.dumps(simulate_sweep(Scene(options().parse_args()))))
