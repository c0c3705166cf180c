"""A call of a model as the gateway charges it, without a model."""

from __future__ import annotations

from harness.gateway.account import Row
from harness.gateway.meter import listener
from harness.gateway.neutral import Tokens


def charge(usd: float, tokens: int = 0) -> None:
    """Tell whoever listens to this thread's accounts of a call that cost so much."""
    hears = listener()
    assert hears is not None, "nobody listens"
    hears(Row(0, "chat", "m", Tokens(tokens), usd, 0.1, 200, False))
