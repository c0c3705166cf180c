"""The attempts of a sweep: its matrix over the tasks that pass the filter, without exclusions."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from arena.protocols import Matrix, Track
from arena.store.model import AttemptKey, TaskFacts, attempt_id
from arena.store.provenance import expect_distinct_models
from arena.sweep.file import Sweep, SweepError
from arena.sweep.schema import Exclusion, Filter
from harness.agents import NotInstalled
from harness.sandbox.base import SandboxRefused
from parsers.registry import UnknownName
from parsers.suggestions import close_names
from tasks.loader import TaskError

MAX_KNOWN = 12
# Where a message about a model blames the option of other commands.
OPTION = "--model: "
# What a track raises for an impossible matrix.
WRONG = (UnknownName, ValueError, TaskError, NotInstalled, SandboxRefused)


@dataclass(frozen=True)
class Choice:
    """The attempts of a run in the track's order, the facts of their tasks, and warnings for the user."""

    run: str
    keys: tuple[AttemptKey, ...]
    tasks: tuple[TaskFacts, ...]
    warnings: tuple[str, ...] = ()

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of the attempts."""
        return frozenset(attempt_id(self.run, key) for key in self.keys)


def choose(sweep: Sweep, track: Track, run: str = "") -> Choice:
    """The attempts of a sweep, for its run or for the run `run`.

    Raises SweepError for a matrix that is not possible, or when the filters leave no attempt.
    """
    _expect_told_apart(sweep)
    every = _attempts(sweep, track)
    order = tuple(dict.fromkeys(key.task for key in every))
    facts = {fact.task: fact for fact in track.describe(order)}
    chosen, notes = _filter_tasks([facts[task] for task in order], sweep.spec.filter, sweep)
    task_names = {fact.task for fact in chosen}
    inside = [key for key in every if key.task in task_names]
    keys, unused = _drop_excluded(inside, sweep.spec.matrix.exclude)
    notes += [f"matrix.exclude.{number}: leaves out nothing" for number in unused]
    if not keys:
        exclusions_problem = (
            f"{len(task_names)} tasks pass the filter, and the exclusions leave nothing of their"
        )
        raise SweepError(f"{sweep.where}: matrix: {exclusions_problem} {len(inside)} attempts")
    used = {key.task for key in keys}
    tasks = tuple(fact for fact in chosen if fact.task in used)
    warnings = tuple(f"{sweep.where}: {text}" for text in notes)
    return Choice(run or sweep.run, tuple(keys), tasks, warnings)


def _attempts(sweep: Sweep, track: Track) -> list[AttemptKey]:
    try:
        return track.attempts(sweep.matrix)
    except WRONG as error:
        text = str(error).removeprefix(OPTION)
        raise SweepError(f"{sweep.where}: {_blamed_field(sweep.matrix, text)}: {text}") from error


def _expect_told_apart(sweep: Sweep) -> None:
    """Raise SweepError for two models that tables would not distinguish, as scripts of two folders."""
    try:
        expect_distinct_models(sweep.spec.matrix.models)
    except ValueError as error:
        raise SweepError(f"{sweep.where}: matrix.models: {error}") from error


def _blamed_field(matrix: Matrix, message: str) -> str:
    """The field of the matrix that holds what a track's message quotes."""
    fields = {"agents": matrix.agents, "models": matrix.models, "prompts": matrix.prompts}
    for field, values in fields.items():
        if any(repr(value) in message or value in message.split() for value in values):
            return f"matrix.{field}"
    return "matrix"


def _filter_tasks(
    facts: Sequence[TaskFacts], filter_: Filter, sweep: Sweep
) -> tuple[list[TaskFacts], list[str]]:
    chosen = [fact for fact in facts if _matches_any(fact.task, filter_.tasks)]
    for glob in filter_.tasks:
        if not any(fnmatchcase(fact.task, glob) for fact in facts):
            raise _describe_unknown(sweep, "tasks", glob, [fact.task for fact in facts])
    for field in ("language", "cwe", "project", "domain"):
        values = getattr(filter_, field)
        # Of all tasks, not of those left by the filters before: the value is right, only the combination is
        # empty.
        values_known = sorted({value for fact in facts for value in _values(fact, field)})
        for value in values:
            if value not in values_known:
                raise _describe_unknown(sweep, field, value, values_known)
        chosen = [fact for fact in chosen if not values or set(values) & set(_values(fact, field))]
    if not chosen:
        raise SweepError(f"{sweep.where}: filter: none of {len(facts)} tasks passes it")
    return _limit_tasks(chosen, filter_, sweep.spec.matrix.seed)


def _describe_unknown(sweep: Sweep, field: str, value: str, values: Collection[str]) -> SweepError:
    close = close_names(value, values)
    hint = f"; {close}" if close else ""
    shown = ", ".join(list(values)[:MAX_KNOWN]) or "none"
    more = f" and {len(values) - MAX_KNOWN} more" if len(values) > MAX_KNOWN else ""
    return SweepError(
        f"{sweep.where}: filter.{field}: no task has {value!r}{hint}; known: {shown}{more}"
    )


def _limit_tasks(
    tasks: list[TaskFacts], filter_: Filter, seed: int
) -> tuple[list[TaskFacts], list[str]]:
    """The first `limit` tasks, or a `sample` of them, which depends only on the seed and the tasks' names.

    A sample takes the tasks with the smallest digests of seed and name, so that a larger sample contains each
    smaller sample, and a new task of the pack replaces no more than a single task.
    """
    number, notes = filter_.limit or filter_.sample, []
    if number and number > len(tasks):
        field = "limit" if filter_.limit else "sample"
        notes.append(f"filter.{field}: {number} asked for, and only {len(tasks)} tasks are there")
    if filter_.limit:
        return tasks[: filter_.limit], notes
    if filter_.sample:
        tickets = sorted((_ticket(seed, fact.task), fact.task) for fact in tasks)
        drawn = {task for _, task in tickets[: filter_.sample]}
        return [fact for fact in tasks if fact.task in drawn], notes
    return tasks, notes


def _ticket(seed: int, task: str) -> bytes:
    # A digest and not `random`: the draw is the same on every machine and version of Python.
    return hashlib.sha256(f"{seed}\0{task}".encode()).digest()


def _matches_any(task: str, globs: Sequence[str]) -> bool:
    return not globs or any(fnmatchcase(task, glob) for glob in globs)


def _values(fact: TaskFacts, field: str) -> Iterator[str]:
    yield from fact.cwes if field == "cwe" else filter(None, (getattr(fact, field),))


def _drop_excluded(
    keys: Sequence[AttemptKey], exclusions: Sequence[Exclusion]
) -> tuple[list[AttemptKey], list[int]]:
    """The keys that no exclusion matches, and the numbers of exclusions that match none."""
    rules = [exclusion.stated_fields for exclusion in exclusions]
    used: set[int] = set()
    remaining = []
    for key in keys:
        # All rules, not the first: a rule that only repeats another one is not reported as useless.
        hits = {number for number, rule in enumerate(rules) if _is_excluded(key, rule)}
        used |= hits
        if not hits:
            remaining.append(key)
    return remaining, [number for number in range(len(rules)) if number not in used]


def _is_excluded(key: AttemptKey, rule: dict[str, str | int]) -> bool:
    return all(_fits(getattr(key, name), value) for name, value in rule.items())


def _fits(value: str | int, pattern: str | int) -> bool:
    """Equal, or a glob that fits: an agent's command line may hold what a glob has."""
    if value == pattern:
        return True
    return isinstance(value, str) and isinstance(pattern, str) and fnmatchcase(value, pattern)
