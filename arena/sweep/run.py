"""A run: the open attempts of a store go through a track; each result is stored as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from arena.store.store import Attempt, Store
from arena.sweep.engine import Engine
from arena.tracks import Say, Track
from harness.agents import Solution
from harness.grade.grader import INFRA, infra
from harness.grade.verdict import Verdict
from harness.sandbox.base import EngineUnavailable, SandboxDied

TRIES = 3
"""An infrastructure fault is tried again; what an agent or its patch does never is."""

Progress = Callable[[Attempt, str], None]


RETRIED = Retrying(
    retry=retry_if_exception_type((EngineUnavailable, SandboxDied)),
    stop=stop_after_attempt(TRIES),
    wait=wait_exponential(multiplier=0.5, max=10),
    reraise=True,
)


def _neighbours_differ(attempt: Attempt) -> tuple[int, str, str]:
    """Order in which attempts at the same time are of different tasks.

    Two of one task would wait for each other while its environment is built.
    """
    return attempt.key.replicate, attempt.key.agent, attempt.key.task


def execute(
    store: Store,
    run: str,
    track: Track,
    engine: Engine,
    progress: Progress = lambda attempt, what: None,
) -> list[Attempt]:
    """Finish every open attempt of `run`; returns all its attempts.

    `progress(attempt, what)` is called from the engine's threads at each step, and with "done" when an
    attempt is stored.
    """

    def one(attempt: Attempt) -> None:
        started = time.monotonic()
        solution = store.solution(attempt)
        verdict, solution = _made(track, attempt, solution, partial(progress, attempt))
        store.finish(attempt.id, verdict, solution, round(time.monotonic() - started, 3))
        progress(store.attempt(attempt.id), "done")

    engine.each(one, sorted(store.attempts(run, only_open=True), key=_neighbours_differ))
    return store.attempts(run)


def _made(
    track: Track, attempt: Attempt, solution: Solution | None, say: Say
) -> tuple[Verdict, Solution | None]:
    """Make the attempt unless a solution is there already, and grade it; what was made is kept."""
    try:
        if solution is None:
            solution = RETRIED.copy()(track.solve, attempt.key, say)
        return RETRIED.copy()(track.grade, attempt.key, solution, say), solution
    except INFRA as fault:
        return infra(fault), solution
