"""What an agent is, and one file for each agent (`lookup("harness.agents", name)`).

Calibration agents (`noop`, `broken`, `stub`, `gold`, `fixed`, `careless`) know the solution: they show
that each label is given where it is due. All others see the repository at PVIC and the instruction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from harness.agents._workspace import Workspace
from harness.sandbox.base import SandboxFault

__all__ = [
    "CALIBRATION",
    "Agent",
    "Budget",
    "Ended",
    "GatewayFault",
    "ModelUnavailable",
    "NeverAsked",
    "NoSolution",
    "NotInstalled",
    "ReplayDiffers",
    "Solution",
    "Workspace",
]

CALIBRATION = ("noop", "broken", "stub", "gold", "fixed", "careless")
"""In the order of the labels that are due: NO, CE, IC, CV, C&S, CS."""


class Ended(StrEnum):
    """How an agent's own part ended."""

    FINISHED = "finished"
    CAPPED_USD = "capped:usd"
    CAPPED_CALLS = "capped:calls"
    CAPPED_TIME = "capped:time"
    CAPPED_TOKENS = "capped:tokens"
    CRASHED = "crashed"
    KILLED = "killed"
    MODEL_UNAVAILABLE = "model-unavailable"
    DIVERGED = "diverged"


class NotInstalled(SandboxFault):
    """The agent has no toolbox here; the message says how to get it."""


class GatewayFault(SandboxFault):
    """The gateway itself failed; the message is one line."""


class ModelUnavailable(SandboxFault):
    """No call of an attempt was ever answered: nothing is known of the agent."""


class ReplayDiffers(SandboxFault):
    """A replayed attempt asked something else than the recorded one."""


class NoSolution(SandboxFault):
    """An agent's `solve` returned something else than a Solution."""


class NeverAsked(SandboxFault):
    """An agent crashed before it asked its model anything: its toolbox or its settings are at fault."""


@dataclass(frozen=True)
class Budget:
    """What an agent may spend: seconds of wall time, US dollars, calls and tokens of the model.

    The defaults of money and calls are SecureAgentBench's (its section 4).
    """

    seconds: float = 1800.0
    usd: float = 2.0
    calls: int = 75
    tokens: int | None = None


@dataclass(frozen=True)
class Solution:
    """What an agent leaves: a patch against PVIC, what it used, what it did, and how it ended.

    trajectory: in the agent's own form; note: facts for the evidence; artefacts: what is kept beside.
    """

    patch: bytes
    ended: Ended = Ended.FINISHED
    usage: Mapping[str, Any] = field(default_factory=dict)
    trajectory: bytes = b""
    note: Mapping[str, Any] = field(default_factory=dict)
    artefacts: Mapping[str, bytes] = field(default_factory=dict)


class Agent(Protocol):
    """`runs_model_output` agents are refused by sandboxes that do not isolate well enough."""

    runs_model_output: ClassVar[bool]

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution: ...
