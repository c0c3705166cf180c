"""The ledger of an attempt: what each call cost, the sums, why it stopped, and its clock."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.account import Account
from harness.gateway.ledger import LedgerRow, Usage
from harness.gateway.neutral import Tokens
from harness.gateway.price import Price
from harness.gateway.provider_errors import ErrorCause
from tests.harness.gateway.serving import capped
from tests.harness.gateway.test_account import QUARTER, Clock, end, run

USED = Tokens(5, 2, cached=3, written=1, reasoning=1)
PRICE = Price(0.5, 2.0, 0.25)


async def account_of_two_calls(clock: Clock) -> Account:
    """A call that was cut off, then a fault that was retried."""
    account = Account(capped(None, None), PRICE, clock=clock)
    clock.now = 101.2345678
    first = await account.admit()
    clock.now = 103.0
    account.charge(
        first,
        "chat",
        "gpt",
        USED,
        200,
        estimated=True,
        error="cut off",
        finish="stop",
        ending="empty",
    )
    second = await account.admit()
    clock.now = 103.5
    account.charge(second, "messages", "opus", Tokens(), 529, kind="fault")
    account.count_retry()
    return account


FIRST = LedgerRow(
    0, "chat", "gpt", USED, 5.75, 1.234568, 1.765432, 200, True, "cut off", "stop", "empty"
)
SECOND = LedgerRow(1, "messages", "opus", Tokens(), 0.0, 3.0, 0.5, 529, False, "", "", "")


def test_a_row_has_what_a_call_used_and_when() -> None:
    account = run(account_of_two_calls(Clock()))
    assert account.calls == (FIRST, SECOND)


def test_the_ledger_as_json() -> None:
    clock = Clock()
    account = run(account_of_two_calls(clock))
    account.stop("usd")
    clock.now = 110.12345
    zero = {"input": 0, "output": 0, "cached": 0, "written": 0, "reasoning": 0}
    none = {"written_hour": 0, "doubt": "", "billed": None}
    assert account.to_json() == {
        "usage": {
            "calls": 1,
            "input_tokens": 5,
            "output_tokens": 2,
            "cached_tokens": 3,
            "reasoning_tokens": 1,
            "written_tokens": 1,
            "usd": 5.75,
            "seconds": 10.123,
            "retries": 1,
            "refused": 0,
            "uncertain": 0,
        },
        "stopped": "usd",
        "ended": "",
        "unpinned": {},
        "prices": {"source": "", "not_applied": []},
        "calls": [
            {
                "number": 0,
                "wire": "chat",
                "model": "gpt",
                "tokens": {"input": 5, "output": 2, "cached": 3, "written": 1, "reasoning": 1}
                | none,
                "usd": 5.75,
                "began": 1.234568,
                "seconds": 1.765432,
                "status": 200,
                "estimated": True,
                "error": "cut off",
                "finish": "stop",
                "ending": "empty",
                "terms": (),
                "uncertain": "",
                "usd_source": "prices",
            },
            {
                "number": 1,
                "wire": "messages",
                "model": "opus",
                "tokens": zero | none,
                "usd": 0.0,
                "began": 3.0,
                "seconds": 0.5,
                "status": 529,
                "estimated": False,
                "error": "",
                "finish": "",
                "ending": "",
                "terms": (),
                "uncertain": "",
                "usd_source": "prices",
            },
        ],
    }


def test_usage_is_the_sum_of_the_calls() -> None:
    async def body() -> Account:
        account = Account(capped(None, None), PRICE, clock=Clock())
        for tokens in (USED, Tokens(1, 10, cached=1, reasoning=7), Tokens()):
            end(account, await account.admit(), tokens)
            account.count_retry()
        end(account, await account.admit(), Tokens(), kind="fault")
        await account.admit(9.0, 9)  # in flight
        return account

    assert run(body()).usage == Usage(
        calls=3,
        input_tokens=6,
        output_tokens=12,
        cached_tokens=4,
        reasoning_tokens=8,
        written_tokens=1,
        usd=26.0,
        seconds=0.0,
        retries=3,
        refused=0,
    )


TOKENS = st.builds(Tokens, *(st.integers(0, 10**6) for _ in range(2)), cached=st.integers(0, 1000))


@given(
    st.lists(TOKENS, max_size=60),
    st.builds(Price, st.floats(0, 1e-3), st.floats(0, 1e-3), st.none() | st.floats(0, 1e-3)),
    st.randoms(use_true_random=False),
)
def test_the_money_is_that_of_the_calls_in_any_order(
    calls: list[Tokens], price: Price, dice: Any
) -> None:
    async def body(order: list[Tokens]) -> Account:
        account = Account(capped(None, None), price, clock=Clock())
        for tokens in order:
            end(account, await account.admit(), tokens)
        return account

    account, shuffled = run(body(calls)), run(body(dice.sample(calls, len(calls))))
    assert account.usage == shuffled.usage
    assert account.usage.calls == len(account.calls) == len(calls)
    assert account.usage.usd == pytest.approx(math.fsum(map(price.cost, calls)), abs=1e-9)
    exact = sum(round(Fraction(row.usd) * 10**12) for row in account.calls)
    assert account.usage.usd == exact / 10**12


@pytest.mark.parametrize(
    ("usd", "charged"), [(4e-13, 0.0), (6e-13, 1e-12), (0.1, 0.1), (1 / 3, 0.333333333333)]
)
def test_money_is_counted_in_millionths_of_a_microdollar(usd: float, charged: float) -> None:
    async def body() -> Account:
        account = Account(capped(None, None), Price(usd), clock=Clock())
        end(account, await account.admit(), Tokens(1))
        return account

    account = run(body())
    assert account.calls[0].usd == account.usage.usd == charged


def test_whoever_opened_the_account_hears_of_calls_that_cost_and_of_no_faults() -> None:
    async def body() -> list[tuple[float, int]]:
        charges: list[tuple[float, int]] = []
        account = Account(
            capped(None, None), PRICE, clock=Clock(), charge=lambda *cost: charges.append(cost)
        )
        end(account, await account.admit(), Tokens(5, 2, cached=3, reasoning=1))
        end(account, await account.admit(), Tokens(), kind="fault")
        end(account, await account.admit(), Tokens(0, 1))
        return charges

    assert run(body()) == [(5.75, 7), (2.0, 1)]


CALL: dict[str, Any] = {}
FAULT: dict[str, Any] = {"kind": "fault"}
# The agent left before the provider was heard of.
LEFT: dict[str, Any] = {"answered": None}
# The provider refused the request as such.
REFUSED: dict[str, Any] = {"answered": False}


@pytest.mark.parametrize(
    ("calls", "cap", "ended", "stopped"),
    [
        ([], "", "", ""),
        ([CALL], "", "", ""),
        ([LEFT], "", "", ""),
        ([FAULT], "", "", "model-unavailable"),
        ([REFUSED], "", "", "model-unavailable"),
        ([REFUSED, LEFT, REFUSED], "usd", "", "model-unavailable"),
        ([REFUSED, CALL], "", "", ""),
        ([CALL, REFUSED], "", "", ""),
        ([FAULT, FAULT], "", "", "model-unavailable"),
        ([FAULT, LEFT], "", "", "model-unavailable"),
        ([LEFT, FAULT], "", "", "model-unavailable"),
        ([FAULT, CALL], "", "", ""),
        ([CALL, FAULT], "", "", ""),
        ([FAULT, LEFT, CALL], "", "", ""),
        ([CALL], "usd", "", "usd"),
        ([FAULT, CALL], "tokens", "", "tokens"),
        ([FAULT], "time", "", "model-unavailable"),
        ([CALL], "", "no credit left", "model-unavailable"),
        ([CALL], "calls", "no credit left", "model-unavailable"),
    ],
)
def test_why_an_attempt_stopped(
    calls: list[dict[str, Any]], cap: Any, ended: str, stopped: str
) -> None:
    async def body() -> Account:
        account = Account(capped(None, None), QUARTER, clock=Clock())
        for options in calls:
            end(account, await account.admit(), USED, **options)
        return account

    account = run(body())
    if ended:
        account.end_by_provider(ErrorCause.UNPAID, ended)
    if cap:
        account.stop(cap)
    assert account.stop_reason == stopped


def test_of_several_caps_the_first_is_remembered() -> None:
    account = Account(clock=Clock())
    account.stop("tokens")
    account.stop("usd")
    assert account.stop_reason == "tokens"


def test_the_clock_stops_once() -> None:
    clock = Clock()
    account = Account(capped(None, None, 60.0), clock=clock)
    assert (account.elapsed_seconds(), account.remaining()) == (0.0, 60.0)
    clock.now = 112.3456
    assert (account.elapsed_seconds(), account.usage.seconds) == (pytest.approx(12.3456), 12.346)
    assert account.remaining() == pytest.approx(47.6544)
    clock.now = 120.0
    account.close()
    clock.now = 150.0
    assert (account.elapsed_seconds(), account.remaining()) == (20.0, 40.0)
    account.close()
    assert (account.elapsed_seconds(), account.usage.seconds) == (20.0, 20.0)


def test_without_a_cap_the_time_that_is_left_is_infinite() -> None:
    assert Account(capped(), clock=Clock()).remaining() == math.inf


def test_a_call_in_progress_is_charged_for_its_time_after_the_account_was_closed() -> None:
    async def body() -> LedgerRow:
        clock = Clock()
        account = Account(capped(), clock=clock)
        clock.now = 110.0
        call = await account.admit()
        account.close()
        clock.now = 130.0
        assert account.since(call) == 20.0
        return end(account, call, USED)

    row = run(body())
    assert (row.began, row.seconds) == (10.0, 20.0)


@pytest.mark.parametrize(
    ("ending", "finish", "only_words"),
    [
        ("refused", "", True),
        ("refused", "stop", True),
        ("refused", "end_turn", True),
        ("refused", "length", True),
        ("refused", "content_filter", True),
        ("refused", "refusal", False),
        ("refused", "refused", False),
        ("filtered", "content_filter", False),
        ("filtered", "", False),
        ("empty", "stop", False),
        ("", "stop", False),
    ],
)
def test_a_refusal_without_the_provider_s_word_is_only_words(
    ending: str, finish: str, only_words: bool
) -> None:
    row = LedgerRow(0, "chat", "m", USED, 0.0, 0.0, 1.0, 200, False, "", finish, ending)
    assert row.only_words is only_words


def test_a_call_that_ends_after_closing_is_billed() -> None:
    async def body() -> Account:
        account = Account(capped(None, None), QUARTER, clock=Clock())
        call = await account.admit()
        account.close()
        end(account, call, USED)
        return account

    account = run(body())
    assert (account.usage.calls, account.usage.usd, len(account.calls)) == (1, 0.5, 1)


def test_calls_that_cost_nothing_are_reported_too() -> None:
    async def body() -> list[tuple[float, int]]:
        charges: list[tuple[float, int]] = []
        account = Account(
            capped(None, None), Price(), clock=Clock(), charge=lambda *c: charges.append(c)
        )
        end(account, await account.admit(), Tokens(5, 2))
        return charges

    assert run(body()) == [(0.0, 7)]
