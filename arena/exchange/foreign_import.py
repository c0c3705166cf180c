"""`arena import` of another program's results: which reader takes them, and what is graded here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.exchange.atif import ARTEFACT
from arena.exchange.bounded import PartUnreadable, limit_bytes
from arena.exchange.foreign import (
    TRACK,
    ExchangeReader,
    ForeignAttempt,
    ForeignRun,
    merge_attempts,
    storable_name,
)
from arena.exchange.opening import ImportRefused
from arena.protocols import Answers
from arena.store.model import AttemptKey
from arena.tracks.choices import ANSWERS
from harness.protocols import Solution
from parsers.registry import lookup, names

READERS = "arena.exchange.readers"


def find_reader(path: Path, name: str = "") -> ExchangeReader | None:
    """The reader of that name, else the only reader that takes the file or folder; None where none does.

    Raises UnknownName, and ImportRefused where several take it.
    """
    if name:
        reader: ExchangeReader = lookup(READERS, name)
        return reader
    readers = [lookup(READERS, each) for each in names(READERS)]
    with limit_bytes():
        taking = [reader for reader in readers if reader.takes(path)]
    # A guess would give the attempts another program's verdicts.
    if len(taking) > 1:
        reader_names = ", ".join(reader.name for reader in taking)
        raise ImportRefused(f"{path}: of several programs: name one in --from: {reader_names}")
    return taking[0] if taking else None


def read_foreign(reader: ExchangeReader, path: Path) -> ForeignRun:
    """The attempts that the reader yields, each once. Raises ImportRefused."""
    try:
        with limit_bytes():
            return merge_attempts(reader.read(path))
    except PartUnreadable as problem:
        raise ImportRefused(str(problem)) from problem


@dataclass(frozen=True)
class Division:
    """The attempts of an import that are graded here, and those whose verdict stays another program's."""

    answers: Answers
    rest: ForeignRun


def divide(run: ForeignRun, tasks: Collection[str]) -> Division:
    """Divide the attempts into those to grade here, at tasks of the pack and with a patch, and the rest.

    tasks: those of the pack.

    The key of an attempt to grade is as `arena grade` names answers, with the foreign agent and model as the
    model. The foreign verdict stands in the evidence, and decides nothing.
    """
    solutions: dict[AttemptKey, Solution] = {}
    numbers: dict[tuple[str, str], int] = {}
    rest: list[ForeignAttempt] = []
    for attempt in run.attempts:
        if attempt.key.task not in tasks or attempt.patch is None:
            rest.append(attempt)
            continue
        model = storable_name(f"{attempt.key.agent} {attempt.key.model}")
        column = (attempt.key.task, model)
        # Numbered anew: an agent and a model of different attempts may come to the same name.
        numbers[column] = number = numbers.get(column, -1) + 1
        key = AttemptKey(attempt.key.task, ANSWERS, model, replicate=number)
        artefacts = {} if attempt.atif is None else {ARTEFACT: attempt.atif}
        solutions[key] = Solution(attempt.patch, note={TRACK: attempt.facts()}, artefacts=artefacts)
    left = ForeignRun(run.source, rest, run.problems, run.pack)
    return Division(Answers(list(solutions.items()), list(run.problems)), left)


def problem_lines(problems: Sequence[str], limit: int) -> list[str]:
    """The first problems, and how many more there are."""
    lines = [f"problem: {problem}" for problem in problems[:limit]]
    more = len(problems) - limit
    return [*lines, f"and {more} more problems"] if more > 0 else lines
