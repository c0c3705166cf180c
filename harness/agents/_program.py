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

    toolbox: Path
    """Folder of its toolbox; programs are in `toolbox / "bin"`."""
    home: str
    """A writable folder outside the repository; `Launch.files` go below it."""
    repository: str
    prompt: str
    address: str
    """`http://127.0.0.1:PORT`; the dialects answer below `/v1`."""
    token: str
    model: str
    """Alias of the model; a neutral name."""
    calls: int
    usd: float
    seconds: float
    system: str = ""
    """The system prompt that a user set, for programs with `takes_system`; "" leaves the program's own."""
    tools: tuple[str, ...] | None = None
    """Those of the program's `tools` that it may use; None: all."""
    # Not the image's Python, which may be old, or not be there at all.
    python: str = ""
    """The interpreter of its toolbox, whatever is installed there; to be started with `-I -S`."""


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

    dialect: Literal["chat", "responses", "messages"]
    """The dialect that it speaks."""

    def launch(self, setup: LaunchSetup) -> Launch: ...

    def report(self, files: Mapping[str, bytes], output: bytes) -> AgentReport:
        """Read what it left: `files` as collected, and what it printed. Raises nothing."""
        ...
