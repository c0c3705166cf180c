"""The simulated cluster of the benchmarks, driven by the real driver: times that can be computed by hand."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.jobs import Capacity, Needs, Stage, StageJob
from arena.protocols import Setup
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.sweep.budget import Bounds
from arena.sweep.control import DriveOptions, Ending, Why
from arena.sweep.drive import drive

BENCH = str(Path(__file__).resolve().parents[3] / "scripts" / "bench")
CPU, MODEL = 10.0, 60.0


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, which lies with the benchmarks and is no part of a package."""
    monkeypatch.syspath_prepend(BENCH)
    import simulated

    yield simulated
    for name in ("simulated", "sharing"):
        sys.modules.pop(name, None)


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCH)
    import sharing

    yield sharing
    sys.modules.pop("sharing", None)


class Sweep:
    """Ten tasks and two agents over the nodes of a world; sandboxes: of each node."""

    def __init__(self, store: Store, module: Any, sandboxes: int = 2, **world: Any) -> None:
        self._store, self._module = store, module
        self._capacity = Capacity(sandboxes, sandboxes)
        given = {"nodes": 1, "cores": 2, "work": self._work, "image": self._no_image}
        self.engine = module.SimulatedEngine(module.World(**given | world))

    def _work(self, job: StageJob, chance: random.Random) -> Any:
        grading = self._module.Work(CPU)
        return self._module.Work(0, model=MODEL, usd=0.5) if job.stage is Stage.SOLVE else grading

    def _no_image(self, job: StageJob) -> Any:
        return self._module.Image("")

    def run(self, model: str = "", bounds: Bounds | None = None, image: bool = False) -> Ending:
        keys = [AttemptKey(f"t{t}", agent, model) for agent in ("a", "b") for t in range(10)]
        self.id = self._store.open_run("pack", keys, {})
        options = DriveOptions(bounds or Bounds(), clock=self.engine.clock)

        def needs(key: AttemptKey, stage: Stage) -> Needs:
            return Needs(f"image of {key.task}" if image else "")

        setup = Setup("repo", "pack")
        return drive(self._store, self.id, setup, self.engine, self._capacity, needs, options)

    @property
    def labelled(self) -> int:
        return sum(self._store.counts(self.id).labels.values())


Make = Callable[..., Sweep]


@pytest.fixture
def make(tmp_path: Path, simulated: Any) -> Make:
    def made(sandboxes: int = 2, **world: Any) -> Sweep:
        return Sweep(Store(tmp_path / "store"), simulated, sandboxes, **world)

    return made


@pytest.mark.slow
@pytest.mark.parametrize(("sandboxes", "hours"), [(1, 20 * 70), (2, 10 * 70), (20, 60 + 100)])
def test_workers_share_cores_and_not_models(make: Make, sandboxes: int, hours: float) -> None:
    """One or two at a time never wait for two cores; twenty wait for each other in grading only."""
    sweep = make(sandboxes)
    assert sweep.run().why is Why.DONE
    assert sweep.labelled == 20
    assert sweep.engine.now == pytest.approx(hours)
    assert sweep.engine.tally.busy == pytest.approx(20 * CPU)


@pytest.mark.slow
def test_others_on_the_machine_take_their_part(make: Make) -> None:
    sweep = make(2, others=2)
    sweep.run()
    assert sweep.engine.now == pytest.approx(10 * (MODEL + 2 * CPU))


@pytest.mark.slow
def test_a_model_that_serves_few_is_slow_for_many(make: Make) -> None:
    sweep = make(20, served=5)
    sweep.run("m")
    assert sweep.engine.now == pytest.approx(MODEL * 20 / 5 + 10 * CPU)


@pytest.mark.slow
def test_connections_of_a_model_bound_a_sweep(make: Make) -> None:
    sweep = make(20, served=5)
    sweep.run("m", Bounds(connections={"m": 5}))
    assert sweep.engine.now == pytest.approx(MODEL * 20 / 5 + 2.5 * CPU)


def images(module: Any, size: float) -> dict[str, Any]:
    return {"image": lambda job: module.Image(f"image of {job.key.task}", size)}


@pytest.mark.slow
def test_an_image_is_pulled_once_for_all_that_wait_for_it(make: Make, simulated: Any) -> None:
    """Ten images through one link, evenly: 10 x 5 s, whoever else waits."""
    sweep = make(20, **images(simulated, 500.0), link=100.0, registry=1e9)
    sweep.run(image=True)
    assert sweep.engine.tally.pulls == 10
    assert sweep.engine.tally.pulled == 10 * 500.0 == sweep.engine.tally.held
    assert sweep.engine.now == pytest.approx(50 + MODEL + 10 * CPU)


@pytest.mark.slow
def test_nodes_share_the_registry(make: Make, simulated: Any) -> None:
    sweep = make(5, nodes=4, **images(simulated, 500.0), link=100.0, registry=100.0)
    sweep.run(image=True)
    pulls = sweep.engine.tally.pulls
    assert pulls >= 10
    assert sweep.engine.now >= pulls * 500.0 / 100.0


@pytest.mark.slow
def test_placement_that_knows_the_images_pulls_less(make: Make, simulated: Any) -> None:
    """The same world twice: an image that the driver does not know of is pulled to more nodes."""
    pulls = {}
    for knows in (True, False):
        sweep = make(2, nodes=4, **images(simulated, 500.0), link=100.0)
        sweep.run(image=knows)
        assert sweep.labelled == 20
        pulls[knows] = sweep.engine.tally.pulls
    assert pulls[True] < pulls[False]


@pytest.mark.slow
def test_faults_and_lost_nodes_cost_time_and_no_attempt(make: Make) -> None:
    sweep = make(2, nodes=4, faulty=0.05, lost=300.0, back=60.0, seed=5)
    assert sweep.run().why is Why.DONE
    assert sweep.labelled == 20
    tally = sweep.engine.tally
    assert tally.lost > 0 and tally.tries["solve"] > 20


@pytest.mark.slow
def test_the_same_seed_gives_the_same_sweep(make: Make) -> None:
    def drawn(seed: int) -> tuple[float, float]:
        sweep = make(2, nodes=2, faulty=0.3, seed=seed)
        sweep.run()
        return sweep.engine.now, sweep.engine.tally.busy

    assert drawn(1) == drawn(1) != drawn(2)


def test_shared_evenly(sharing: Any) -> None:
    """Room for one: 10 and 4 begun at 0 are served at 8 and 14; one at full pace from 8 on."""
    shared = sharing.SharedRun(1)
    shared.add(0.0, 10.0, 1, "long")
    shared.add(0.0, 4.0, 2, "short")
    assert (shared.next(), shared.take(8.0)) == (8.0, "short")
    assert (shared.next(), shared.take(14.0)) == (14.0, "long")
    assert shared.next() == sharing.NEVER
