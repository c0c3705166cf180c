"""Who hears what a call cost as soon as it is charged: it is known then, whoever is killed before the end.

with metered(lambda row: print(row.usd)):
    agent.solve(...)  # every account that this thread opens tells its calls
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.gateway.account import Hears

_HEARS: ContextVar[Hears | None] = ContextVar("hears", default=None)


@contextmanager
def metered(hears: Hears) -> Iterator[None]:
    """Accounts that are opened within, by this thread, tell `hears` of each call when it is charged."""
    token = _HEARS.set(hears)
    try:
        yield
    finally:
        _HEARS.reset(token)


def listener() -> Hears | None:
    """Who hears of an account that is opened now."""
    return _HEARS.get()
