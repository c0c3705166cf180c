"""From what a user wrote (`gold`, `aider`, `command:LINE`, `package.module:Class`) to an agent."""

from __future__ import annotations

from harness.agents import Agent
from harness.agents._sealed import Sealed
from parsers import registry
from tasks.loader import Task

PACKAGE = "harness.agents"


def make_agent(name: str, task: Task) -> Agent:
    """An agent for one task. Raises UnknownName or ValueError with one clear line."""
    kind, colon, argument = name.partition(":")
    if kind not in registry.names(PACKAGE):
        return _of_ones_own(name)
    module = registry.module(PACKAGE, kind)
    if hasattr(module, "PROGRAM") or getattr(getattr(module, "PLUGIN", None), "calibration", False):
        if colon:
            raise ValueError(f"agent {kind!r} takes no argument")
        return Sealed(module.PROGRAM) if hasattr(module, "PROGRAM") else module.PLUGIN(task)
    return module.PLUGIN(argument)  # type: ignore[no-any-return]


def _of_ones_own(name: str) -> Agent:
    """An agent that is a class of the user's."""
    made = registry.lookup(PACKAGE, name)
    lacks = [part for part in ("solve", "runs_model_output") if not hasattr(made, part)]
    if not isinstance(made, type) or lacks:
        what = f"lacks {' and '.join(lacks)}" if lacks else "is no class"
        raise ValueError(f"agent {name!r}: {what}; see harness.agents.Agent")
    try:
        agent: Agent = made()
    except TypeError as error:
        raise ValueError(f"agent {name!r}: cannot be made without arguments: {error}") from error
    return agent
