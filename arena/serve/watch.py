"""The progress of a store's runs, and their attempts, read again when something has changed."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.store.model import Row
from harness.grade.ports import digest_of

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.tables import RunRow

# Seconds for which a count of all attempts is good: many clients ask, one count answers them.
FRESH = 1.0
# Of its time, a server may count or read the store at most so much, while attempts keep ending.
SHARE = 0.1
# Seconds over which the rate of a run is measured.
WINDOW = 120.0


@dataclass(frozen=True)
class ServedProgress:
    """The progress of a run. done: attempts that have ended; state: as `Counts.state`.

    rate_per_minute: attempts that ended since the server started to look, in the last two minutes or less;
    None when it has looked only once.
    """

    run: str
    track: str
    pack: str
    state: str
    done: int
    total: int
    usd: float
    labels: dict[str, int]
    flagged: int
    rate_per_minute: float | None

    @property
    def version(self) -> str:
        """A digest that changes when an attempt is added, ends, or gets a new label or a flag."""
        counts = sorted(self.labels.items())
        return digest_of(self.run, f"{self.total} {self.done} {self.flagged} {counts}")[:16]


@dataclass(frozen=True)
class ServedState:
    """All runs, newest first."""

    runs: tuple[ServedProgress, ...]

    @property
    def version(self) -> str:
        return digest_of(*(run.version for run in self.runs))[:16]

    def to_json(self) -> dict[str, Any]:
        return {"runs": [vars(run) for run in self.runs]}


@dataclass(frozen=True)
class Snapshot:
    """All attempts of the store as they were at a version."""

    version: str
    rows: Sequence[Row]
    runs: Sequence[RunRow]


class StoreWatch:
    """Reads a store for any number of threads; only a single thread does slow work at a time."""

    def __init__(self, store: Store, fresh: float = FRESH) -> None:
        self._store, self._fresh = store, fresh
        self._counting, self._reading = threading.Lock(), threading.Lock()
        self._state = ServedState(())
        self._counted_until = 0.0
        self._seen: dict[str, deque[tuple[float, int]]] = {}
        # Run -> its version and rows: only runs that have changed are read again.
        self._kept: dict[str, tuple[str, list[Row]]] = {}
        self._snapshot: Snapshot | None = None
        self._read_until = 0.0

    def state(self) -> ServedState:
        """The state, no older than `fresh` seconds or ten times the duration of counting."""
        with self._counting:
            begun = time.monotonic()
            if begun >= self._counted_until:
                self._state = ServedState(tuple(self._progress(run) for run in self._store.runs()))
                ended = time.monotonic()
                self._counted_until = ended + max(self._fresh, (ended - begun) / SHARE)
            return self._state

    def version(self) -> str:
        """The version that `snapshot` would return now: a client with a different version can fetch it."""
        newest, read = self.state().version, self._snapshot
        # Until it may be read again the old snapshot is what a client gets: a newer version would have it
        # fetch that again and again.
        return read.version if read and time.monotonic() < self._read_until else newest

    def snapshot(self) -> Snapshot:
        """The attempts of now; of a moment ago while attempts end faster than all can be read."""
        state = self.state()
        # Whoever waits here finds what the first one has read.
        with self._reading:
            begun = time.monotonic()
            old = self._snapshot
            if old is not None and (old.version == state.version or begun < self._read_until):
                return old
            new_snapshot = self._read(state)
            ended = time.monotonic()
            self._read_until, self._snapshot = ended + (ended - begun) / SHARE, new_snapshot
            return new_snapshot

    def _read(self, state: ServedState) -> Snapshot:
        rows_by_run = {}
        for run in state.runs:
            version, rows = self._kept.get(run.run, ("", []))
            if version != run.version:
                rows = list(self._store.rows([run.run]))
            rows_by_run[run.run] = run.version, rows
        self._kept = rows_by_run
        every = [row for _, rows in rows_by_run.values() for row in rows]
        return Snapshot(state.version, every, self._store.runs())

    def _progress(self, run: RunRow) -> ServedProgress:
        counts = self._store.counts(run.id)
        done = sum(n for health, n in counts.healths.items() if health)
        return ServedProgress(
            run=run.id,
            track=run.track,
            pack=run.pack,
            state=counts.state(self._store.has_driver(run.id)),
            done=done,
            total=counts.attempts,
            usd=round(counts.spent.usd, 6),
            labels=dict(counts.labels),
            flagged=counts.flagged,
            rate_per_minute=self._rate(run.id, done),
        )

    def _rate(self, run: str, done: int) -> float | None:
        now = time.monotonic()
        samples = self._seen.setdefault(run, deque())
        samples.append((now, done))
        # The first stays until the second is too old as well, so that a rate covers the whole window.
        while len(samples) > 2 and now - samples[1][0] > WINDOW:
            samples.popleft()
        since, earlier = samples[0]
        return round((done - earlier) * 60 / (now - since), 1) if now > since else None
