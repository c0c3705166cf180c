"""The event loop of the supervisor: descriptors that can be read or written, and ticks."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Loop:
    """Calls what was registered. Nothing that is called may block, or take more than a bounded time."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._ticks: list[tuple[float, Callable[[], None]]] = []
        self._due: list[float] = []

    def watch(self, descriptor: int, events: int, call: Callable[[], object]) -> None:
        self._selector.register(descriptor, events, call)

    def drop(self, descriptor: int) -> None:
        """Stop watching a descriptor; an unwatched descriptor is no error."""
        if descriptor in self._selector.get_map():
            self._selector.unregister(descriptor)

    def every(self, seconds: float, call: Callable[[], None]) -> None:
        self._ticks.append((seconds, call))
        self._due.append(time.monotonic() + seconds)

    def until(self, done: Callable[[], bool], deadline: float) -> bool:
        """Go round until something is done (True) or the time is over (False)."""
        while not done():
            now = time.monotonic()
            if now >= deadline:
                return False
            self._tick(now)
            # A tick may have ended the order; a wait for descriptors would then last until the next one.
            if not done():
                self._round(max(0.0, min([deadline, *self._due]) - time.monotonic()))
        return True

    def drain(self) -> None:
        """Take what is there at this moment, without waiting; bounded."""
        # A program that writes all the time must not keep the loop here.
        for _ in range(64):
            if not self._round(0):
                return

    def _tick(self, now: float) -> None:
        for index, (seconds, call) in enumerate(self._ticks):
            if now >= self._due[index]:
                call()
                # From now, and not from when it was due: after a pause of the machine the ticks are not made
                # up for.
                self._due[index] = time.monotonic() + seconds

    def _round(self, timeout: float) -> bool:
        ready = self._selector.select(timeout)
        for key, _ in ready:
            if key.fd in self._selector.get_map():  # not dropped by a call before it
                key.data()
        return bool(ready)
