"""What a track holds open: made when it is first needed, by whichever thread, and ended once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Generic, TypeVar

from harness.sandbox.base import SandboxDied

Value = TypeVar("Value")


class Lazy(Generic[Value]):
    """The value of a context manager that is entered by the first `get` and left by `close`."""

    def __init__(self, make: Callable[[], AbstractContextManager[Value]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self._made: list[Value] = []
        self._closed = False

    def get(self) -> Value:
        """Raises what making it raises, and SandboxDied after the end: nothing is begun any more."""
        with self._lock:
            if self._closed:
                raise SandboxDied("the track is closed")
            if not self._made:
                self._made.append(self._stack.enter_context(self._make()))
            return self._made[0]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._made.clear()
            self._stack.close()
