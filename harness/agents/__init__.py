"""What an agent is, and a file for each agent (`lookup("harness.agents", name)`).

Calibration agents (`noop`, `broken`, `stub`, `gold`, `fixed`, `careless`) know the solution: they show
that each label is assigned where it belongs. All the rest see the repository at PVIC and the instruction.
"""

from __future__ import annotations

from harness.sandbox.base import SandboxFault

# In the order of the labels that are due: NO, CE, IC, CV, C&S, CS.
CALIBRATION = ("noop", "broken", "stub", "gold", "fixed", "careless")


class NotInstalled(SandboxFault):
    """The agent has no toolbox here; the message says how to get it."""


class GatewayFault(SandboxFault):
    """The gateway itself failed; the message is a line."""


class ModelUnavailable(SandboxFault):
    """No call of an attempt was ever answered: the attempt says nothing of the agent."""


class ModelEnded(ModelUnavailable):
    """The provider ended the model's part (no money, key or model left): no attempt is possible."""


class ReplayDiffers(SandboxFault):
    """A replayed attempt sent a request that the recorded attempt did not."""


class NoSolution(SandboxFault):
    """An agent's `solve` returned something else than a Solution."""


class NeverAsked(SandboxFault):
    """An agent crashed before it called its model: its toolbox or its settings are at fault."""
