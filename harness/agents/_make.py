"""From what a user wrote (`gold`, `aider`, `command:LINE`, `package.module:Class`) to an agent."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from harness.agents._named import read_agent
from harness.agents._sealed import Sealed
from harness.protocols import Agent
from parsers import registry
from tasks.loader import Task

PACKAGE = "harness.agents"
# Names of agents that users know from papers -> what became of them.
BECAME = {
    "openhands-ai": "openhands-ai 1.x starts a server and has no headless program any more; take openhands "
    "(the same agent by its SDK) or openhands-cli (its command line)",
}


def make_agent(name: str, task: Task) -> Agent:
    """An agent for a task. Raises UnknownName or ValueError with a clear line."""
    named_agent = read_agent(name)
    agent = _make_by_kind(named_agent.kind, task)
    if named_agent.settings is None:
        return agent
    if not isinstance(agent, Sealed):
        raise ValueError(
            f"agent {named_agent.kind!r} takes no settings: it asks no model of its own"
        )
    return agent.with_settings(named_agent.settings)


def _make_by_kind(name: str, task: Task) -> Agent:
    kind, colon, argument = name.partition(":")
    expect_current(kind)
    if kind not in registry.names(PACKAGE):
        return _make_users_agent(name)
    program = load_program(kind)
    if is_program(program) or getattr(program, "calibration", False):
        _expect_alone(kind, colon)
        return Sealed(program) if is_program(program) else program(task)
    if kind in registry.installed_plugins(PACKAGE):
        _expect_agent(kind, program)
    if not inspect.signature(program).parameters:
        _expect_alone(kind, colon)
        return program()  # type: ignore[no-any-return]
    return program(argument)  # type: ignore[no-any-return]


def expect_current(name: str) -> None:
    """Raise UnknownName for an agent that no longer exists, with its successor."""
    if successor := BECAME.get(name):
        raise registry.UnknownName(successor)


def load_program(kind: str) -> Any:
    """The `PROGRAM` or `PLUGIN` of a shipped agent, or what an installed agent's entry point names."""
    if kind in registry.installed_plugins(PACKAGE):
        return registry.lookup(PACKAGE, kind)
    module = registry.module(PACKAGE, kind)
    return module.PROGRAM if hasattr(module, "PROGRAM") else module.PLUGIN


def is_program(plugin: object) -> bool:
    """Whether it is a `Program`: an agent with a toolbox."""
    return hasattr(plugin, "launch") and hasattr(plugin, "recipe")


def _make_users_agent(name: str) -> Agent:
    """An agent that is a class of the user's, who may keep it in the current folder."""
    here = str(Path.cwd())
    # At the end: a file of the user's must not stand in for a module of the standard library or ours.
    if here not in sys.path:
        sys.path.append(here)
    try:
        plugin = registry.lookup(PACKAGE, name)
    except registry.UnknownName as error:
        looked = " (looked in the current folder and on PYTHONPATH)" if ":" in name else ""
        raise registry.UnknownName(f"{error}{looked}") from error
    _expect_agent(name, plugin)
    try:
        agent: Agent = plugin()
    except TypeError as error:
        raise ValueError(f"agent {name!r}: cannot be made without arguments: {error}") from error
    return agent


def _expect_agent(name: str, plugin: object) -> None:
    if not isinstance(plugin, type) or not issubclass(plugin, Agent):
        raise ValueError(f"agent {name!r}: is no class below harness.protocols.Agent")
    if not hasattr(plugin, "runs_model_output") or plugin.__abstractmethods__:
        raise ValueError(f"agent {name!r}: lacks `solve` or `runs_model_output`")


def _expect_alone(kind: str, colon: str) -> None:
    if colon:
        raise ValueError(f"agent {kind!r} takes no argument")
