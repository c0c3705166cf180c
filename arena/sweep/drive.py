"""Drives a sweep: open attempts of a run -> nodes of an engine -> the store, within the budgets.

One thread decides and writes. Only the store counts: a driver that is killed at any moment is
followed by another, which finds the open attempts and continues.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from arena.jobs import (
    Capacity,
    Charged,
    Event,
    Fault,
    JobEnded,
    JobOutcome,
    Joined,
    Node,
    NodeLost,
    Said,
    Stage,
    StageJob,
)
from arena.protocols import Engine, Setup
from arena.store.model import OpenAttempt, Spent, Written
from arena.store.store import Store, spent_of
from arena.sweep.bounds import Purse
from arena.sweep.course import TICK, Course, Ending, Terms, Why
from arena.sweep.faults import Faults
from arena.sweep.feed import Feed, NeedsOf
from arena.sweep.meter import Meter
from arena.sweep.outbox import AWAY, Outbox
from arena.sweep.placement import LOOK, Placement
from arena.sweep.watch import Silent, Totals, Watch
from arena.sweep.worker import infra, with_audit
from arena.tracks.passing import TRIES, pause
from harness.grade.decide import doing

ASKING = 8
"""Concurrent attempts that use a model without a sandbox, if no limit is set for the model."""
BACKLOG = 5_000
"""Results waiting for a busy store, above which no attempt is started."""


def drive(
    store: Store,
    run: str,
    setup: Setup,
    engine: Engine,
    capacity: Capacity,
    needs: NeedsOf,
    terms: Terms | None = None,
    watch: Watch | None = None,
    stop: threading.Event | None = None,
) -> Ending:
    """Finish the open attempts of `run`; returns why it ended. `stop` ends it from another thread.

    Raises RunBusy when another driver is at work on the run, EngineFault, what `open_track` raises, and
    StoreBusy when the store was away for longer than can be waited for.
    """
    terms, watch = terms or Terms(), watch or Silent()
    with store.lease(run) as lease:
        store.wish(run, "")
        terms.begun()
        nodes = engine.open(setup, store.url, capacity)
        hurry = True
        try:
            course = Course(store, run, lease, terms, watch, stop or threading.Event())
            driver = Driver(store, run, setup, engine, nodes, needs, course, terms, watch)
            ending = driver.run()
            hurry = ending.why is Why.STOPPED
        finally:
            engine.close(hurry)
        return ending


class Driver:
    """One drive; see `drive`."""

    def __init__(
        self,
        store: Store,
        run: str,
        setup: Setup,
        engine: Engine,
        nodes: Sequence[Node],
        needs: NeedsOf,
        course: Course,
        terms: Terms,
        watch: Watch,
    ) -> None:
        counts = store.counts(run)
        self._engine, self._course = engine, course
        self._clock, self._watch = terms.clock, watch
        self._purse = Purse(terms.bounds, setup.caps, counts.by_model, terms.free)
        self._wanted = terms.wanted
        self._totals = Totals.of(counts)
        self._outbox = Outbox(store, run, terms.clock)
        self._placement = Placement(nodes)
        room = 4 * sum(node.capacity.sandboxes for node in nodes)
        self._feed = Feed(lambda after, n: store.open_attempts(run, after, n), needs, room)
        self._faults, self._meter = Faults(), Meter()
        self._flying: set[tuple[str, Stage]] = set()
        self._told: dict[str, StageJob] = {}
        watch.nodes(self._placement.nodes)

    def run(self) -> Ending:
        try:
            return self._run()
        except Exception:
            self._keep()
            raise

    def _keep(self) -> None:
        """Store all results and charges, even if the engine or the run is lost."""
        for attempt, spent in self._meter.due(self._clock(), at_once=True):
            self._outbox.add(Written(attempt, spent))
        with suppress(Exception):  # what ended the drive is told, and may be the store
            self._outbox.flush(now=True)

    def _run(self) -> Ending:
        course = self._course
        while True:
            if course.look(self._faults.broken, alone=not self._placement.nodes):
                self._tick()
            if course.ending is None and len(self._outbox) < BACKLOG:
                self._fill()
            self._flush()
            if self._over():
                break
            for event in self._engine.events(self._pause()):
                self._handle(event)
        course.account()
        self._tick()
        return course.last()

    # what begins

    def _fill(self) -> None:
        """Start every job for which there is capacity and budget."""
        self._feed.due(self._clock())
        try:
            self._feed.read(self._left_out)
        except AWAY as away:
            self._course.trouble = str(away)
        while self._begin_some():
            pass
        if not self._flying:
            self._refuse_too_large()

    def _begin_some(self) -> bool:
        """Start at most one job of each queue; returns whether any was started."""
        begun = False
        for waiting in list(self._feed.queues()):
            if not self._may(waiting[0]):
                continue
            found = self._placement.pick(list(islice(waiting, LOOK)))
            if found is not None:
                index, node = found
                job = waiting[index]
                del waiting[index]
                self._begin(job, node)
                begun = True
        return begun

    def _left_out(self, attempt: OpenAttempt) -> bool:
        """Whether an attempt is skipped for now, and stays open."""
        if self._wanted is not None and attempt.id not in self._wanted:
            return True
        return attempt.left is None and attempt.key.model in self._course.closed

    def _may(self, job: StageJob) -> bool:
        """Whether the jobs of a queue may start now, as far as their model is concerned."""
        model = job.key.model
        if job.stage is Stage.GRADE or not model:
            return True
        if model in self._course.closed:
            self._feed.drop(model)  # brought back by a fault since it was closed
            return False
        short = self._purse.short(model)
        if short and self._purse.idle:
            message = f"the budget does not allow one more attempt with {model} ({short})"
            self._close(model, Why.BUDGET, message)
        usual = None if job.needs.sandboxes else ASKING
        return not short and self._purse.connected(model, usual)

    def _close(self, model: str, why: Why, message: str) -> None:
        if model not in self._course.closed:
            self._course.close(model, why, message)
            self._feed.drop(model)

    def _begin(self, job: StageJob, node: str) -> None:
        poisoned = self._faults.poisoned(job.key.task)
        if poisoned:
            self._placement.leave(job, node)
            self._tell(job, node, JobOutcome(verdict=infra(Fault(poisoned))), Spent())
            return
        if job.stage is Stage.SOLVE:
            self._purse.take(job.key.model)
        self._flying.add((job.attempt, job.stage))
        self._engine.submit(job, node)

    def _refuse_too_large(self) -> None:
        """End attempts that are too large even for an empty node: they would wait forever."""
        for waiting in self._feed.queues():
            while waiting and (why := self._placement.never(waiting[0].needs)):
                self._end(waiting.popleft(), "", JobOutcome(fault=Fault(why, again=False)), Spent())

    # what happens

    def _handle(self, event: Event) -> None:
        match event:
            case JobEnded(job, node, outcome):
                self._came(job, node, outcome)
            case Said(job, step):
                self._watch.said(job, step)
            case Charged(job, spent):
                if (job.attempt, job.stage) in self._flying:
                    self._meter.hear(job.attempt, spent)
            case Joined(node=came):
                self._placement.join(came)
                self._watch.nodes(self._placement.nodes)
                self._watch.note(f"node {came.name} is there")
            case NodeLost(node=gone, reason=reason):
                self._placement.lose(gone)
                self._watch.nodes(self._placement.nodes)
                self._watch.note(f"node {gone} is lost: {reason}")

    def _came(self, job: StageJob, node: str, outcome: JobOutcome) -> None:
        """A job came back from a node. Its result replaces all earlier reports."""
        if (job.attempt, job.stage) not in self._flying:
            return
        self._flying.remove((job.attempt, job.stage))
        self._placement.leave(job, node, outcome.images)
        self._watch.said(job, "")
        self._outbox.learn(outcome.facts)
        told = _spent(job.stage, outcome)
        whole, spent = self._meter.settle(job.attempt, told)
        if job.stage is Stage.SOLVE:
            self._purse.give(job.key.model, whole)
        fault = outcome.fault
        if fault is not None and fault.again and job.number < TRIES:
            self._outbox.add(Written(job.attempt, spent, node=node))
            spoilt = (*job.spoilt, fault.spoilt)
            again = replace(job, number=job.number + 1, avoid=job.avoid | {node}, spoilt=spoilt)
            self._feed.again(again, self._clock() + pause(job.number))
        elif outcome.left is not None:
            self._outbox.add(Written(job.attempt, spent, left=outcome.left, node=node))
            self._feed.grade(replace(job, left=outcome.left))
        else:
            self._end(job, node, outcome, spent)

    def _end(self, job: StageJob, node: str, outcome: JobOutcome, spent: Spent) -> None:
        """End an attempt: with its verdict, or without a label after a fault."""
        fault = outcome.fault
        if fault is not None and (due := doing((*job.spoilt, fault.spoilt))):
            outcome = replace(outcome, verdict=with_audit(due, fault.audit))
            fault = None
        if fault is None:
            self._faults.good(job.key)
        else:
            outcome = replace(outcome, verdict=infra(fault))
            self._faults.bad(job.key, fault)
            if dead := self._faults.dead(job.key.model):
                self._close(job.key.model, Why.FAULTS, dead)
        self._tell(job, node, outcome, spent)

    def _tell(self, job: StageJob, node: str, outcome: JobOutcome, spent: Spent) -> None:
        """Queue an ended attempt for the store."""
        self._told[job.attempt] = job
        flags, found = outcome.flags, outcome.found
        self._outbox.add(Written(job.attempt, spent, None, outcome.verdict, node, flags, found))

    def _flush(self) -> None:
        for attempt, spent in self._meter.due(self._clock(), self._course.given_up):
            self._outbox.add(Written(attempt, spent))
        for written in self._outbox.flush(now=not self._flying):
            self._totals.spent += written.spent
            if written.verdict is not None:
                self._totals.count(written.verdict.label)
                self._watch.ended(self._told.pop(written.attempt), written)

    def _tick(self) -> None:
        self._totals.flying = len(self._flying)
        self._totals.trouble = self._outbox.stuck or self._course.trouble
        self._watch.tick(self._totals)

    def _over(self) -> bool:
        """Whether nothing is left to do, or everything is to be abandoned."""
        if len(self._outbox):
            return False
        if self._course.given_up:
            return True
        return not self._flying and (self._course.ending is not None or self._feed.empty)

    def _pause(self) -> float:
        """Seconds to wait for events."""
        due, now = self._feed.next_due(), self._clock()
        if due is None or due <= now:  # what is due and not begun waits for something else
            return TICK
        return min(TICK, due - now)


def _spent(stage: Stage, outcome: JobOutcome) -> Spent:
    """The usage of one job: its model's cost, from the stored solution or from the fault."""
    usage = outcome.left.usage if outcome.left is not None else {}
    if outcome.fault is not None:
        usage = outcome.fault.usage
    return replace(spent_of(usage, outcome.seconds), tries=int(stage is Stage.SOLVE))
