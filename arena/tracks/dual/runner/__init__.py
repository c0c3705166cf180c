"""The runner: runs a test of a program in separate namespaces, and reports all observations.

It receives no expected values: `order.py` is its input, `observation.py` its output. Oracles judge
outside, from the observation. `pool.ProgramRunner` is the interface for callers.

- on the host: `pool.py`, `wire.py`, `worker.py`
- the making of a jail: `rights.py`, `network.py`, `netlink.py`, `rootfs.py`, `paths.py`
- the supervisor of an order: `supervise.py`, `inside.py`, `loop.py`, `output.py`, `gauge.py`
- its shapes: `running.py`, `calling.py`, `serving.py` (`listening.py`, `exchange.py`, `request.py`,
  `response.py`, `cookies.py`)
- what it sees: `canary.py` (canaries and hooks), `sinkhole.py` (connections: `dns.py`, `web.py`, `mail.py`,
  `packets.py`), `tree.py`, `databases.py`
- with the program: `first.py` (process 1), `cage.py` (what each program is shut into)
- of the languages: `drivers/`, `hooks.py`, `coverage.py`
"""

from __future__ import annotations

from arena.tracks.dual.runner.observation import RunObservation, StepObservation
from arena.tracks.dual.runner.order import Bind, Copy, Order, RunLimitsSpec, RunReply

__all__ = [
    "Bind",
    "Copy",
    "RunLimitsSpec",
    "Order",
    "RunReply",
    "RunObservation",
    "StepObservation",
]
