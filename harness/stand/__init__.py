"""The stand: one test of one program, in namespaces of its own, and all that was seen of it.

It knows nothing of what is expected: `order.py` is what goes in, `seen.py` what comes out. Oracles judge
outside, on what was seen.
"""

from __future__ import annotations

from harness.stand.order import Bind, Copy, Limits, Order, Reply
from harness.stand.seen import Seen, StepSeen

__all__ = ["Bind", "Copy", "Limits", "Order", "Reply", "Seen", "StepSeen"]
