"""The runner: one test of one program, in namespaces of its own, and all that was seen of it.

It knows nothing of what is expected: `order.py` is what goes in, `seen.py` what comes out. Oracles judge
outside, on what was seen. `pool.ProgramRunner` is what others use.

- on the host: `pool.py`, `wire.py`, `worker.py`
- the making of a jail: `rights.py`, `network.py`, `netlink.py`, `rootfs.py`, `paths.py`
- the supervisor of one order: `supervise.py`, `inside.py`, `loop.py`, `output.py`, `gauge.py`
- its shapes: `running.py`, `calling.py`, `serving.py` (`listening.py`, `exchange.py`, `request.py`,
  `response.py`, `cookies.py`)
- what it sees: `canary.py` (canaries and hooks), `sinkhole.py` (connections: `dns.py`, `web.py`, `mail.py`,
  `packets.py`), `tree.py`, `databases.py`
- with the program: `first.py` (process 1), `cage.py` (what each program is shut into)
- of the languages: `drivers/`, `hooks.py`, `coverage.py`
"""

from __future__ import annotations

from arena.tracks.dual.runner.order import Bind, Copy, Order, RunLimitsSpec, RunReply
from arena.tracks.dual.runner.seen import Seen, StepSeen

__all__ = ["Bind", "Copy", "RunLimitsSpec", "Order", "RunReply", "Seen", "StepSeen"]
