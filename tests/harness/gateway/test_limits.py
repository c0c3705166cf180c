"""Limits of a model: how many of its calls run at once, and how many begin in a minute."""

from __future__ import annotations

import asyncio

import pytest

from harness.gateway.limits import CallLimits, Limiter


def test_limits_of_a_model_hold_over_all_its_calls() -> None:
    most = 0
    now = 0

    async def call(limiter: Limiter) -> None:
        nonlocal most, now
        async with limiter.slot(10):
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.001)
            now -= 1

    async def body() -> None:
        limiter = Limiter(CallLimits(concurrent=3))
        await asyncio.gather(*(call(limiter) for _ in range(20)))

    asyncio.run(body())
    assert most == 3


@pytest.mark.parametrize("limits", [CallLimits(calls_a_minute=2), CallLimits(tokens_a_minute=25)])
def test_rates_let_through_what_the_minute_has_room_for(limits: CallLimits) -> None:
    clock = [0.0]
    begun: list[float] = []

    async def call(limiter: Limiter) -> None:
        async with limiter.slot(10):
            begun.append(clock[0])

    async def body() -> None:
        limiter = Limiter(limits, lambda: clock[0])
        calls = asyncio.gather(*(call(limiter) for _ in range(2)))
        await asyncio.sleep(0.01)
        assert begun == [0, 0]
        third = asyncio.create_task(call(limiter))
        await asyncio.sleep(0.01)
        assert len(begun) == 2
        assert limiter._full(10) == 60
        clock[0] = 61
        assert limiter._full(10) == 0
        third.cancel()
        await calls

    asyncio.run(body())
