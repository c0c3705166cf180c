"""The stand: one test of one program, in namespaces of its own, and all that was seen of it.

It knows nothing of what is expected: `order.py` is what goes in, `seen.py` what comes out. Oracles judge
outside, on what was seen. `stand.Stand` is what others use.

On the host: `stand.py`, `wire.py`, `worker.py`. The making of a place: `rights.py`, `network.py`,
`netlink.py`, `place.py`, `paths.py`. The supervisor of one order: `supervise.py`, `inside.py`, `loop.py`, `output.py`,
`gauge.py`; for each shape `running.py`, `calling.py`, `serving.py` (with `listening.py`, `exchange.py`,
`request.py`, `response.py`, `cookies.py`); `canary.py` for canaries and hooks; `sink.py` for connections (with
`dns.py`, `web.py`, `mail.py`, `packets.py`); `tree.py`, `databases.py` before and after. With the program:
`first.py` (process 1), `cage.py` (what each program is shut into). `drivers/`, `hooks.py` and `coverage.py`
belong to the languages.
"""

from __future__ import annotations

from harness.stand.order import Bind, Copy, Limits, Order, Reply
from harness.stand.seen import Seen, StepSeen

__all__ = ["Bind", "Copy", "Limits", "Order", "Reply", "Seen", "StepSeen"]
