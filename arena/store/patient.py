"""A store for work that has cost money or minutes: it waits while the database or the disk is away."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_exponential

from arena.store.faults import StoreBusy
from arena.store.store import Store

PATIENCE = 600.0
"""Seconds that a result is held in memory while nothing takes it."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
Result = TypeVar("Result")


def is_away(error: BaseException) -> bool:
    """Whether a store may take later what it does not take now: locked, down, or its disk full."""
    return isinstance(error, StoreBusy) or (isinstance(error, OSError) and error.errno in FULL)


def patiently(work: Callable[[], Result]) -> Result:
    """The result of `work`, tried again while the store is away; its error when PATIENCE is over."""
    trying = Retrying(
        retry=retry_if_exception(is_away),
        stop=stop_after_delay(PATIENCE),
        wait=wait_exponential(multiplier=0.2, max=15),
        reraise=True,
    )
    return trying(work)


class PatientStore(Store):
    """A store that retries while its database or artefacts are away: no result of agent or grader is lost."""

    def keep(self, data: bytes) -> str:
        return patiently(partial(super().keep, data))

    def blob(self, digest: str) -> bytes:
        return patiently(partial(super().blob, digest))

    def fact(self, key: str) -> dict[str, Any] | None:
        return patiently(partial(super().fact, key))

    def put_fact(self, key: str, fact: dict[str, Any]) -> None:
        patiently(partial(super().put_fact, key, fact))
