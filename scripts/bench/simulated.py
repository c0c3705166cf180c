"""A cluster that is only computed: an `Engine` with a simulated clock, driven by the real driver.

A stage of an attempt is a row of steps, and a step is an amount of work at something that jobs share: bytes
of an image through the link of its node and the registry, CPU seconds of the cores of a node, seconds of
the container engine of a node (a single operation at a time), seconds of a model (which serves so many at
once, and is slower for more). Shared resources are shared evenly: n jobs at a resource with room for c go at
min(1, c / n) of their pace each (processor sharing; Kleinrock, Queueing Systems II, 1976, section 4.4).

What a job takes is drawn from the seed, the attempt, the stage and the number of the try: it is the same
wherever and whenever the job runs, so that two ways of placement are compared on the same work.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sharing import NEVER, Link, SharedRun

from arena.jobs import (
    Capacity,
    Event,
    Fault,
    JobEnded,
    JobOutcome,
    Node,
    NodeJoined,
    NodeLost,
    Stage,
    StageJob,
)
from arena.protocols import Setup
from arena.store.model import StoredSolution
from arena.sweep.control import TICK
from harness.grade.verdict import Health, Label, Verdict

# SHA-256 of what the agents of a simulation leave.
NO_BYTES = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@dataclass(frozen=True)
class Work:
    """What a stage takes where it is alone: seconds of a container engine, of its model, of a core; USD."""

    cpu: float
    engine: float = 0.0
    model: float = 0.0
    usd: float = 0.0


@dataclass(frozen=True)
class Image:
    """Bytes that are pulled, and CPU seconds until a node that has them can use them. name "": no image."""

    name: str
    bytes: float = 0.0
    prepare: float = 0.0


@dataclass(frozen=True)
class World:
    """The cluster, and the work that jobs are.

    link, registry: bytes a second. others: jobs that are not ours and always want a core of each node.
    width: cores that a job can use. served: attempts that each model serves at once. faulty: the part of
    tries that meet a fault of the machine. lost: mean seconds until a node is lost; back: until it is there
    again, without images.
    """

    nodes: int
    cores: float
    work: Callable[[StageJob, random.Random], Work]
    image: Callable[[StageJob], Image]
    link: float = 125e6
    registry: float = 1.25e9
    served: float = NEVER
    others: float = 0.0
    width: float = 1.0
    faulty: float = 0.0
    lost: float = NEVER
    back: float = 600.0
    seed: int = 0


@dataclass
class Tally:
    """What was used. busy: CPU seconds; pulled: bytes; held: bytes of images on the fullest node."""

    busy: float = 0.0
    pulled: float = 0.0
    pulls: int = 0
    held: float = 0.0
    lost: int = 0
    tries: Counter[str] = field(default_factory=Counter)


@dataclass(eq=False)
class _Flight:
    """A job on its way. steps: what is still to be done, the next step last; None: its image is there."""

    job: StageJob
    node: str
    began: float
    usd: float
    fails: bool
    steps: list[tuple[SharedRun[_Flight], float] | None]


class _Machine:
    """A node. coming: images that are pulled or prepared, each with the jobs that wait for it."""

    def __init__(self, world: World) -> None:
        self.cores, self.engine = (
            SharedRun[_Flight](1, world.cores, world.others, world.width),
            SharedRun[_Flight](1),
        )
        self.link = Link[_Flight](1, world.link)
        self.coming: dict[str, list[_Flight]] = {}
        self.images: set[str] = set()
        self.held = 0.0


class SimulatedEngine:
    """Fulfils `arena.protocols.Engine`; `clock` goes into the driver's `DriveOptions`.

    `events` that may wait for a whole tick goes straight to the next event, however late: the
    driver would only look around until then. So a retry may begin late by the time between two events.
    """

    def __init__(self, world: World) -> None:
        self._world, self.now, self.tally = world, 0.0, Tally()
        self._numbers = itertools.count()
        self._queue: list[tuple[float, int, SharedRun[_Flight] | Callable[[], None], int]] = []
        self._events: list[Event] = []
        self._machines: dict[str, _Machine] = {}
        self._flights: dict[tuple[str, str], _Flight] = {}
        self._models: dict[str, SharedRun[_Flight]] = {}
        self._chance = random.Random(f"{world.seed} nodes")

    def clock(self) -> float:
        return self.now

    # the Protocol

    def expect(self) -> None:
        """A simulated cluster is always to be had."""

    def open(self, setup: Setup, store: str, capacity: Capacity) -> Sequence[Node]:
        self._capacity = capacity
        return [self._start(f"node-{number:03}") for number in range(self._world.nodes)]

    def submit(self, job: StageJob, node: str) -> None:
        world, machine = self._world, self._machines[node]
        chance = random.Random(f"{world.seed} {job.key} {job.stage} {job.number}")
        work = world.work(job, chance)
        fails = chance.random() < world.faulty
        part = chance.random() if fails else 1.0
        model = self._models.setdefault(job.key.model, SharedRun[_Flight](world.served))
        steps = [(machine.cores, work.cpu), (model, work.model), (machine.engine, work.engine)]
        self.tally.tries[str(job.stage)] += 1
        self.tally.busy += part * work.cpu
        flight = _Flight(job, node, self.now, part * work.usd, fails, [])
        flight.steps += [(shared, part * amount) for shared, amount in steps if amount > 0]
        self._flights[node, job.attempt] = flight
        self._bring(flight, machine)

    def events(self, timeout: float) -> Sequence[Event]:
        until = NEVER if timeout >= TICK else self.now + timeout
        while not self._events and self._queue and self._queue[0][0] <= until:
            self._happen()
        if not self._events:
            self.now += timeout
        happened, self._events = self._events, []
        return happened

    def close(self, hurry: bool = False) -> None:
        self._queue.clear()

    # how jobs go on

    def _bring(self, flight: _Flight, machine: _Machine) -> None:
        """Begin when the image is at hand; wait for an image that is coming already."""
        image = self._world.image(flight.job)
        if image.name in machine.coming:
            machine.coming[image.name].append(flight)
            return
        if image.name and image.name not in machine.images:
            machine.coming[image.name] = []
            machine.held += image.bytes
            self.tally.pulls += 1
            self.tally.pulled += image.bytes
            self.tally.busy += image.prepare
            self.tally.held = max(self.tally.held, machine.held)
            flight.steps += [None, (machine.cores, image.prepare), (machine.link, image.bytes)]
        self._go_on(flight)

    def _go_on(self, flight: _Flight) -> None:
        """The next step of a job; its end where none is left."""
        if not flight.steps:
            self._end(flight, self._outcome(flight))
            return
        step = flight.steps.pop()
        if step is None:
            machine, name = self._machines[flight.node], self._world.image(flight.job).name
            machine.images.add(name)
            for waiting in (*machine.coming.pop(name), flight):
                self._go_on(waiting)
            return
        shared, amount = step
        shared.add(self.now, amount, next(self._numbers), flight)
        self._replan(shared)

    def _happen(self) -> None:
        """Process the earliest event of the queue; an event planned before a change counts for nothing."""
        when, _, what, version = heapq.heappop(self._queue)
        if isinstance(what, SharedRun):
            if what.version != version:
                return
            self.now = max(self.now, when)
            flight = what.take(self.now)
            self._replan(what)
            self._go_on(flight)
        else:
            self.now = max(self.now, when)
            what()

    def _replan(self, shared: SharedRun[_Flight]) -> None:
        """Who is next at what has changed. A pull more or less is felt by all: they share the registry."""
        if not isinstance(shared, Link):
            self._plan(shared)
            return
        links = [machine.link for machine in self._machines.values() if len(machine.link)]
        pulls = sum(map(len, links))
        for link in links:
            link.catch_up(self.now)
            link.max_pace = self._world.registry / pulls
            self._plan(link)

    def _plan(self, shared: SharedRun[_Flight]) -> None:
        if len(shared):
            self._schedule(shared.next(), shared, shared.version)

    def _schedule(
        self, when: float, what: SharedRun[_Flight] | Callable[[], None], version: int = 0
    ) -> None:
        heapq.heappush(self._queue, (when, next(self._numbers), what, version))

    def _end(self, flight: _Flight, outcome: JobOutcome) -> None:
        del self._flights[flight.node, flight.job.attempt]
        self._events.append(JobEnded(flight.job, flight.node, outcome))

    def _outcome(self, flight: _Flight) -> JobOutcome:
        seconds, usage = self.now - flight.began, {"usd": flight.usd}
        if flight.fails:
            return JobOutcome(fault=Fault("SandboxDied: drawn", usage=usage), seconds=seconds)
        images = frozenset(filter(None, [flight.job.needs.image]))
        if flight.job.stage is Stage.SOLVE:
            left = StoredSolution(NO_BYTES, "finished", usage)
            return JobOutcome(left, seconds=seconds, images=images)
        verdict = Verdict(Label.NO, Health.OK, "simulated")
        return JobOutcome(verdict=verdict, seconds=seconds, images=images)

    # how nodes come and go

    def _start(self, name: str) -> Node:
        self._machines[name] = _Machine(self._world)
        if self._world.lost < NEVER:
            life = self._chance.expovariate(1 / self._world.lost)
            self._schedule(self.now + life, lambda: self._lose(name))
        return Node(name, self._capacity)

    def _lose(self, name: str) -> None:
        machine = self._machines.pop(name)
        for shared in (machine.cores, machine.engine, machine.link, *self._models.values()):
            shared.forget(self.now, lambda flight: flight.node == name)
        for shared in (machine.link, *self._models.values()):
            self._replan(shared)
        self.tally.lost += 1
        self._events.append(NodeLost(name, "drawn"))
        for flight in [each for each in self._flights.values() if each.node == name]:
            usage = {"usd": flight.usd}
            self._end(flight, JobOutcome(fault=Fault(f"NodeLost: {name}", usage=usage)))
        self._schedule(
            self.now + self._world.back,
            lambda: self._events.append(NodeJoined(self._start(name))),
        )
