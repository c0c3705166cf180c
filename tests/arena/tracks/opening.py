"""Opening tracks on small packs, and seeing that they leave nothing behind."""

from __future__ import annotations

import json
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from arena.protocols import Setup, Track
from arena.store.model import AttemptKey
from arena.tracks.opening import open_track
from harness.grade.ports import MemoryCache, ResultCache
from harness.grade.verdict import Verdict
from harness.protocols import Budget, Solution

FEW = Budget(usd=1.0, calls=3, seconds=120.0, tokens=100_000)


def says(folder: Path, name: str, text: str, **turn: Any) -> str:
    """A model that answers every question with the same text."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"turns": [{"text": text, **turn}], "then": "repeat"}))
    return f"script:{path}"


def silent(step: str) -> None:
    """Tells nobody."""


def fenced(code: str) -> str:
    return f"Here:\n```python\n{code}```\n"


@contextmanager
def opened(
    track: str,
    pack: Path | str,
    cache: ResultCache | None = None,
    say: Callable[[str], None] = lambda text: None,
    **more: Any,
) -> Iterator[Track]:
    """An open track whose setup went through a pickle, as one that is sent to a node."""
    setup = Setup(track, str(pack), **{"caps": FEW, **more})
    one = open_track(pickle.loads(pickle.dumps(setup)), cache or MemoryCache(), say)
    try:
        yield one
    finally:
        one.close()


def made(track: Track, key: AttemptKey) -> tuple[Solution, Verdict]:
    """One attempt; what crosses processes on the way can."""
    solution = track.solve(key, silent)
    verdict = track.grade(key, solution, silent)
    json.dumps([verdict.evidence, dict(solution.note), dict(solution.usage)], allow_nan=False)
    pickle.dumps((key, solution, verdict))
    return solution, verdict


def processes() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def gateways() -> int:
    return sum(thread.name == "gateway" for thread in threading.enumerate())
