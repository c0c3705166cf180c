"""From what a user wrote (`gold`, `command:LINE`, `package.module:Class`) to an agent."""

from __future__ import annotations

from harness.agents import Agent
from parsers import registry
from tasks.loader import Task

PACKAGE = "harness.agents"


def make_agent(name: str, task: Task) -> Agent:
    """An agent for one task. Raises UnknownName or ValueError with one clear line."""
    kind, _, argument = name.partition(":")
    plugin = registry.lookup(PACKAGE, kind if kind in registry.names(PACKAGE) else name)
    if getattr(plugin, "calibration", False):
        if argument:
            raise ValueError(f"agent {kind!r} takes no argument")
        agent: Agent = plugin(task)
    else:
        agent = plugin(argument) if kind in registry.names(PACKAGE) else plugin()
    return agent
