"""Lets a single process build images: a second base, and all that is on it, would be different images."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent
Say = Callable[[str], None]
_BUILDING = threading.Lock()


@contextmanager
def exclusive_lock(say: Say) -> Iterator[None]:
    """Nobody else makes images meanwhile, in this process or another."""
    with _BUILDING:
        folder = os.open(ROOT, os.O_RDONLY)
        try:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another process makes images; waiting for it")
                fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
