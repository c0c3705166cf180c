"""What an account charges besides answers: tries that failed, tiers, counts in doubt, a model that was ended."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.account import Account, Refused
from harness.gateway.ledger import LedgerRow
from harness.gateway.neutral import Tokens
from harness.gateway.price import Price
from harness.gateway.provider_errors import ErrorCause
from tests.harness.gateway.serving import capped
from tests.harness.gateway.test_account import QUARTER, Clock, end, run
from tests.harness.gateway.test_account_ledger import PRICE, USED

TIERED = Price(
    1.0, 2.0, tiers=(("flex", Price(0.5, 1.0)), ("fast", Price(4.0, 8.0))), factors=(("us", 2.0),)
)


def test_a_try_that_failed_is_entered_beside_the_call_that_goes_on() -> None:
    async def body() -> tuple[Account, list[tuple[float, int]]]:
        charges: list[tuple[float, int]] = []
        clock = Clock()
        account = Account(
            capped(10.0, None), TIERED, clock=clock, charge=lambda *cost: charges.append(cost)
        )
        clock.now += 1.23456789
        reservation = await account.admit(1.0, 5)
        clock.now += 0.5
        account.charge_try(reservation, "chat", "m", Tokens(3, 2, written=1), "again", ("flex",))
        account.charge_try(reservation, "chat", "m", Tokens(1, 0), "once more")
        return account, charges

    account, charges = run(body())
    first, second = account.calls
    assert first == LedgerRow(
        0, "chat", "m", Tokens(3, 2, written=1), 3.5, 1.234568, 0.5, 502, True, "again"
    )
    assert (second.usd, second.error) == (1.0, "once more")
    assert charges == [(3.5, 5), (1.0, 1)]
    usage = account.usage
    assert (usage.calls, usage.usd, usage.input_tokens, usage.written_tokens) == (0, 4.5, 4, 1)
    assert account.stop_reason == ""


@pytest.mark.parametrize(
    ("tokens", "terms", "usd", "uncertain"),
    [
        (Tokens(1, 1), (), 3.0, ""),
        (Tokens(1, 1), ("flex",), 1.5, ""),
        (Tokens(1, 1), ("us",), 6.0, ""),
        (Tokens(1, 1, doubt="odd"), (), 3.0, "odd"),
        (Tokens(1, 1), ("gold",), 3.0, "no price is known for 'gold'"),
        (Tokens(1, 1), ("fast", "flex"), 12.0, "several service tiers: flex, fast"),
        (
            Tokens(1, 1, doubt="odd"),
            ("gold", "new"),
            3.0,
            "odd; no price is known for 'gold'; no price is known for 'new'",
        ),
    ],
)
def test_a_bill_that_may_be_another_is_uncertain(
    tokens: Tokens, terms: tuple[str, ...], usd: float, uncertain: str
) -> None:
    async def body() -> Account:
        account = Account(capped(None, None), TIERED, clock=Clock())
        account.charge(await account.admit(), "chat", "m", tokens, 200, terms=terms)
        return account

    account = run(body())
    (row,) = account.calls
    assert (row.usd, row.terms, row.uncertain) == (usd, terms, uncertain)
    assert account.usage.uncertain == (1 if uncertain else 0)


def test_what_costs_nothing_is_never_uncertain_for_its_tier() -> None:
    async def body() -> Account:
        account = Account(capped(None, None), clock=Clock())
        account.charge(await account.admit(), "chat", "m", Tokens(1, 1), 200, terms=("gold",))
        return account

    assert run(body()).calls[0].uncertain == ""


def test_a_model_that_its_provider_ended_is_not_asked_again() -> None:
    async def body() -> Account:
        account = Account(capped(None, None), QUARTER, clock=Clock())
        end(account, await account.admit(), USED)
        account.end_by_provider(ErrorCause.DENIED, "no key")
        account.end_by_provider(ErrorCause.UNPAID, "no money")
        with pytest.raises(Refused) as refused:
            await account.admit()
        assert str(refused.value) == "the model is not available: no key"
        assert refused.value.cap == "calls"
        return account

    account = run(body())
    assert (account.ended, account.ended_by) == ("no key", ErrorCause.DENIED)
    assert (account.usage.refused, account.stop_reason) == (1, "model-unavailable")
    assert account.to_json()["ended"] == "no key"


def test_there_is_money_until_the_cap_is_reached() -> None:
    async def body() -> list[bool]:
        account = Account(capped(2.0, None), Price(1.0), clock=Clock())
        found = [account.has_money()]
        for _ in range(2):
            end(account, await account.admit(), Tokens(1))
            found.append(account.has_money())
        return found

    assert run(body()) == [True, True, False]


def test_a_fault_that_told_tokens_is_paid_and_does_not_count() -> None:
    async def body() -> tuple[Account, list[Any]]:
        charges: list[Any] = []
        account = Account(
            capped(None, None), PRICE, clock=Clock(), charge=lambda *cost: charges.append(cost)
        )
        end(account, await account.admit(), Tokens(4, 1), kind="fault")
        return account, charges

    account, charges = run(body())
    usage = account.usage
    assert (usage.calls, usage.usd, usage.input_tokens, charges) == (0, 4.0, 4, [(4.0, 5)])
    assert account.stop_reason == "model-unavailable"


def test_the_ledger_says_where_prices_are_from_and_what_was_not_sent() -> None:
    price = Price(1.0, unread=("off_peak_pricing",), source="a table")
    account = Account(price=price, clock=Clock())
    account.unpinned["temperature"] = "it takes none"
    told = account.to_json()
    assert told["prices"] == {"source": "a table", "not_applied": ["off_peak_pricing"]}
    assert (told["unpinned"], told["calls"]) == ({"temperature": "it takes none"}, [])
