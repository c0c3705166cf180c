"""Caps of an attempt: which call is admitted, which waits, and which is refused."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from harness.gateway.account import UNCAPPED, Account, Refused, Reservation
from harness.gateway.ledger import LedgerRow, Usage
from harness.gateway.neutral import Tokens
from harness.gateway.price import FREE, Price
from harness.protocols import Budget
from tests.harness.gateway.serving import capped

T = TypeVar("T")

# A token of output costs 0.25 USD, of which every sum is exact.
QUARTER = Price(0.0, 0.25)


class Clock:
    """A clock that stands still until it is set. A loop that reads it without end fails."""

    def __init__(self, now: float = 100.0) -> None:
        self.now, self.reads = now, 0

    def __call__(self) -> float:
        self.reads += 1
        assert self.reads < 20_000
        return self.now


def run(body: Coroutine[Any, Any, T]) -> T:
    """Run a test's calls; a wait without end fails after two seconds."""

    async def limited() -> T:
        async with asyncio.timeout(2):
            return await body

    return asyncio.run(limited())


async def start(account: Account, usd: float = 0.0, tokens: int = 0) -> asyncio.Task[Reservation]:
    """A call that has come as far as it can: admitted, refused or waiting."""
    task = asyncio.create_task(account.admit(usd, tokens))
    await settle()
    return task


async def settle() -> None:
    """Let every task come as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


def end(account: Account, call: Reservation, tokens: Tokens, **options: Any) -> LedgerRow:
    return account.charge(call, "chat", "m", tokens, 200, **options)


async def use(account: Account, worst: tuple[float, int], tokens: Tokens) -> str:
    """One whole call: the name of the cap that refused it, or ""."""
    try:
        call = await account.admit(*worst)
    except Refused as refused:
        return refused.cap
    await asyncio.sleep(0)
    end(account, call, tokens)
    return ""


def test_the_defaults_of_an_account() -> None:
    account = Account(clock=Clock())
    assert account.caps == Budget(seconds=1800.0, usd=2.0, calls=75, tokens=None)
    assert account.price == FREE
    assert (account.broken, account.ended, account.stop_reason) == ("", "", "")
    assert (account.calls, account.usage) == ((), Usage(0, 0, 0, 0, 0, 0.0, 0.0, 0, 0))
    assert len(account.token) == 32 and account.token != Account().token
    assert Account(token="mine").token == "mine"
    assert Budget(seconds=math.inf, usd=math.inf, calls=sys.maxsize, tokens=None) == UNCAPPED


@pytest.mark.parametrize(
    ("body_bytes", "max_output", "usd", "tokens"),
    [
        (0, 0, 0.0, 0),
        (1, 0, 0.5, 1),
        (3, 0, 0.5, 1),
        (4, 0, 1.0, 2),
        (30, 5, 15.0, 15),
        (31, 1, 7.5, 12),
        (3, -7, 0.5, 1),
        (30, None, 16_389.0, 8202),
    ],
)
def test_the_worst_case_is_a_token_for_three_bytes_and_the_whole_output(
    body_bytes: int, max_output: int | None, usd: float, tokens: int
) -> None:
    assert Account(price=Price(0.5, 2.0)).worst(body_bytes, max_output) == (usd, tokens)


HALF_SPENT, FOUR_TOKENS, SMALL = [Tokens(0, 2)], [Tokens(1, 3)], Tokens(0, 1)


@pytest.mark.parametrize(
    ("caps", "ended", "flying", "admitted"),
    [
        (capped(1.0, None), [], [], True),
        (capped(1.0, None), [Tokens(0, 3)], [], True),
        (capped(1.0, None), [], [(0.999999, 0)], True),
        (capped(1.0, None), [], [(1.0, 0)], False),
        (capped(1.0, None), [], [(2.0, 0)], False),
        (capped(1.0, None), [], [(0.5, 0), (0.499999, 0)], True),
        (capped(1.0, None), [], [(0.5, 0), (0.5, 0)], False),
        (capped(1.0, None), HALF_SPENT, [(0.499999, 0)], True),
        (capped(1.0, None), HALF_SPENT, [(0.5, 0)], False),
        (capped(None, None, tokens=10), [Tokens(4, 5)], [], True),
        (capped(None, None, tokens=10), [], [(9.0, 9)], True),
        (capped(None, None, tokens=10), [], [(0.0, 10)], False),
        (capped(None, None, tokens=10), [], [(0.0, 4), (0.0, 5)], True),
        (capped(None, None, tokens=10), [], [(0.0, 4), (0.0, 6)], False),
        (capped(None, None, tokens=10), FOUR_TOKENS, [(0.0, 5)], True),
        (capped(None, None, tokens=10), FOUR_TOKENS, [(0.0, 6)], False),
        (capped(None, 3), [], [(9.0, 99)] * 2, True),
        (capped(None, 3), [], [(0.0, 0)] * 3, False),
        (capped(None, 3), [SMALL], [(0.0, 0)], True),
        (capped(None, 3), [SMALL], [(0.0, 0)] * 2, False),
        (capped(None, 3), [SMALL] * 2, [], True),
        (capped(None, 3), [SMALL] * 2, [(0.0, 0)], False),
        (capped(None, None), [SMALL] * 9, [(1e9, 10**9)] * 9, True),
    ],
)
def test_a_call_waits_while_those_in_flight_may_reach_a_cap(
    caps: Budget, ended: list[Tokens], flying: list[tuple[float, int]], admitted: bool
) -> None:
    """Its own worst case does not matter: a cap is exceeded by the last call."""

    async def body() -> None:
        account = Account(caps, QUARTER, clock=Clock())
        for tokens in ended:
            end(account, await account.admit(), tokens)
        for worst in flying:
            await account.admit(*worst)
        task = await start(account, 50.0, 500)
        assert task.done() is admitted
        if admitted:
            assert (await task).number == len(ended) + len(flying)
        task.cancel()

    run(body())


def test_a_call_that_states_no_worst_case_reserves_nothing() -> None:
    async def body() -> list[int]:
        account = Account(capped(1e-12, None, tokens=1), clock=Clock())
        return [(await account.admit()).number for _ in range(3)]

    assert run(body()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("caps", "worst", "next_worst", "small", "large"),
    [
        (capped(1.0, None), (0.8, 0), (0.6, 0), Tokens(0, 1), Tokens(0, 2)),
        (capped(None, None, tokens=10), (0.0, 8), (0.0, 6), Tokens(1, 1), Tokens(2, 2)),
    ],
)
def test_a_call_that_ends_gives_back_what_it_did_not_use(
    caps: Budget,
    worst: tuple[float, int],
    next_worst: tuple[float, int],
    small: Tokens,
    large: Tokens,
) -> None:
    async def body(used: Tokens) -> tuple[bool, bool]:
        account = Account(caps, QUARTER, clock=Clock())
        first, second = await account.admit(*worst), await account.admit(*next_worst)
        third = await start(account, *worst)
        assert not third.done()
        end(account, first, used)
        await settle()
        after_one = third.done()
        end(account, second, used, kind="fault")
        await settle()
        return after_one, third.done()

    assert run(body(small)) == (True, True)
    assert run(body(large)) == (False, True)


@pytest.mark.parametrize(("kind", "cap"), [("call", "calls"), ("fault", "")])
def test_who_waits_for_the_last_call_is_refused_unless_it_is_a_fault(kind: Any, cap: str) -> None:
    async def body() -> str:
        account = Account(capped(None, 1), clock=Clock())
        last = await account.admit()
        waiting = asyncio.create_task(use(account, (0.0, 0), SMALL))
        await asyncio.sleep(0)
        end(account, last, SMALL, kind=kind)
        return await waiting

    assert run(body()) == cap


def test_calls_are_admitted_in_the_order_in_which_they_came() -> None:
    async def body() -> tuple[int, int]:
        account = Account(capped(1.0, None), QUARTER, clock=Clock())
        first = await account.admit(1.0)
        second = await start(account, 0.1)
        end(account, first, SMALL)
        third = await account.admit()  # before the second has woken up
        return (await second).number, third.number

    assert run(body()) == (1, 2)


def test_admitted_and_refused_calls_are_numbered_in_one_row() -> None:
    async def body() -> list[int]:
        account = Account(clock=Clock())
        return [(await account.admit()).number, account.next_number(), account.next_number()]

    assert run(body()) == [0, 1, 2]


REFUSALS = [
    (capped(None, 2), [SMALL] * 2, 0.0, "calls", "all 2 model calls are used"),
    (capped(None, 0), [], 0.0, "calls", "all 0 model calls are used"),
    (capped(0.5, None), [Tokens(0, 2)], 0.0, "usd", "0.5000 of 0.5 USD are spent"),
    (capped(0.5, None), [SMALL, Tokens(0, 2)], 0.0, "usd", "0.7500 of 0.5 USD are spent"),
    (capped(0.0, None), [], 0.0, "usd", "0.0000 of 0 USD are spent"),
    (capped(None, None, tokens=10), [Tokens(4, 6)], 0.0, "tokens", "10 of 10 tokens are used"),
    (
        capped(None, None, tokens=10),
        [Tokens(9, 0), Tokens(0, 2)],
        0.0,
        "tokens",
        "11 of 10 tokens are used",
    ),
    (capped(None, None, 60.0), [], 60.0, "time", "the 60 s are over"),
    (capped(None, None, 0.5), [SMALL], 7.0, "time", "the 0.5 s are over"),
    (Budget(60.0, 1.5, 1, 10), [Tokens(4, 6)], 60.0, "calls", "all 1 model calls are used"),
    (Budget(60.0, 1.5, 2, 10), [Tokens(4, 6)], 60.0, "usd", "1.5000 of 1.5 USD are spent"),
    (Budget(60.0, 2.0, 2, 10), [Tokens(4, 6)], 60.0, "tokens", "10 of 10 tokens are used"),
    (Budget(60.0, 2.0, 2, 11), [Tokens(4, 6)], 60.0, "time", "the 60 s are over"),
]


@pytest.mark.parametrize(("caps", "ended", "seconds", "cap", "why"), REFUSALS)
def test_a_cap_that_is_reached_refuses_every_further_call(
    caps: Budget, ended: list[Tokens], seconds: float, cap: str, why: str
) -> None:
    async def body() -> None:
        clock = Clock()
        account = Account(caps, QUARTER, clock=clock)
        for tokens in ended:
            end(account, await account.admit(), tokens)
        clock.now += seconds
        for refused in (1, 2):
            with pytest.raises(Refused) as error:
                await account.admit()
            assert error.value.cap == account.stop_reason == cap
            assert str(error.value) == (
                f"the budget of this attempt is spent: {why}; no more calls are answered"
            )
            assert (account.usage.refused, account.usage.calls) == (refused, len(ended))

    run(body())


@pytest.mark.parametrize(
    ("caps", "ended", "seconds"),
    [
        (capped(None, 2), [SMALL], 0.0),
        (capped(0.5, None), [SMALL], 0.0),
        (capped(None, None, tokens=10), [Tokens(4, 5, cached=4, reasoning=5)], 0.0),
        (capped(None, None, 60.0), [SMALL], 59.999),
        (capped(None, None), [SMALL] * 100, 1e9),
    ],
)
def test_below_every_cap_nothing_is_refused(
    caps: Budget, ended: list[Tokens], seconds: float
) -> None:
    async def body() -> None:
        clock = Clock()
        account = Account(caps, QUARTER, clock=clock)
        for tokens in ended:
            end(account, await account.admit(), tokens)
        clock.now += seconds
        assert (await account.admit()).number == len(ended)
        assert (account.stop_reason, account.usage.refused) == ("", 0)

    run(body())


def test_the_first_cap_that_was_reached_stays_the_reason() -> None:
    async def body() -> Account:
        clock = Clock()
        account = Account(capped(None, 1, 60.0), clock=clock)
        call = await account.admit()
        clock.now += 60
        assert await use(account, (0.0, 0), SMALL) == "time"
        end(account, call, SMALL)
        assert await use(account, (0.0, 0), SMALL) == "calls"
        return account

    account = run(body())
    assert (account.stop_reason, account.usage.refused) == ("time", 2)


def test_the_end_of_the_time_also_ends_the_waiting() -> None:
    async def body() -> tuple[str, float]:
        clock, loop = Clock(), asyncio.get_running_loop()
        account = Account(capped(None, 1, 0.05), clock=clock)
        await account.admit()
        began = loop.time()
        loop.call_later(0.02, setattr, clock, "now", 101.0)
        return await use(account, (0.0, 0), SMALL), loop.time() - began

    cap, seconds = run(body())
    assert cap == "time" and 0.04 < seconds < 1


@pytest.mark.parametrize("together", [1, 20])
def test_never_more_calls_than_the_cap(together: int) -> None:
    async def body() -> tuple[Account, list[str]]:
        account, caps = Account(capped(None, 7)), []
        for _ in range(40 // together):
            calls = (use(account, (0.0, 0), SMALL) for _ in range(together))
            caps += await asyncio.gather(*calls)
        return account, caps

    account, caps = run(body())
    assert (account.usage.calls, caps.count("calls")) == (7, len(caps) - 7)
    assert (account.stop_reason, account.usage.refused) == ("calls", len(caps) - 7)


@pytest.mark.parametrize("together", [1, 20])
@pytest.mark.parametrize("used", [1, 30, 100])
@pytest.mark.parametrize(
    ("caps", "cap"), [(capped(2.0, None), "usd"), (capped(None, None, tokens=200), "tokens")]
)
def test_a_cap_is_exceeded_by_at_most_one_call(
    caps: Budget, cap: str, used: int, together: int
) -> None:
    """Input and output count, what was cached as part of the input, reasoning as part of the output."""
    half = Tokens(used // 2, used - used // 2, cached=used // 4, reasoning=used // 4)

    async def body() -> tuple[Account, set[str]]:
        account, reasons = Account(caps, Price(0.01, 0.01)), set()
        for _ in range(400 // together):
            calls = (use(account, (1.0, 100), half) for _ in range(together))
            reasons |= set(await asyncio.gather(*calls))
        return account, reasons

    account, reasons = run(body())
    assert (account.stop_reason, reasons) == (cap, {"", cap})
    usage = account.usage
    assert 200 <= usage.input_tokens + usage.output_tokens < 200 + used
    assert 2.0 <= usage.usd < 2.0 + used / 100
