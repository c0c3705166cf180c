"""What a call is charged: by the price of its model, or by the provider's figure."""

from __future__ import annotations

from typing import NamedTuple

from harness.gateway.ledger import UsdSource
from harness.gateway.neutral import Tokens
from harness.gateway.price import FREE, Price

# Money is summed in whole millionths of a microdollar, so that no sum depends on its order.
UNITS_PER_USD = 10**12
# A share of the dearer amount: a provider's own word that is nearer to the price is rounded.
BILL_TOLERANCE = 0.001


class Bill(NamedTuple):
    """What a call is charged, where that is from, and why it may be another ("" where it is sure)."""

    usd: float
    source: UsdSource
    doubt: str


def units_of(usd: float) -> int:
    return round(usd * UNITS_PER_USD)


def bill_of(price: Price, tokens: Tokens, terms: tuple[str, ...] = ()) -> Bill:
    """By the price; by the provider's figure where there is no price, or where the figure is higher.

    A model that costs nothing by no table is a script or a replay, which repeats the words of a bill that was
    paid: there they count for nothing.
    """
    usd = units_of(price.cost(tokens, terms)) / UNITS_PER_USD
    doubts = [tokens.doubt, *_doubts(price, terms)]
    source: UsdSource = "prices" if price.is_known else "unknown"
    # Without this a replay would charge again what its record says that the provider billed.
    costs_nothing = price == FREE and price.is_known and not price.source
    if tokens.billed is not None and not costs_nothing:
        billed = units_of(tokens.billed) / UNITS_PER_USD
        if price.is_known and abs(billed - usd) > BILL_TOLERANCE * max(billed, usd):
            doubts.append(f"the provider billed {billed:g} USD, its price makes {usd:g}")
        # The dearer of both counts for caps: a table may be outdated, and money that was spent is spent.
        if billed > usd or not price.is_known:
            usd, source = billed, "provider"
    return Bill(usd, source, "; ".join(filter(None, doubts)))


def _doubts(price: Price, terms: tuple[str, ...]) -> list[str]:
    """What of an answer's words leaves its price open."""
    unknown = price.unknown_terms(terms) if price != FREE else ()
    notes = [f"no price is known for {word!r}" for word in unknown]
    tiers = [name for name, _ in price.tiers if name in terms]
    return notes + ([f"several service tiers: {', '.join(tiers)}"] if len(tiers) > 1 else [])
