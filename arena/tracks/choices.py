"""What a user chose of a track: the columns of a matrix, and options, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.protocols import Matrix, Setup
from arena.store.model import AttemptKey

# The agent of attempts that somebody brings.
ANSWERS = "answers"
NEUTRAL = ("neutral",)
# The models of an agent that asks none.
UNASKED = ("",)


@dataclass(frozen=True)
class Column:
    """One agent with the models and prompts that it is tried with; prompts: by the task's id."""

    agent: str
    models: Sequence[str] = UNASKED
    prompts: Callable[[str], Sequence[str]] = lambda task: NEUTRAL
    # Whether it has something for a task at all.
    does: Callable[[str], bool] = lambda task: True


def keys_of(tasks: Sequence[str], columns: Iterable[Column], replicates: int) -> list[AttemptKey]:
    """Every (task, agent, model, prompt, replicate) once, agent by agent. Raises ValueError for none."""
    if replicates < 1:
        raise ValueError(f"replicates: {replicates} is less than 1")
    keys = [
        AttemptKey(task, column.agent, model, prompt, replicate)
        for column in columns
        for task in dict.fromkeys(tasks)
        if column.does(task)
        for model in dict.fromkeys(column.models)
        for prompt in dict.fromkeys(column.prompts(task))
        for replicate in range(replicates)
    ]
    if not keys:
        raise ValueError("agents: no attempt comes of these")
    return keys


def agents_of(matrix: Matrix) -> tuple[str, ...]:
    """The agents, each once. Raises ValueError where there is none."""
    if not matrix.agents:
        raise ValueError("agents: there is none")
    return tuple(dict.fromkeys(matrix.agents))


def models_of(matrix: Matrix, agent: str) -> Sequence[str]:
    """The models for an agent that asks one. Raises ValueError."""
    if not matrix.models:
        raise ValueError(f"agent {agent!r} needs a model: --model NAME")
    return matrix.models


def unknown_agent(agent: str, known: Iterable[str]) -> ValueError:
    return ValueError(f"agent {agent[:200]!r} is unknown; known: {', '.join(known)}")


@dataclass(frozen=True)
class Option:
    """An option of a track: its default, of which the type is the option's, and the values it may have."""

    default: Any
    values: Sequence[Any] = ()


def options_of(setup: Setup, known: Mapping[str, Option]) -> dict[str, Any]:
    """All options of a track with their values. Raises ValueError naming the field."""
    values = {name: option.default for name, option in known.items()}
    for name, value in setup.options.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise ValueError(
                f"options: {name!r} is unknown to the track {setup.track}; known: {names}"
            )
        _expect(f"options.{name}", value, known[name])
        values[name] = value
    return values


def _expect(field: str, value: Any, option: Option) -> None:
    wanted = type(option.default)
    if type(value) is not wanted and (type(value), wanted) != (int, float):
        raise ValueError(f"{field}: {value!r:.80} is no {wanted.__name__}")
    if option.values and value not in option.values:
        raise ValueError(f"{field}: {value!r:.80} is none of {', '.join(map(str, option.values))}")


def expect_no_scanner(setup: Setup) -> None:
    """Raises ValueError: only the track `repo` scans."""
    if setup.scanner:
        raise ValueError(f"scanner: the track {setup.track} uses none")
