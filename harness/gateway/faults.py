"""A provider's fault: who is charged for it, and how it is reported to the agent."""

from __future__ import annotations

from harness.gateway.account import Kind
from harness.gateway.dialects import Refusal, Why
from harness.gateway.models import Diverged, ProviderFault

AGENTS = frozenset({400, 413, 415, 422})
"""Statuses of a provider for an invalid request: the call counts."""
FINAL = frozenset({401, 402, 403, 404})
"""The provider will never answer: reported to the agent as if its budget were spent."""
BUSY = frozenset({429, 503, 529})


def kind(status: int) -> Kind:
    return "call" if status in AGENTS else "fault"


def _why(fault: ProviderFault) -> Why:
    if fault.status in AGENTS:
        return "request"
    if fault.status in BUSY and fault.passing:
        return "busy"
    return "spent" if fault.status in FINAL or isinstance(fault, Diverged) else "provider"


def refusal(fault: ProviderFault, message: str) -> Refusal:
    """How a fault is reported to the agent; `message` is the fault's, without keys."""
    why = _why(fault)
    told = f"the model is not available: {message}" if why == "spent" else message
    return Refusal(why, told)
