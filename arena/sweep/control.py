"""When a drive ends, and why: a request, the time that is over, a broken machine, or nothing left to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from enum import StrEnum

from arena.store.faults import DISK_PATIENCE_S, as_disk_full, is_disk_full
from arena.store.lease import Lease
from arena.store.store import Store
from arena.sweep.budget import Bounds
from arena.sweep.watch import Watch
from arena.sweep.write_buffer import AWAY, describe_away

# Seconds between looks at the store for a request, and between reports of progress.
TICK = 0.25
# Seconds that jobs in progress have to finish when a sweep is stopped.
GRACE = 30.0
# Seconds without any node after which a sweep ends.
ALONE = 60.0


class Why(StrEnum):
    """Why a driver ended."""

    DONE = "done"
    STOPPED = "stopped"
    BUDGET = "budget"
    FAULTS = "faults"


@dataclass(frozen=True)
class Ending:
    """How a driver ended; the message is a line for people, "" if everything is done."""

    why: Why
    message: str = ""


@dataclass(frozen=True)
class DriveOptions:
    """The options of a drive.

    free: models whose calls cost no money. grace: seconds for jobs in flight when it is stopped.
    wanted: ids of the attempts to run; None for all open attempts of the run. begun: called when it is
    certain that no second driver has the run, before any attempt starts.
    """

    bounds: Bounds = field(default_factory=Bounds)
    free: frozenset[str] = frozenset()
    grace: float = GRACE
    clock: Callable[[], float] = time.monotonic
    wanted: Container[str] | None = None
    begun: Callable[[], None] = lambda: None


class RunControl:
    """Watches over a drive. Only the driver's thread uses it, but any thread may set `stop`."""

    def __init__(
        self,
        store: Store,
        run: str,
        lease: Lease,
        options: DriveOptions,
        watch: Watch,
        stop: threading.Event,
    ) -> None:
        self._store, self._run, self._lease, self._options = store, run, lease, options
        self._watch, self._stop = watch, stop
        self._before = store.run(run).spent_seconds
        self._began = self._ticked = self._accounted = self._seen = options.clock()
        self._give_up = float("inf")
        self.ending: Ending | None = None
        # Models that are not asked any more, and why.
        self.closed: dict[str, Ending] = {}
        self.trouble = ""
        self._full_since: float | None = None

    def look(self, broken: str, alone: bool) -> bool:
        """Look around; returns whether a tick has passed. `alone`: there is no node."""
        now = self._options.clock()
        self._seen = self._seen if alone else now
        cap = self._options.bounds.sweep.seconds
        if self._stop.is_set():
            self.end(Why.STOPPED, "stopped")
        elif broken:
            self.end(Why.FAULTS, broken)
        elif now - self._seen > ALONE:
            self.end(Why.FAULTS, f"no node for {ALONE:g} s")
        elif cap is not None and self._before + now - self._began >= cap:
            self.end(Why.BUDGET, f"the sweep's {cap:g} s are over")
        if now - self._ticked < TICK:
            return False
        self._ticked = now
        self.account()
        return True

    def account(self) -> None:
        """Store how long the driver has been at work, and read stop requests.

        Raises RunBusy when the store was away and another driver has taken the run, DiskFull as
        `wait_for_store`.
        """
        now = self._options.clock()
        try:
            # Before anything is written: another driver may have taken the run while the store was away.
            self._lease.renew()
            self._store.add_seconds(self._run, now - self._accounted)
            # After the store took it: seconds of a time when it was away are added the next time.
            self._accounted = now
            if self._store.read_wish(self._run) == "stop":
                self.end(Why.STOPPED, "stopped, as was asked")
            self.trouble, self._full_since = "", None
        except AWAY as away:
            self.wait_for_store(away)

    def wait_for_store(self, away: Exception) -> None:
        """Note why the store takes nothing. Raises DiskFull when its disk has been full for too long."""
        self.trouble = describe_away(away)
        if not is_disk_full(away):
            return
        now = self._options.clock()
        self._full_since = now if self._full_since is None else self._full_since
        if now - self._full_since > DISK_PATIENCE_S:
            raise as_disk_full(away)

    def end(self, why: Why, message: str) -> None:
        """Start nothing more."""
        # The first reason counts: what follows from it, such as lost nodes, would hide it.
        if self.ending is None:
            self.ending = Ending(why, message)
            self._watch.note(message)
            # Only a stop has a limit of time: when a budget ends, paid attempts in flight are brought to
            # their end.
            if why is Why.STOPPED:
                self._give_up = self._options.clock() + self._options.grace

    def close(self, model: str, why: Why, message: str) -> None:
        """Stop using a model; its attempts stay open."""
        self.closed[model] = Ending(why, message)
        self._watch.note(message)

    @property
    def given_up(self) -> bool:
        """Whether jobs in flight have had the time that they have when a sweep is stopped."""
        return self._options.clock() >= self._give_up

    def last(self) -> Ending:
        """How the drive ended, once nothing is left to do."""
        if self.ending is not None or not self.closed:
            return self.ending or Ending(Why.DONE)
        endings = list(self.closed.values())
        return Ending(endings[0].why, "; ".join(ending.message for ending in endings))
