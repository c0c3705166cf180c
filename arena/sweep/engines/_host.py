"""The host process on a node of a cluster, with the track open, and its access to the store.

Artefacts are written where all nodes see them; facts are read through an actor beside the driver, and those
learned go back with the outcomes, so that the driver stays the only writer of the store.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from functools import partial
from typing import Any

from arena.jobs import JobOutcome, Stage, StageJob
from arena.protocols import Setup, Track
from arena.store.artefacts import artefacts_at, shown_url
from arena.store.model import Spent
from arena.store.patient import PatientStore, patiently
from arena.store.store import home
from arena.sweep.worker import Worker
from arena.tracks.opening import open_track
from arena.version import installed
from harness.grade.version import GRADER_VERSION

# A try of a stage of an attempt (`Job.tried`), with a step that it came to or what its model cost.
News = tuple[tuple[str, Stage, int], str | Spent]
# Seconds from the first news until all are sent.
NEWS = 0.25
# Of its own that a node remembers; older ones are with the driver by then.
MAX_FACTS = 5_000


class NodeRefused(Exception):
    """A node cannot take part; the message is a single line."""


def version() -> str:
    """The versions that all nodes must share for their verdicts to compare."""
    return f"{installed()}, grader {GRADER_VERSION}"


class FactsOf:
    """An actor beside the driver that answers queries from the store."""

    def __init__(self, store: str) -> None:
        self._store = PatientStore(store)

    def fact(self, key: str) -> dict[str, Any] | None:
        return self._store.fact(key)


class NodeCache:
    """A ResultCache without a store: see the module."""

    def __init__(self, artefacts: str, facts: Any) -> None:
        self._artefacts, self._facts = artefacts_at(artefacts, home() / "copies"), facts
        self._lock = threading.Lock()
        self._known: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._learned: dict[str, dict[str, Any]] = {}

    def keep(self, data: bytes) -> str:
        return patiently(partial(self._artefacts.keep, data))

    def blob(self, digest: str) -> bytes:
        return patiently(partial(self._artefacts.blob, digest))

    def fact(self, key: str) -> dict[str, Any] | None:
        import ray

        with self._lock:
            known_fact = self._known.get(key)
        if known_fact is not None:
            return known_fact
        # Outside of the lock: an answer over the network must not hold up other threads.
        remote_fact: dict[str, Any] | None = ray.get(self._facts.fact.remote(key))
        return remote_fact

    def put_fact(self, key: str, fact: dict[str, Any]) -> None:
        with self._lock:
            self._known[key] = self._learned[key] = fact
            while len(self._known) > MAX_FACTS:
                self._known.popitem(last=False)

    def drain(self) -> dict[str, dict[str, Any]]:
        """The facts learned since the last call."""
        with self._lock:
            learned, self._learned = self._learned, {}
        return learned


class Host:
    """The Ray actor of a node: it runs the node's jobs and reports what they do."""

    def __init__(self, setup: Setup, artefacts: str, facts: Any) -> None:
        self._setup, self._place = setup, artefacts
        self._cache = NodeCache(artefacts, facts)
        self._track: Track | None = None
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()

    def open(self, probe: str, driver_version: str) -> frozenset[str]:
        """Open the track; returns the images at hand. Raises NodeRefused, and what the track raises."""
        if version() != driver_version:
            raise NodeRefused(f"it runs version {version()}, the driver {driver_version}")
        try:
            # A node that sees another folder than the driver would keep artefacts where nobody finds them.
            self._cache.blob(probe)
        except (KeyError, OSError) as error:
            raise NodeRefused(
                f"it does not see the artefacts at {shown_url(self._place)}; name a place that all nodes see "
                "in ARENA_ARTEFACTS"
            ) from error
        self._track = open_track(self._setup, self._cache)
        self._track.missing()  # raises for a node that lacks what sandboxes need
        self._worker = Worker(self._track, self._cache, self._cache.drain)
        return frozenset()

    def do(self, job: StageJob) -> JobOutcome:
        def report(news: str | Spent) -> None:
            self._news.put((job.tried, news))

        return self._worker.do(job, report, report)

    def news(self) -> list[News]:
        """Steps and charges of jobs since the last call, in order; waits until there are any."""
        pending = [self._news.get()]
        time.sleep(NEWS)  # others that come with it
        with suppress(queue.Empty):
            while True:
                pending.append(self._news.get_nowait())
        return pending

    def close(self) -> None:
        if self._track is not None:
            self._track.close()
