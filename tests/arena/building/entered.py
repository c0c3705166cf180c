"""Which files of ours a piece of work enters, in order."""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[3]


@contextmanager
def files_entered(paths: Collection[str]) -> Iterator[list[str]]:
    """Those of `paths` (from the project's folder) of which a function is called, by their first calls."""
    wanted = {str(ROOT / path): path for path in paths}
    entered: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        path = wanted.get(frame.f_code.co_filename) if event == "call" else None
        if path and path not in entered and frame.f_code.co_name != "<module>":
            entered.append(path)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield entered
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
