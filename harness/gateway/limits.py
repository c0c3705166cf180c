"""Limits of a model, shared by all attempts that use it: first come, first served."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path

from harness.gateway._terms import read_terms

MINUTE_S = 60.0


@dataclass(frozen=True)
class CallLimits:
    """A provider's limits; None means no limit.

    silence: seconds that it may say nothing, until the first byte and between two; None: as in `Patience`.
    """

    concurrent: int | None = None
    calls_a_minute: int | None = None
    tokens_a_minute: int | None = None
    silence: int | None = None


def load_limits(file: Path | None = None) -> dict[str, CallLimits]:
    """Limits of a TOML file, by the model's name: `[limits."NAME"]` holds any of the fields of `CallLimits`.

    Raises ValueError with a line that names file and field.
    """
    limits_by_model = {}
    field_names = {field.name for field in fields(CallLimits)}
    for name, row in (read_terms(file, "limits") if file else {}).items():
        where = f"{file}: limits.{name}"
        if not isinstance(row, dict) or not row.keys() <= field_names:
            raise ValueError(f"{where}: may have {', '.join(sorted(field_names))}")
        for field, value in row.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{where}.{field}: {value!r} is no whole number above 0")
        limits_by_model[name] = CallLimits(**row)
    return limits_by_model


@dataclass(eq=False, slots=True)
class Pass:
    """A call's share of the last minute; `tokens` is an estimate until the call ends."""

    started: float
    tokens: int


class Limiter:
    """Delays calls according to a model's limits. Belongs to an event loop."""

    def __init__(
        self, limits: CallLimits | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits or CallLimits()
        self._clock = clock
        self._slots = (
            None if self.limits.concurrent is None else asyncio.Semaphore(self.limits.concurrent)
        )
        self._rated = (self.limits.calls_a_minute or self.limits.tokens_a_minute) is not None
        self._turn = asyncio.Lock()
        self._minute: deque[Pass] = deque()

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Pass]:
        """Held while a call is in progress; set `tokens` of the pass when the answer has counts."""
        if self._slots is not None:
            await self._slots.acquire()
        try:
            yield await self._rate(tokens)
        finally:
            if self._slots is not None:
                self._slots.release()

    async def _rate(self, tokens: int) -> Pass:
        if not self._rated:
            return Pass(0.0, tokens)
        # In turns: no small call overtakes a large call that waits for its tokens.
        async with self._turn:
            while (wait := self._full(tokens)) > 0:
                await asyncio.sleep(wait)
            mine = Pass(self._clock(), tokens)
            self._minute.append(mine)
            return mine

    def _full(self, tokens: int) -> float:
        """Seconds until the oldest call of the minute leaves it, or 0 when there is room."""
        now, limits = self._clock(), self.limits
        while self._minute and self._minute[0].started + MINUTE_S <= now:
            self._minute.popleft()
        if not self._minute:
            return 0.0  # also a call that is larger than the limit is let through some time
        calls, max_tokens = limits.calls_a_minute, limits.tokens_a_minute
        if (calls is None or len(self._minute) < calls) and (
            max_tokens is None
            or sum(reserved.tokens for reserved in self._minute) + tokens <= max_tokens
        ):
            return 0.0
        # Never 0, which means that there is room.
        return max(0.001, self._minute[0].started + MINUTE_S - now)
