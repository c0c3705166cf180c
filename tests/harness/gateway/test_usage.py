"""Counts of tokens, from every place where providers put them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.dialects._usage import terms_of, tokens_beside, tokens_of
from harness.gateway.neutral import Reply, Tokens
from tests.harness.gateway.dialect_cases import dialect


def chat(given: Any, made: Any, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": given, "completion_tokens": made, **more}


UPSTREAM = {"cost_details": {"upstream_inference_cost": 4.0}}


def thought(tokens: int) -> dict[str, Any]:
    return {"completion_tokens_details": {"reasoning_tokens": tokens}}


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, None),
        ([], None),
        (chat(0, 0), None),
        (chat(9, 4), Tokens(9, 4)),
        (chat(9, 4, cost=0.25), Tokens(9, 4, billed=0.25)),
        (chat(9, 4, cost=0), Tokens(9, 4, billed=0.0)),
        (chat(9, 4, cost=0.25, **UPSTREAM), Tokens(9, 4, billed=0.25)),
        (chat(9, 4, cost=0.25, is_byok=True, **UPSTREAM), Tokens(9, 4, billed=4.25)),
        (chat(9, 4, cost=0.25, is_byok=True, cost_details=[]), Tokens(9, 4, billed=0.25)),
        (chat(9, 4, cost=-1), Tokens(9, 4)),
        (chat(9, 4, cost=2e6), Tokens(9, 4)),
        (chat(9, 4, cost=True), Tokens(9, 4)),
        (chat(9, 4, cost={"total_cost": 1}), Tokens(9, 4)),
        (chat(0, 0, cost=0.25), None),
        ({"input_tokens": 9, "output_tokens": 4}, Tokens(9, 4)),
        (chat(9, 4, total_tokens=13, **thought(3)), Tokens(9, 4, reasoning=3)),
        (chat(1000, 100, total_tokens=10_100, **thought(9000)), Tokens(1000, 9100, reasoning=9000)),
        (chat(1000, 100, total_tokens=1150, **thought(50)), Tokens(1000, 150, reasoning=50)),
        (chat(10, 20, total_tokens=530), Tokens(10, 520, reasoning=500)),
        (chat(21, 0, total_tokens=81, **thought(60)), Tokens(21, 60, reasoning=60)),
        (chat(9, 4, prompt_tokens_details={"cached_tokens": 3}), Tokens(9, 4, 3)),
        (
            {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3}},
            Tokens(9, 4, 3),
        ),
        (chat(9, 4, prompt_cache_hit_tokens=8, prompt_cache_miss_tokens=1), Tokens(9, 4, 8)),
        (chat(9, 4, cached_tokens=8), Tokens(9, 4, 8)),
        (chat(9, 4, cache_read_input_tokens=2, cache_creation_input_tokens=3), Tokens(9, 4, 2, 3)),
        (
            chat(9, 4, prompt_tokens_details={"cache_creation_input_tokens": 3}),
            Tokens(9, 4, written=3),
        ),
        (
            chat(9, 4, cache_creation={"ephemeral_1h_input_tokens": 2}),
            Tokens(9, 4, written=2, written_hour=2),
        ),
        (chat(9, 4, reasoning_tokens=3), Tokens(9, 4, reasoning=3)),
        (chat(100, 4, cached_tokens=900, total_tokens=1004), Tokens(1000, 4, 900)),
    ],
)
def test_counts_of_openai_s_dialects(usage: Any, tokens: Tokens | None) -> None:
    assert tokens_of(usage) == tokens


@pytest.mark.parametrize(
    ("usage", "tokens", "doubt"),
    [
        (chat(9, 4, total_tokens=5), Tokens(9, 4), "a total of 5 for 9 + 4"),
        (chat(9, 4, **thought(50)), Tokens(9, 54, reasoning=50), "50 reasoning tokens of 4"),
        (
            chat(9, 4, total_tokens=13, **thought(50)),
            Tokens(9, 54, reasoning=50),
            "50 reasoning tokens of 4",
        ),
        (chat(9, 4, cached_tokens=50), Tokens(59, 4, 50), "50 cached tokens of 9"),
    ],
)
def test_of_counts_that_contradict_each_other_the_dearer_reading_is_taken(
    usage: Any, tokens: Tokens, doubt: str
) -> None:
    found = tokens_of(usage)
    assert found is not None
    assert (found.numbers, found.doubt) == (tokens.numbers, doubt)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, None),
        ({"input_tokens": 9, "output_tokens": 4}, Tokens(9, 4)),
        (
            {
                "input_tokens": 1,
                "output_tokens": 4,
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 300,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": 100,
                    "ephemeral_1h_input_tokens": 200,
                },
                "output_tokens_details": {"thinking_tokens": 3},
            },
            Tokens(321, 4, 20, 300, 3, 200),
        ),
    ],
)
def test_counts_of_anthropic_s_dialect(usage: Any, tokens: Tokens | None) -> None:
    assert tokens_beside(usage) == tokens


COUNT = st.integers(-5, 10**6) | st.sampled_from([None, True, "7", 2**70, 1.5])
NAMES = (
    *("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens"),
    *(
        "cached_tokens",
        "cache_creation_input_tokens",
        "reasoning_tokens",
        "prompt_cache_hit_tokens",
    ),
)


@given(
    st.dictionaries(st.sampled_from(NAMES), COUNT | st.dictionaries(st.sampled_from(NAMES), COUNT)),
    st.dictionaries(st.sampled_from(NAMES), COUNT),
)
def test_whatever_is_told_parts_stay_within_their_whole(
    usage: dict[str, Any], details: dict[str, Any]
) -> None:
    usage |= {"prompt_tokens_details": details, "completion_tokens_details": details}
    for found in (tokens_of(usage), tokens_beside(usage)):
        if found is not None:
            assert found.cached + found.written <= found.input
            assert 0 <= found.written_hour <= found.written
            assert 0 <= found.reasoning <= found.output
            assert min(found.numbers) >= 0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_total_holds_all_that_is_billed(given: int, made: int, beside: int) -> None:
    found = tokens_of(chat(given, made, total_tokens=given + made + beside))
    assert found is not None
    assert found.input + found.output == given + made + beside


@pytest.mark.parametrize(
    ("body", "terms"),
    [
        ({}, ()),
        ({"service_tier": "default", "usage": {"service_tier": "standard"}}, ()),
        ({"service_tier": "Priority"}, ("priority",)),
        ({"usage": {"service_tier": "batch", "inference_geo": "us", "speed": "fast"}}, ("batch", "us", "fast")),
        ({"usage": {"inference_geo": "global", "speed": "standard"}, "service_tier": None}, ()),
        ({"service_tier": 7}, ()),
    ],
)  # fmt: skip
def test_words_that_change_the_price(body: dict[str, Any], terms: tuple[str, ...]) -> None:
    assert terms_of(body) == terms


def test_what_a_provider_billed_comes_over_to_each_dialect() -> None:
    reply = Reply("hi", tokens=Tokens(9, 4, billed=0.25))
    for name in ("chat", "completions", "responses", "messages"):
        there = dialect(name)
        body = there.render(reply, "m", 0)
        fold = there.fold()
        for event in there.stream(body):
            fold.feed(event)
        for found in (there.read(body).tokens, fold.reply().tokens):
            assert found is not None and found.billed == 0.25, name


def test_a_bill_over_iterations_is_told_once() -> None:
    usage = {"input_tokens": 9, "output_tokens": 4, "cost": 0.25, "iterations": [
        {"input_tokens": 9, "output_tokens": 4}, {"input_tokens": 5, "output_tokens": 2}]}  # fmt: skip
    assert tokens_beside(usage) == Tokens(14, 6, billed=0.25)
