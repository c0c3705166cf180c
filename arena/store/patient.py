"""A store for work that has cost money or minutes: it waits while the database or the disk is away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_delay,
    stop_any,
    wait_exponential,
)
from tenacity.stop import stop_base

from arena.store.faults import DISK_PATIENCE_S, StoreBusy, is_disk_full
from arena.store.store import Store

# Seconds that a result is held in memory while nothing takes it.
PATIENCE = 600.0
Result = TypeVar("Result")


def is_away(error: BaseException) -> bool:
    """Whether a store may take later what it does not take now: locked, down, or its disk full."""
    return isinstance(error, StoreBusy) or is_disk_full(error)


class _StopOnFullDisk(stop_base):
    """Stops when a disk has been full for DISK_PATIENCE_S."""

    def __call__(self, retry_state: RetryCallState) -> bool:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        return is_disk_full(error) and (retry_state.seconds_since_start or 0) >= DISK_PATIENCE_S


def patiently(work: Callable[[], Result]) -> Result:
    """The result of `work`, tried again while the store is away.

    Raises its error when PATIENCE is over, on a full disk when DISK_PATIENCE_S is.
    """
    trying = Retrying(
        retry=retry_if_exception(is_away),
        stop=stop_any(stop_after_delay(PATIENCE), _StopOnFullDisk()),
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
