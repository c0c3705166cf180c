"""Finds alternative values for a task's tests by running gold.

All words of the tests' literals are replaced at once. What gold does not answer alike then is traced to the
words, or numbers, that mean something to the product, and these stay. The result is run `tests.runs` times.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from arena.building.oracle.culprits import Broken, leave_out_culprits
from arena.building.oracle.mismatches import add_mismatches
from arena.building.oracle.other_words import (
    Substitution,
    TestTexts,
    WordChange,
    draw_substitution,
)
from arena.building.oracle.trials import OnRun, Trials, ignore_run, open_trials
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend
from parsers.outcomes import Outcome
from tasks.loader import Task
from tasks.other_values import OtherValues

# Time for the search, builds left out; a suite that takes long gets fewer runs.
SECONDS = 900.0
# Random exchanges of letters that are tried; the one that breaks the fewest tests is taken.
SUBSTITUTIONS = 3
MAX_WORD_RUNS = 300
# Runs of gold's suite for tracing words and numbers, at most.
MAX_NUMBER_RUNS = 80


class NoOtherValues(Exception):
    """The task can have none; the message says why."""


@dataclass(frozen=True)
class FoundValues:
    """tests: how many gold passes with them; candidates: words and numbers that were tried; runs: of gold."""

    values: OtherValues
    tests: int
    candidates: int
    runs: int


def search_other_values(
    backend: Backend,
    task: Task,
    cache: ResultCache,
    seed: int = 0,
    seconds: float = SECONDS,
    on_run: OnRun = ignore_run,
) -> FoundValues:
    """Alternative values of a task's tests, with mismatches; the same seed tries the same words.

    Raises NoOtherValues, TaskBroken, SandboxFault.
    """
    with open_trials(backend, task, cache, on_run) as trials:
        texts = trials.read_texts()
        chance = Random(seed)  # noqa: S311 - no secret
        search = _search(trials, texts, chance, seconds)
        values = add_mismatches(trials, search.values, texts.all_words, chance, seconds)
        return replace(search, values=values, runs=trials.runs)


def search_mismatches(
    backend: Backend,
    task: Task,
    cache: ResultCache,
    seed: int = 0,
    seconds: float = SECONDS,
    on_run: OnRun = ignore_run,
) -> OtherValues:
    """The task's values with new mismatches, see `add_mismatches`.

    Raises NoOtherValues where it has no values, TaskBroken, SandboxFault.
    """
    if task.other_values is None:
        raise NoOtherValues(f"{task.id}: no other values, which mismatches are made of")
    values = OtherValues(task.other_values.files)
    with open_trials(backend, task, cache, on_run) as trials:
        all_words = trials.read_texts().all_words
        return add_mismatches(trials, values, all_words, Random(seed), seconds)  # noqa: S311


def _search(trials: Trials, texts: TestTexts, chance: Random, seconds: float) -> FoundValues:
    """Words first, all together, then numbers. Raises NoOtherValues."""
    substitutions = [draw_substitution(chance, texts.protected) for _ in range(SUBSTITUTIONS)]
    started = time.monotonic()
    substitution = _best(trials, texts, substitutions)
    affordable = _affordable_runs(seconds, time.monotonic() - started, trials.runs)

    groups = texts.word_groups(substitution)
    if not any(groups):
        raise NoOtherValues(f"{trials.task.id}: no word of its tests' literals may be replaced")
    stages = (
        (groups, MAX_WORD_RUNS, affordable),
        (texts.number_groups(substitution), MAX_NUMBER_RUNS, affordable // 4),
    )
    changes: list[WordChange] = []

    def find_broken(before: Sequence[WordChange], some: list[WordChange]) -> Broken:
        return trials.find_broken(texts.values([*before, *some], substitution))

    for candidates, max_runs, affordable_runs in stages:
        runs_of_each_half = min(max_runs, affordable_runs) // 2
        changes += leave_out_culprits(
            candidates, partial(find_broken, tuple(changes)), runs_of_each_half
        )
    values = texts.values(changes, substitution)
    if not values.files:
        raise NoOtherValues(f"{trials.task.id}: gold answers no test alike with other words")
    for _ in range(trials.task.spec.tests.runs):
        if broken := trials.find_broken(values):
            name = min(broken)
            raise NoOtherValues(f"{trials.task.id}: with other words gold's runs differ: {name}")
    passed = sum(how == Outcome.PASSED for how in trials.suite["outcomes"].values())
    tried = {change.word for stage in stages for group in stage[0] for change in group}
    return FoundValues(values, passed, len(tried), trials.runs)


def _affordable_runs(seconds: float, spent: float, runs: int) -> int:
    """The number of further runs that fit into `seconds`, at the mean of those so far (`spent` seconds)."""
    return int((seconds - spent) * runs / spent) if runs and spent else MAX_WORD_RUNS


def _best(trials: Trials, texts: TestTexts, substitutions: Sequence[Substitution]) -> Substitution:
    """The substitution that breaks the fewest tests when all words are replaced."""

    def count(substitution: Substitution) -> int:
        whole = [change for group in texts.word_groups(substitution) for change in group]
        return len(trials.find_broken(texts.values(whole, substitution))) if whole else 0

    return min(substitutions, key=count)
