"""Threads of this process, as a single node: attempts usually wait for containers, models or processes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arena.jobs import (
    Capacity,
    Charged,
    Event,
    Fault,
    JobEnded,
    JobOutcome,
    Node,
    StageJob,
    StepReported,
)
from arena.protocols import Setup, Track
from arena.store.patient import PatientStore
from arena.store.store import Store
from arena.sweep.worker import Worker
from arena.tracks.opening import open_track

HERE = "local"
# Threads for jobs that need no sandbox, such as completion requests; created on demand.
ASKING = 256


class LocalEngine:
    """Uses a track that is already open (and leaves it open), or opens the track of the setup."""

    def __init__(self, track: Track | None = None, store: Store | None = None) -> None:
        self._track, self._store = track, store
        self._own: Track | None = None
        self._happened: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._pool: ThreadPoolExecutor | None = None
        self._given_up = threading.Event()

    def expect(self) -> None:
        """Threads are always to be had."""

    def open(self, setup: Setup, store: str, capacity: Capacity) -> Sequence[Node]:
        own_store = self._store or PatientStore(store)
        if self._track is None:
            self._own = self._track = open_track(setup, own_store)
        self._worker = Worker(self._track, own_store)
        workers = capacity.sandboxes + ASKING
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="attempt")
        return [Node(HERE, capacity)]

    def submit(self, job: StageJob, node: str) -> None:
        if self._pool is None:
            raise RuntimeError("submitted before open or after close")
        self._pool.submit(self._do, job)

    def _do(self, job: StageJob) -> None:
        try:
            outcome = self._worker.do(
                job,
                lambda step: self._happened.put(StepReported(job, step)),
                lambda spent: self._happened.put(Charged(job, spent)),
            )
        except BaseException as error:  # noqa: BLE001 - a thread that ends in silence is waited for for ever
            outcome = JobOutcome(fault=Fault(f"{type(error).__name__}: {error}", again=False))
        if not self._given_up.is_set():
            self._happened.put(JobEnded(job, HERE, outcome))

    def events(self, timeout: float) -> Sequence[Event]:
        happened: list[Event] = []
        try:
            happened.append(self._happened.get(timeout=timeout))
            while True:
                happened.append(self._happened.get_nowait())
        except queue.Empty:
            return happened

    def close(self, hurry: bool = False) -> None:
        if hurry:
            self._given_up.set()
        if self._pool is not None:
            # A stopped sweep does not wait for its threads: a call of a model may take minutes.
            self._pool.shutdown(wait=not hurry, cancel_futures=True)
            self._pool = None
        if self._own is not None:
            self._own.close()


PLUGIN = LocalEngine
