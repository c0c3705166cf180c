"""Attempts as rows of the paper's tables: the suites of an agent, model and prompt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from arena.protocols import Facts
from arena.store.model import Attempt
from arena.tracks.mutation.labels import TRIVIAL
from arena.tracks.mutation.metrics import MutationMetrics, measure
from arena.tracks.mutation.results import SampleResult
from arena.tracks.mutation.verdicts import sample_of


@dataclass(frozen=True)
class SuiteLine:
    """name: of the column; who: agent and model, without the prompt. lacking: attempts whose evidence does
    not suffice, such as those of an earlier release; they take no part."""

    name: str
    samples: tuple[SampleResult, ...]
    who: str = ""
    trivial: bool = False
    lacking: int = 0

    @cached_property
    def metrics(self) -> MutationMetrics:
        return measure(self.samples)


def lines_of(attempts: Iterable[Attempt], facts: Facts) -> list[SuiteLine]:
    """A line for each column in the attempts' order, those of the trivial suites last."""
    columns: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        columns.setdefault(attempt.column, []).append(attempt)
    lines = [_line(name, column, facts) for name, column in columns.items()]
    return sorted(lines, key=lambda line: line.trivial)


def _line(name: str, attempts: list[Attempt], facts: Facts) -> SuiteLine:
    samples_of_line = [sample_of(attempt, facts) for attempt in attempts]
    samples = tuple(sample for sample in samples_of_line if sample is not None)
    key = attempts[0].key
    who = f"{key.agent} {attempts[0].model}".strip()
    return SuiteLine(
        name, samples, who, key.agent.startswith(TRIVIAL), len(samples_of_line) - len(samples)
    )


def samples_of(attempts: Iterable[Attempt], facts: Facts) -> list[SampleResult]:
    """Samples of all attempts with sufficient evidence, column by column."""
    return [sample for line in lines_of(attempts, facts) for sample in line.samples]
