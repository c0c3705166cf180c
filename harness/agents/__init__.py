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

__all__ = ["CALIBRATION", "Agent", "Budget", "Ended", "Solution", "Workspace"]

CALIBRATION = ("noop", "broken", "stub", "gold", "fixed", "careless")
"""In the order of the labels that are due: NO, CE, IC, CV, C&S, CS."""


class Ended(StrEnum):
    """How an agent's own part ended."""

    DONE = "done"
    TIMEOUT = "timeout"
    ERROR = "error"


@dataclass(frozen=True)
class Budget:
    """What an agent may spend: seconds of wall time."""

    seconds: float = 1800.0


@dataclass(frozen=True)
class Solution:
    """What an agent leaves: a patch against PVIC, what it used, what it did, and how it ended."""

    patch: bytes
    ended: Ended = Ended.DONE
    usage: Mapping[str, Any] = field(default_factory=dict)
    trajectory: bytes = b""


class Agent(Protocol):
    """`runs_model_output` agents are refused by sandboxes that do not isolate well enough."""

    runs_model_output: ClassVar[bool]

    def solve(self, workspace: Workspace, instruction: str, budget: Budget) -> Solution: ...
