"""Calls to a candidate of one language, through the runner."""

from __future__ import annotations

from typing import Any

from arena.tracks.dual.runner import Order, RunObservation
from arena.tracks.dual.runner.drivers import call_argv
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.order import HOME
from arena.tracks.dual.runner.pool import ProgramRunner

SUFFIX = {"python": "py", "javascript": "js"}


def order(
    language: str, source: str, asked: list[str], steps: list[dict[str, Any]], **more: Any
) -> Order:
    file = f"{HOME}/{more.pop('name', f'solution.{SUFFIX[language]}')}"
    files = {file: source.encode("utf-8"), **more.pop("files", {})}
    return Order("call", call_argv(language, file, asked), tuple(steps), files=files, **more)


def called(
    runner: ProgramRunner, language: str, source: str, name: str, *args: Any, **kwargs: Any
) -> StepObservation:
    """One call; the name asked for is found or the test fails."""
    step = {"call": name, "args": list(args), "kwargs": kwargs}
    seen = runner.run(order(language, source, [name], [step]))
    assert seen.ended is ProcessEnded.OK, seen.why
    return seen.steps[0]


def refused(
    runner: ProgramRunner, language: str, source: str, asked: list[str], **more: Any
) -> str:
    """Why the candidate could not be loaded."""
    seen: RunObservation = runner.run(order(language, source, asked, [{"call": asked[0]}], **more))
    assert seen.ended is ProcessEnded.NO_START
    assert seen.steps[0].ended is ProcessEnded.NOT_RUN
    return seen.why
