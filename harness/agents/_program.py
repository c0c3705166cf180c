"""What a real agent's file states: how to install it, how to start it, and how to read what it left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from harness.toolbox.recipe import Installable


@dataclass(frozen=True)
class LaunchSetup:
    """All that an agent may know of its attempt. Paths are inside the container."""

    # Folder of its toolbox; programs are in `toolbox / "bin"`.
    toolbox: Path
    # A writable folder outside the repository; `Launch.files` go below it.
    home: str
    repository: str
    prompt: str
    # `http://127.0.0.1:PORT`; the dialects answer below `/v1`.
    address: str
    token: str
    # Alias of the model; a neutral name.
    model: str
    calls: int
    usd: float
    seconds: float
    # The system prompt that a user set, for programs with `takes_system`; "" leaves the program's own.
    system: str = ""
    # Those of the program's `tools` that it may use; None: all.
    tools: tuple[str, ...] | None = None
    # Not the image's Python, which may be old, or not be there at all.
    # The interpreter of its toolbox, whatever is installed there; to be started with `-I -S`.
    python: str = ""


@dataclass(frozen=True)
class Launch:
    """How to start it. `files` and `collect` are relative to the home folder.

    droppings: pathspecs in the repository of what the agent writes there for itself. private: folders outside
    of both that it writes to, and images close to others than root. needs: programs that the image must have.
    facts: settings of the agent that the attempt's evidence records.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    collect: tuple[str, ...] = ()
    droppings: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentReport:
    """What the agent itself reports of its attempt: not relied on, but stored beside what was metered.

    usage: among calls, input_tokens, output_tokens, usd; steps: see `harness/agents/_atif.py`.
    """

    usage: Mapping[str, Any] = field(default_factory=dict)
    trajectory: bytes = b""
    note: str = ""


class AgentProgram(Installable, Protocol):
    """A real agent: a module of `harness.agents` with a `PROGRAM`."""

    # The dialect that it speaks.
    dialect: Literal["chat", "responses", "messages"]

    def launch(self, setup: LaunchSetup) -> Launch: ...

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        """Read what it left: `files` as collected, and what it printed. Raises nothing."""
        ...
