"""Caps and the ledger: nothing is sent beyond a cap, and the sum is that of the calls."""

from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.account import MAX_OUTPUT, Account, LedgerRow, Refused
from harness.gateway.limits import CallLimits, Limiter
from harness.gateway.neutral import Tokens
from harness.gateway.prices import Price
from tests.harness.gateway.serving import capped

CENT = Price(0.0, 0.01)
"""A token of output costs a cent."""


def end(account: Account, ticket: object, output: int = 1, **kw: object) -> LedgerRow:
    return account.charge(ticket, "chat", "m", Tokens(0, output), 200, **kw)  # type: ignore[arg-type]


async def use(account: Account, worst: float, output: int, seconds: float = 0.001) -> str:
    """One call; the name of the cap that refused it, or ""."""
    try:
        ticket = await account.admit(worst)
    except Refused as refused:
        return refused.cap
    await asyncio.sleep(seconds)
    end(account, ticket, output)
    return ""


@pytest.mark.parametrize("together", [1, 20])
def test_never_more_calls_than_the_cap(together: int) -> None:
    async def run() -> tuple[Account, list[str]]:
        account = Account(capped(None, 7))
        told: list[str] = []
        for _ in range(40 // together):
            told += await asyncio.gather(*(use(account, 0, 1) for _ in range(together)))
        return account, told

    account, told = asyncio.run(run())
    assert (account.usage.calls, told.count("calls")) == (7, len(told) - 7)
    assert (account.stopped, account.usage.refused) == ("calls", len(told) - 7)


@pytest.mark.slow
@pytest.mark.parametrize("together", [1, 20])
@pytest.mark.parametrize("used", [1, 30, 100])
def test_money_is_overshot_by_at_most_one_call(together: int, used: int) -> None:
    """Also when each call uses all that was reserved for it."""

    async def run() -> Account:
        account = Account(capped(2.0, None), CENT)
        for _ in range(400 // together):
            await asyncio.gather(*(use(account, 1.0, used) for _ in range(together)))
        return account

    account = asyncio.run(run())
    assert account.stopped == "usd"
    assert 2.0 <= account.usage.usd < 2.0 + used / 100


def test_a_call_waits_while_those_in_flight_may_use_up_the_money() -> None:
    async def run() -> None:
        account = Account(capped(1.0, None), CENT)
        first = await account.admit(1.0)
        second = asyncio.create_task(account.admit(0.1))
        await asyncio.sleep(0.01)
        assert not second.done()
        end(account, first, 10)
        assert (await asyncio.wait_for(second, 30)).number == 1

    asyncio.run(run())


@pytest.mark.slow
@pytest.mark.parametrize("together", [1, 20])
@pytest.mark.parametrize("used", [1, 30, 100])
def test_tokens_are_overshot_by_at_most_one_call(together: int, used: int) -> None:
    """Input and output count, what was cached as part of the input, reasoning as part of the output."""

    async def call(account: Account) -> str:
        try:
            ticket = await account.admit(tokens=100)
        except Refused as refused:
            return refused.cap
        await asyncio.sleep(0.001)
        half = Tokens(used // 2, used - used // 2, cached=used // 4, reasoning=used // 4)
        account.charge(ticket, "chat", "m", half, 200)
        return ""

    async def run() -> tuple[Account, list[str]]:
        account, told = Account(capped(None, None, tokens=200)), []
        for _ in range(400 // together):
            told += await asyncio.gather(*(call(account) for _ in range(together)))
        return account, told

    account, told = asyncio.run(run())
    usage = account.usage
    assert account.stopped == "tokens" and set(told) == {"", "tokens"}
    assert 200 <= usage.input_tokens + usage.output_tokens < 200 + used
    assert usage.refused == told.count("tokens")


def test_the_worst_of_a_call_counts_its_body_and_its_output() -> None:
    account = Account(capped(), Price(0.001, 0.01))
    worst = account.worst(30, 5)
    assert (worst.usd, worst.tokens) == (pytest.approx(0.06), 15)
    assert account.worst(31, None).tokens == 11 + MAX_OUTPUT


def test_a_call_waits_while_those_in_flight_may_use_up_the_tokens() -> None:
    async def run() -> None:
        account = Account(capped(None, None, tokens=100))
        first = await account.admit(tokens=100)
        second = asyncio.create_task(account.admit(tokens=1))
        await asyncio.sleep(0.01)
        assert not second.done()
        end(account, first, 10)
        assert (await asyncio.wait_for(second, 30)).number == 1

    asyncio.run(run())


@pytest.mark.slow
def test_time_refuses_and_also_ends_the_waiting() -> None:
    async def run() -> None:
        account = Account(capped(None, 1, 1.0))
        await account.admit()
        with pytest.raises(Refused) as refused:
            await account.admit()
        assert refused.value.cap == account.stopped == "time"

    asyncio.run(run())


def test_a_provider_s_fault_costs_and_counts_nothing() -> None:
    async def run() -> Account:
        account = Account(capped(None, 1), CENT)
        end(account, await account.admit(5.0), 100, kind="fault")
        assert (account.usage.calls, account.usage.usd, account.usage.output_tokens) == (0, 0, 0)
        assert account.stopped == "model-unavailable"
        end(account, await account.admit(5.0), 100)
        return account

    account = asyncio.run(run())
    assert account.stopped == ""
    assert [row.usd for row in account.calls] == [0, 1.0]


def test_who_left_does_not_make_an_absent_model_present() -> None:
    async def run() -> Account:
        account = Account(capped())
        end(account, await account.admit(), kind="fault")
        end(account, await account.admit(), answered=False)
        return account

    assert asyncio.run(run()).stopped == "model-unavailable"


TOKENS = st.builds(Tokens, *(st.integers(0, 10**6) for _ in range(2)), cached=st.integers(0, 1000))


@given(
    st.lists(TOKENS, max_size=60),
    st.builds(Price, st.floats(0, 1e-3), st.floats(0, 1e-3), st.none() | st.floats(0, 1e-3)),
)
def test_the_sum_is_that_of_the_calls(calls: list[Tokens], price: Price) -> None:
    async def run() -> Account:
        account = Account(capped(None, None), price)
        for tokens in calls:
            account.charge(await account.admit(), "chat", "m", tokens, 200)
        return account

    account = asyncio.run(run())
    usage, rows = account.usage, account.calls
    assert usage.calls == len(calls)
    assert usage.usd == pytest.approx(math.fsum(row.usd for row in rows), abs=1e-9)
    assert usage.usd == pytest.approx(math.fsum(map(price.cost, calls)), abs=1e-9)
    assert usage.input_tokens == sum(one.input for one in calls)
    assert usage.cached_tokens == sum(one.cached for one in calls)
    assert set(usage.to_json()) == {
        *("calls", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"),
        *("usd", "seconds", "retries", "refused"),
    }


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

    async def run() -> None:
        limiter = Limiter(CallLimits(concurrent=3))
        await asyncio.gather(*(call(limiter) for _ in range(20)))

    asyncio.run(run())
    assert most == 3


@pytest.mark.parametrize("limits", [CallLimits(calls_a_minute=2), CallLimits(tokens_a_minute=25)])
def test_rates_let_through_what_the_minute_has_room_for(limits: CallLimits) -> None:
    clock = [0.0]
    begun: list[float] = []

    async def call(limiter: Limiter) -> None:
        async with limiter.slot(10):
            begun.append(clock[0])

    async def run() -> None:
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

    asyncio.run(run())


def test_calls_that_cost_are_told_and_no_others() -> None:
    async def run() -> list[tuple[float, ...]]:
        heard: list[tuple[float, ...]] = []
        account = Account(capped(None, None), CENT, charge=lambda *cost: heard.append(cost))
        end(account, await account.admit(), 3)
        end(account, await account.admit(), 4, kind="fault")
        return heard

    assert asyncio.run(run()) == [(0.03, 3)]
