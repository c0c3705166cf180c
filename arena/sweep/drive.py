"""Drives a sweep: open attempts of a run -> nodes of an engine -> the store, within the budgets.

A single thread decides and writes. Only the store counts: a driver that is killed at any moment is
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
    Node,
    NodeJoined,
    NodeLost,
    Stage,
    StageJob,
    StepReported,
)
from arena.protocols import Engine, Setup
from arena.store.model import AttemptUpdate, OpenAttempt, Spent
from arena.store.store import Store, spent_of
from arena.sweep.budget import BudgetTracker
from arena.sweep.control import TICK, DriveOptions, Ending, RunControl, Why
from arena.sweep.faults import Faults
from arena.sweep.job_queue import JobQueue, NeedsOf
from arena.sweep.placement import LOOK, Placement
from arena.sweep.spend_tracker import SpendTracker
from arena.sweep.watch import Silent, Totals, Watch
from arena.sweep.worker import infra_verdict, with_audit
from arena.sweep.write_buffer import AWAY, WriteBuffer
from arena.tracks.passing import TRIES, pause
from harness.grade.decide import judge_spoilt_tries

# Concurrent attempts that use a model without a sandbox, if no limit is set for the model.
ASKING = 8
# Results waiting for a busy store, above which no attempt is started.
BACKLOG = 5_000


def drive(
    store: Store,
    run: str,
    setup: Setup,
    engine: Engine,
    capacity: Capacity,
    needs: NeedsOf,
    options: DriveOptions | None = None,
    watch: Watch | None = None,
    stop: threading.Event | None = None,
) -> Ending:
    """Finish the open attempts of `run`; returns why it ended. `stop` ends it from another thread.

    Raises RunBusy when another driver is at work on the run, EngineFault, what `open_track` raises, and
    StoreBusy when the store was away for longer than can be waited for.
    """
    options, watch = options or DriveOptions(), watch or Silent()
    with store.lease(run) as lease:
        # A stop that was asked of an earlier driver must not end this one.
        store.request(run, "")
        options.begun()
        nodes = engine.open(setup, store.url, capacity)
        # Unless the drive ends by itself, jobs in flight are not waited for.
        hurry = True
        try:
            control = RunControl(store, run, lease, options, watch, stop or threading.Event())
            driver = Driver(store, run, setup, engine, nodes, needs, control, options, watch)
            ending = driver.run()
            hurry = ending.why is Why.STOPPED
        finally:
            engine.close(hurry)
        return ending


class Driver:
    """The state and the steps of a drive; see `drive`."""

    def __init__(
        self,
        store: Store,
        run: str,
        setup: Setup,
        engine: Engine,
        nodes: Sequence[Node],
        needs: NeedsOf,
        control: RunControl,
        options: DriveOptions,
        watch: Watch,
    ) -> None:
        counts = store.counts(run)
        self._engine, self._control = engine, control
        self._clock, self._watch = options.clock, watch
        self._budget = BudgetTracker(options.bounds, setup.caps, counts.by_model, options.free)
        self._wanted = options.wanted
        self._totals = Totals.from_counts(counts)
        self._buffer = WriteBuffer(store, run, options.clock)
        self._placement = Placement(nodes)
        max_queued = 4 * sum(node.capacity.sandboxes for node in nodes)
        self._queue = JobQueue(
            lambda after, n: store.open_attempts(run, after, n), needs, max_queued
        )
        self._faults, self._spend = Faults(), SpendTracker()
        self._in_flight: set[tuple[str, Stage]] = set()
        self._ended: dict[str, StageJob] = {}
        watch.nodes(self._placement.nodes)

    def run(self) -> Ending:
        try:
            return self._run()
        # What has ended so far is paid for, and is kept before the fault is raised again.
        except Exception:
            self._keep()
            raise

    def _keep(self) -> None:
        """Store all outcomes and charges so far, even if the engine or the run is lost."""
        for attempt, spent in self._spend.collect_charges(self._clock(), at_once=True):
            self._buffer.add(AttemptUpdate(attempt, spent))
        with suppress(Exception):  # what ended the drive is reported, and may be the store
            self._buffer.flush(now=True)

    def _run(self) -> Ending:
        control = self._control
        while True:
            if control.look(self._faults.fault_reason, alone=not self._placement.nodes):
                self._tick()
            if control.ending is None and len(self._buffer) < BACKLOG:
                self._fill()
            self._flush()
            if self._is_over():
                break
            for event in self._engine.events(self._pause()):
                self._handle(event)
        control.account()
        self._tick()
        return control.last()

    # what begins

    def _fill(self) -> None:
        """Start all jobs for which there are capacity and money."""
        self._queue.due(self._clock())
        try:
            self._queue.read(self._left_out)
        except AWAY as away:
            self._control.wait_for_store(away)
        while self._begin_some():
            pass
        if not self._in_flight:
            self._refuse_too_large()

    def _begin_some(self) -> bool:
        """Start a single job of each queue, if it may; returns whether any was started."""
        begun = False
        for waiting in list(self._queue.queues()):
            if not self._may(waiting[0]):
                continue
            picked = self._placement.pick(list(islice(waiting, LOOK)))
            if picked is not None:
                index, node = picked
                job = waiting[index]
                del waiting[index]
                self._begin(job, node)
                begun = True
        return begun

    def _left_out(self, attempt: OpenAttempt) -> bool:
        """Whether an attempt is skipped for now, and stays open."""
        if self._wanted is not None and attempt.id not in self._wanted:
            return True
        return attempt.solution is None and attempt.key.model in self._control.closed

    def _may(self, job: StageJob) -> bool:
        """Whether the jobs of a queue may start now, as far as their model is concerned."""
        model = job.key.model
        # Grading calls no model: paid work is finished whatever the budget says.
        if job.stage is Stage.GRADE or not model:
            return True
        if model in self._control.closed:
            self._queue.drop(model)  # brought back by a fault since it was closed
            return False
        short = self._budget.short(model)
        if short and self._budget.idle:
            message = f"the budget does not allow one more attempt with {model} ({short})"
            self._close(model, Why.BUDGET, message)
        usual = None if job.needs.sandboxes else ASKING
        return not short and self._budget.may_connect(model, usual)

    def _close(self, model: str, why: Why, message: str) -> None:
        if model not in self._control.closed:
            self._control.close(model, why, message)
            self._queue.drop(model)

    def _begin(self, job: StageJob, node: str) -> None:
        poisoned = self._faults.reason_not_tried(job.key)
        if poisoned:
            self._placement.leave(job, node)
            self._add_ended(job, node, JobOutcome(verdict=infra_verdict(Fault(poisoned))), Spent())
            return
        if job.stage is Stage.SOLVE:
            self._budget.take(job.key.model)
        self._in_flight.add((job.attempt, job.stage))
        self._engine.submit(job, node)

    def _refuse_too_large(self) -> None:
        """End attempts that do not fit on an empty node either: they would wait for ever."""
        for waiting in self._queue.queues():
            while waiting and (why := self._placement.never(waiting[0].needs)):
                self._end(waiting.popleft(), "", JobOutcome(fault=Fault(why, again=False)), Spent())

    # what happens

    def _handle(self, event: Event) -> None:
        match event:
            case JobEnded(job, node, outcome):
                self._finish_job(job, node, outcome)
            case StepReported(job, step):
                self._watch.step(job, step)
            case Charged(job, spent):
                # A charge may come after the outcome, which holds all of it.
                if (job.attempt, job.stage) in self._in_flight:
                    self._spend.charge(job.attempt, spent)
            case NodeJoined(node=came):
                self._placement.join(came)
                self._watch.nodes(self._placement.nodes)
                self._watch.note(f"node {came.name} is there")
            case NodeLost(node=gone, reason=reason):
                self._placement.lose(gone)
                self._watch.nodes(self._placement.nodes)
                self._watch.note(f"node {gone} is lost: {reason}")

    def _finish_job(self, job: StageJob, node: str, outcome: JobOutcome) -> None:
        """Process the outcome of a job that came back from a node.

        It replaces all that was reported before. An outcome of a job that is not in flight is ignored.

        """
        if (job.attempt, job.stage) not in self._in_flight:
            return
        self._in_flight.remove((job.attempt, job.stage))
        self._placement.leave(job, node, outcome.images)
        self._watch.step(job, "")
        self._buffer.put_fact(outcome.facts)
        spent_now = _spent(job.stage, outcome)
        total, spent = self._spend.settle(job.attempt, spent_now)
        if job.stage is Stage.SOLVE:
            self._budget.give(job.key.model, total)
        fault = outcome.fault
        if fault is not None and fault.again and job.number < TRIES:
            self._buffer.add(AttemptUpdate(job.attempt, spent, node=node))
            spoilt = (*job.spoilt, fault.spoilt)
            # On another node if there is one: this one may be what is broken.
            again = replace(job, number=job.number + 1, avoid=job.avoid | {node}, spoilt=spoilt)
            self._queue.retry_later(again, self._clock() + pause(job.number))
        elif outcome.solution is not None:
            self._buffer.add(
                AttemptUpdate(
                    job.attempt,
                    spent,
                    solution=outcome.solution,
                    node=node,
                    provenance=outcome.provenance,
                )
            )
            self._queue.grade(replace(job, solution=outcome.solution))
        else:
            self._end(job, node, outcome, spent)

    def _end(self, job: StageJob, node: str, outcome: JobOutcome, spent: Spent) -> None:
        """End an attempt: with its verdict, or without a label after a fault."""
        fault = outcome.fault
        # A sandbox that is spoilt in every try is the patch's doing: it gets the label that is due, and no
        # fault.
        if fault is not None and (verdict := judge_spoilt_tries((*job.spoilt, fault.spoilt))):
            outcome = replace(outcome, verdict=with_audit(verdict, fault.audit))
            fault = None
        if fault is None:
            self._faults.good(job.key)
        else:
            outcome = replace(outcome, verdict=infra_verdict(fault))
            self._faults.bad(job.key, fault)
            if dead := self._faults.dead(job.key.model):
                self._close(job.key.model, Why.FAULTS, dead)
        self._add_ended(job, node, outcome, spent)

    def _add_ended(self, job: StageJob, node: str, outcome: JobOutcome, spent: Spent) -> None:
        """To be stored as ended."""
        self._ended[job.attempt] = job
        facts = (outcome.flags, outcome.new_cwes, outcome.provenance)
        self._buffer.add(AttemptUpdate(job.attempt, spent, None, outcome.verdict, node, *facts))

    def _flush(self) -> None:
        for attempt, spent in self._spend.collect_charges(self._clock(), self._control.given_up):
            self._buffer.add(AttemptUpdate(attempt, spent))
        for written in self._buffer.flush(now=not self._in_flight):
            self._totals.spent += written.spent
            if written.verdict is not None:
                self._totals.count(written.verdict.label)
                self._watch.report_end(self._ended.pop(written.attempt), written)

    def _tick(self) -> None:
        self._totals.in_flight = len(self._in_flight)
        self._totals.trouble = self._buffer.stuck or self._control.trouble
        self._watch.tick(self._totals)

    def _is_over(self) -> bool:
        """Whether no work is left, or the drive is abandoned."""
        # Also after a request to stop: results that were paid for are stored first.
        if len(self._buffer):
            return False
        if self._control.given_up:
            return True
        return not self._in_flight and (self._control.ending is not None or self._queue.empty)

    def _pause(self) -> float:
        """Seconds in which there is nothing to do but to wait for events."""
        next_due, now = self._queue.next_due(), self._clock()
        # A job that is due and has not begun waits for something else.
        if next_due is None or next_due <= now:
            return TICK
        return min(TICK, next_due - now)


def _spent(stage: Stage, outcome: JobOutcome) -> Spent:
    """The usage of a job: its model's cost, from the agent's solution or from the fault that came between."""
    usage = outcome.solution.usage if outcome.solution is not None else {}
    if outcome.fault is not None:
        usage = outcome.fault.usage
    return replace(spent_of(usage, outcome.seconds), tries=int(stage is Stage.SOLVE))
