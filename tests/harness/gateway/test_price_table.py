"""Each key of a row of LiteLLM's table is applied, or of a kind that no call has, or named."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.neutral import Tokens
from harness.gateway.price import Price
from harness.gateway.price_table import FIELDS, is_priced, load_table, price_of

COSTS = {
    "input_cost_per_token": 1.0,
    "output_cost_per_token": 2.0,
    "cache_read_input_token_cost": 3.0,
    "cache_creation_input_token_cost": 4.0,
    "cache_creation_input_token_cost_above_1hr": 5.0,
}
WHOLE = Price(1.0, 2.0, 3.0, 4.0, 5.0)


def entry(usd: float | None, **more: Any) -> dict[str, Any]:
    return {"input_cost_per_token": usd, **more}


@pytest.mark.parametrize(
    ("row", "price"),
    [
        (COSTS, WHOLE),
        (entry(1.0), Price(1.0)),
        (entry(None, output_cost_per_token=None), Price()),
        (entry(0.0, cache_read_input_token_cost=0.0), Price(0.0, 0.0, 0.0)),
        (entry(1.0, cache_creation_input_token_cost=4.0), Price(1.0, 0.0, None, 4.0)),
        (entry(1.0, output_cost_per_reasoning_token=4.0), Price(1.0, reasoning=4.0)),
        (entry(1.0, input_cost_per_token_cache_hit=0.5), Price(1.0, 0.0, 0.5)),
        (
            entry(1.0, input_cost_per_token_cache_hit=0.5, cache_read_input_token_cost=0.4),
            Price(1.0, 0.0, 0.4),
        ),
        (entry(1.0, input_cost_per_request=0.25), Price(1.0, request=0.25)),
        (entry(1.0, provider_specific_entry={"us": 1.1}), Price(1.0, factors=(("us", 1.1),))),
        (entry(1.0, off_peak_pricing={"windows": []}), Price(1.0, unread=("off_peak_pricing",))),
        (entry(1.0, citation_cost_per_token=2.0), Price(1.0, unread=("citation_cost_per_token",))),
        (
            entry(1.0, input_cost_per_image=2.0, search_context_cost_per_query={"low": 1}),
            Price(1.0),
        ),
        (entry(1.0, input_cost_per_token="2"), Price(0.0, unread=("input_cost_per_token",))),
        (entry(1.0, litellm_provider="fireworks_ai"), Price(1.0, 0.0, 0.5)),
        (
            entry(1.0, litellm_provider="fireworks_ai", cache_read_input_token_cost=0.4),
            Price(1.0, 0.0, 0.4),
        ),
        ({"litellm_provider": "fireworks_ai", "output_cost_per_token": 2.0}, Price(0.0, 2.0)),
        (entry(1.0, litellm_provider="openai"), Price(1.0)),
        (
            entry(1.0, input_cost_per_token_above_500_tokens=2.0),
            Price(1.0, steps=((500, Price(2.0)),)),
        ),
    ],
)
def test_a_row_as_a_price(row: dict[str, Any], price: Price) -> None:
    assert price_of(row) == price


@pytest.mark.parametrize("word", ["100k", "128k", "200k", "272k", "512k", "1000k"])
def test_a_long_call_costs_more_by_what_the_table_says(word: str) -> None:
    length = int(word[:-1]) * 1000
    more = {f"{name}_above_{word}_tokens": 10 * usd for name, usd in COSTS.items()}
    found = price_of(COSTS | more)
    assert found == Price(
        1.0, 2.0, 3.0, 4.0, 5.0, steps=((length, Price(10.0, 20.0, 30.0, 40.0, 50.0)),)
    )
    partly = price_of(COSTS | {f"input_cost_per_token_above_{word}_tokens": 10.0})
    assert partly.steps == ((length, Price(10.0, 2.0, 3.0, 4.0, 5.0)),)
    assert partly.cost(Tokens(length)) == length
    assert partly.cost(Tokens(length + 1)) == 10 * length + 10


def test_of_several_lengths_each_has_its_price() -> None:
    row = entry(
        1.0, input_cost_per_token_above_256k_tokens=3.0, input_cost_per_token_above_32k_tokens=2.0
    )
    assert price_of(row).steps == ((32_000, Price(2.0)), (256_000, Price(3.0)))


def test_xai_s_higher_price_holds_from_the_limit_on() -> None:
    row = entry(1.0, litellm_provider="xai", input_cost_per_token_above_200k_tokens=2.0)
    assert [price_of(row).cost(Tokens(n)) for n in (199_999, 200_000)] == [199_999, 400_000]


def test_ranges_are_lengths() -> None:
    ranges = [
        {"range": [32_000, 128_000], "input_cost_per_token": 2.0, "output_cost_per_token": 20.0},
        {"range": [0, 32_000], "input_cost_per_token": 1.0, "cache_read_input_token_cost": 0.5},
    ]
    found = price_of({"tiered_pricing": ranges})
    assert found == Price(1.0, 0.0, 0.5, steps=((32_000, Price(2.0, 20.0, 0.5)),))
    assert is_priced({"tiered_pricing": ranges})
    assert not is_priced({"tiered_pricing": [{"range": [0]}], "mode": "chat"})


@pytest.mark.parametrize(
    "row",
    [
        {"range": [0, 9, 99], "input_cost_per_token": 5.0},
        {"range": "09", "input_cost_per_token": 5.0},
        {"range": [0, 9], "output_cost_per_token": 5.0},
        {"input_cost_per_token": 5.0},
        "5.0",
    ],
)
def test_a_range_that_is_none_is_left_out(row: Any) -> None:
    assert not is_priced({"tiered_pricing": [row]})
    rows = [row, {"range": [0, 9], "input_cost_per_token": 1.0}]
    assert price_of({"tiered_pricing": rows}) == Price(1.0)


def test_of_two_ranges_from_the_same_length_on_the_later_counts() -> None:
    rows = [
        {"range": [0, 9], "input_cost_per_token": 1.0, "output_cost_per_token": 3.0},
        {"range": [0, 99], "input_cost_per_token": 2.0},
    ]
    assert price_of({"tiered_pricing": rows}) == Price(2.0, 3.0)


@pytest.mark.parametrize(
    ("reasoning", "at_flex"), [(2.0, 1.5), (1.0, 1.5), (4.0, 4.0), (None, None)]
)
def test_reasoning_at_a_cheaper_tier_is_as_cheap_where_both_cost_the_same(
    reasoning: float | None, at_flex: float | None
) -> None:
    row = entry(
        1.0,
        output_cost_per_token=2.0,
        output_cost_per_token_flex=1.5,
        output_cost_per_reasoning_token=reasoning,
    )
    assert dict(price_of(row).tiers)["flex"].reasoning == at_flex


def test_a_service_tier_has_prices_of_its_own_and_else_the_standard_ones() -> None:
    row = COSTS | {
        "input_cost_per_token_priority": 10.0,
        "input_cost_per_token_above_200k_tokens": 7.0,
        "output_cost_per_token_flex": 1.5,
        "input_cost_per_token_batches": 0.5,
    }
    tiers = dict(price_of(row).tiers)
    assert set(tiers) == {"priority", "fast", "flex", "batch"}
    assert tiers["priority"] == tiers["fast"]
    assert tiers["priority"] == Price(
        10.0, 2.0, 3.0, 4.0, 5.0, steps=((200_000, Price(7.0, 2.0, 3.0, 4.0, 5.0)),)
    )
    price = price_of(row)
    used = Tokens(10, 1)
    costs = {tier: price.cost(used, (tier,)) for tier in ("", "priority", "flex", "batch", "new")}
    assert costs == {"": 12.0, "priority": 102.0, "flex": 11.5, "batch": 7.0, "new": 12.0}
    assert price.unknown_terms(("priority", "new")) == ("new",)


def test_what_multiplies_does_so_beside_a_tier() -> None:
    row = entry(
        1.0, input_cost_per_token_priority=3.0, provider_specific_entry={"us": 2, "fast": 5}
    )
    price = price_of(row)
    assert [price.cost(Tokens(1), terms) for terms in ((), ("us",), ("priority", "us"))] == [
        1,
        2,
        6,
    ]


def test_reasoning_is_never_cheaper_than_the_output_of_a_dearer_call() -> None:
    row = entry(
        1.0,
        output_cost_per_token=2.0,
        output_cost_per_reasoning_token=2.0,
        output_cost_per_token_above_200k_tokens=6.0,
        output_cost_per_token_priority=8.0,
    )
    price = price_of(row)
    assert (price.reasoning, price.steps[0][1].reasoning) == (2.0, 6.0)
    assert dict(price.tiers)["priority"].reasoning == 8.0
    own = row | {"output_cost_per_reasoning_token": 4.0}
    assert (price_of(own).reasoning, price_of(own).steps[0][1].reasoning) == (4.0, 6.0)


def test_every_key_of_the_installed_table_that_prices_text_is_applied_or_named() -> None:
    chats = [
        e for e in load_table().values() if e.get("mode") in ("chat", "responses", "completion")
    ]
    assert len(chats) > 2_000
    unread = {name for entry in chats for name in price_of(entry).unread}
    assert unread == {"citation_cost_per_token", "off_peak_pricing"}
    dear = {key for entry in chats for key in entry if key.startswith(tuple(FIELDS))}
    assert any("_above_100k_tokens" in key for key in dear)
