"""What a call is charged where a provider says what it billed, as OpenRouter does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from harness.gateway.account import Account
from harness.gateway.bill import Bill, bill_of
from harness.gateway.neutral import Tokens
from harness.gateway.price import FREE, UNKNOWN, Price
from tests.harness.gateway.serving import capped

PRICED = Price(1.0, 2.0, source="a table")
LISTED_FREE = Price(source="a table")
DEARER = "the provider billed 3.1 USD, its price makes 3"
CHEAPER = "the provider billed 2.5 USD, its price makes 3"


@pytest.mark.parametrize(
    ("price", "billed", "bill"),
    [
        (PRICED, None, Bill(3.0, "prices", "")),
        (PRICED, 3.0, Bill(3.0, "prices", "")),
        (PRICED, 3.003, Bill(3.003, "provider", "")),
        (PRICED, 2.9971, Bill(3.0, "prices", "")),
        (PRICED, 3.1, Bill(3.1, "provider", DEARER)),
        (PRICED, 2.5, Bill(3.0, "prices", CHEAPER)),
        (PRICED, 0.0, Bill(3.0, "prices", "the provider billed 0 USD, its price makes 3")),
        (UNKNOWN, None, Bill(0.0, "unknown", "")),
        (UNKNOWN, 0.0, Bill(0.0, "provider", "")),
        (UNKNOWN, 0.25, Bill(0.25, "provider", "")),
        (LISTED_FREE, 0.0, Bill(0.0, "prices", "")),
        (LISTED_FREE, 1.0, Bill(1.0, "provider", "the provider billed 1 USD, its price makes 0")),
        (FREE, 1.0, Bill(0.0, "prices", "")),
    ],
)
def test_the_dearer_of_price_and_bill_counts(
    price: Price, billed: float | None, bill: Bill
) -> None:
    assert bill_of(price, Tokens(1, 1, billed=billed)) == bill


def test_money_has_twelve_digits_whoever_tells_it() -> None:
    assert bill_of(UNKNOWN, Tokens(1, 1, billed=0.1234567890123456)).usd == 0.123456789012
    assert bill_of(Price(0.1234567890123456), Tokens(1)).usd == 0.123456789012


def test_each_doubt_is_told() -> None:
    price = replace(PRICED, tiers=(("flex", Price(1.0)), ("fast", Price(4.0))))
    tokens = Tokens(1, 1, doubt="odd", billed=9.0)
    assert bill_of(price, tokens, ("gold", "flex", "fast")).doubt == (
        "odd; no price is known for 'gold'; several service tiers: flex, fast; "
        "the provider billed 9 USD, its price makes 4"
    )
    assert bill_of(FREE, Tokens(1), ("gold",)).doubt == ""


def test_caps_and_the_ledger_take_what_the_provider_billed() -> None:
    async def body() -> Account:
        account = Account(capped(1.0, None), UNKNOWN)
        tokens = Tokens(9, 4, billed=0.4)
        account.charge_try(await account.admit(), "chat", "m", tokens, "again")
        account.charge(await account.admit(), "chat", "m", replace(tokens, billed=0.6), 200)
        return account

    account = asyncio.run(body())
    assert [(row.usd, row.usd_source) for row in account.calls] == [
        (0.4, "provider"),
        (0.6, "provider"),
    ]
    assert account.usage.usd == 1.0 and not account.has_money()


def test_a_try_that_is_billed_otherwise_says_so() -> None:
    async def body() -> Account:
        account = Account(capped(None, None), PRICED)
        account.charge_try(await account.admit(), "chat", "m", Tokens(1, 1, billed=3.1), "again")
        return account

    (row,) = asyncio.run(body()).calls
    assert (row.usd, row.usd_source, row.uncertain) == (3.1, "provider", DEARER)
