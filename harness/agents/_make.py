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
        plugin = registry.lookup(PACKAGE, name)
        return plugin()  # type: ignore[no-any-return]
    module = registry.module(PACKAGE, kind)
    if hasattr(module, "PROGRAM") or getattr(getattr(module, "PLUGIN", None), "calibration", False):
        if colon:
            raise ValueError(f"agent {kind!r} takes no argument")
        return Sealed(module.PROGRAM) if hasattr(module, "PROGRAM") else module.PLUGIN(task)
    return module.PLUGIN(argument)  # type: ignore[no-any-return]
