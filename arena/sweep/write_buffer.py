"""The driver's write buffer: keeps updates until the store has accepted them, however long it is busy."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from arena.store.faults import DISK_PATIENCE_S, as_disk_full, is_disk_full
from arena.store.model import AttemptUpdate
from arena.store.store import Store, StoreBusy

# Seconds without a store after which a sweep ends; its buffered attempts are then open again.
PATIENCE = 900.0
# Attempts per transaction.
MAX_ATTEMPTS = 500
# Seconds that the first result waits for others, to be written together.
GROUP = 0.1
# Raised by a store that is locked, down, or on a full disk: worth retrying.
AWAY = (StoreBusy, OSError)


def describe_away(away: BaseException) -> str:
    """What a store that takes nothing is waiting for; on a full disk also how long."""
    if is_disk_full(away):
        wait = f"waiting up to {DISK_PATIENCE_S:g} s for space, then this ends"
        return f"{as_disk_full(away)}: {wait}; free some, or Ctrl-C"
    return f"the store is busy: {away}"


# Seconds between tries while the store is busy.
LATER = 0.5


class WriteBuffer:
    """Results to store in batches. Not thread-safe. stuck: why nothing could be stored, and since when."""

    def __init__(self, store: Store, run: str, clock: Callable[[], float]) -> None:
        self._store, self._run, self._clock = store, run, clock
        self._written: list[AttemptUpdate] = []
        # Name and size of what the store has received, until it reports that this is written.
        self._batch: tuple[str, int] | None = None
        self._facts: dict[str, dict[str, Any]] = {}
        self._since: float | None = None
        self._next = 0.0
        self._first = 0.0
        self.stuck = ""

    def add(self, written: AttemptUpdate) -> None:
        self._first = self._first if self._written else self._clock()
        self._written.append(written)

    def put_fact(self, facts: Mapping[str, dict[str, Any]]) -> None:
        self._facts.update(facts)

    def __len__(self) -> int:
        return len(self._written)

    def flush(self, now: bool = False) -> list[AttemptUpdate]:
        """Write what has waited for long enough, or all `now`; returns what is durable since.

        Each batch is written whole or not at all. While the store is away nothing is, and it is tried again
        later. Raises an exception of AWAY when PATIENCE is over.
        """
        done: list[AttemptUpdate] = []
        is_due = now or len(self._written) >= MAX_ATTEMPTS or self._clock() - self._first >= GROUP
        if not is_due or self._clock() < self._next:
            return done
        try:
            if self._facts:
                self._store.put_facts(self._facts)
                self._facts.clear()
            while self._written:
                # The same batch goes again under its name: its commit may have come through though the
                # confirmation did not.
                name, size = self._batch = self._batch or self._next_batch()
                batch = self._written[:size]
                self._store.write(batch, self._run, name)
                del self._written[:size]
                self._batch = None
                done += batch
        except AWAY as away:
            self._wait(away)
        else:
            self._since, self._next, self.stuck = None, 0.0, ""
        return done

    def _next_batch(self) -> tuple[str, int]:
        return uuid.uuid4().hex, min(MAX_ATTEMPTS, len(self._written))

    def _wait(self, away: Exception) -> None:
        now = self._clock()
        self._since = now if self._since is None else self._since
        self._next = now + LATER
        self.stuck = describe_away(away)
        if now - self._since > (DISK_PATIENCE_S if is_disk_full(away) else PATIENCE):
            raise as_disk_full(away)
