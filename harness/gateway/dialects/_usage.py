"""The token counts of an answer, from every place where providers put them, in the same form.

What the same count is called, by provider (read in November 2026 from their API references and from public
bug reports): OpenAI `prompt_tokens`/`input_tokens` with `..._details`; DeepSeek `prompt_cache_hit_tokens`;
Moonshot `cached_tokens` beside the counts; Anthropic, and proxies of it that speak OpenAI's dialect,
`cache_read_input_tokens`, `cache_creation_input_tokens` and `cache_creation.ephemeral_1h_input_tokens`;
xAI and Gemini's endpoint for OpenAI's clients count reasoning beside the output, so that only `total_tokens`
reports it. Where two places disagree the larger number counts.

OpenRouter reports in `cost` what it billed; where the user's key pays the provider (`is_byok`), that is its
fee, and `cost_details.upstream_inference_cost` comes on top. Elsewhere that field repeats the cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.gateway.dialects._json import count, part
from harness.gateway.neutral import Tokens

_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details")
_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_CACHED = (
    "cached_tokens",
    "cache_read_input_tokens",
    "cache_read_tokens",
    "prompt_cache_hit_tokens",
)
_WRITTEN = (
    "cache_creation_input_tokens",
    "cache_write_tokens",
    "cache_write_input_tokens",
    "cache_creation_tokens",
)
_REASONING = ("reasoning_tokens", "thinking_tokens")
_BY_LIFETIME = ("cache_creation", "cache_creation_token_details")
_HOUR, _MINUTES = "ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens"
# A call for more is a lie.
MAX_BILLED_USD = 1e6
_STANDARD = frozenset({"", "default", "auto", "standard", "on_demand", "standard_only"})
_ANYWHERE = frozenset({"", "global", "not_available"})


def tokens_of(usage: Any) -> Tokens | None:
    """The counts of an answer of OpenAI's dialects, of which parts are within their whole; None for
    none.

    Sums that do not agree give the dearer reading, and `Tokens.doubt` says so.
    """
    parts = _parts(usage)
    if parts is None:
        return None
    total = count(part(usage, "total_tokens"))
    tokens, doubts = parts, []
    if tokens.cached + tokens.written > tokens.input:  # told beside the input, as Anthropic does
        beside = tokens.cached + tokens.written
        if total != tokens.input + beside + tokens.output:
            doubts.append(f"{beside} cached tokens of {tokens.input}")
        tokens = replace(tokens, input=tokens.input + beside)
    beside = tokens.cached + tokens.written
    # Only the total shows that cached tokens stand beside the input; the same excess may be reasoning.
    if beside and beside != tokens.reasoning and total == tokens.input + beside + tokens.output:
        tokens = replace(tokens, input=tokens.input + beside)
    # xAI and Gemini's endpoint for OpenAI's clients leave reasoning out of the output: up to 46 times of it.
    extra = total - tokens.input - tokens.output
    if extra > 0:  # reasoning that is counted beside the output
        tokens = replace(
            tokens, output=tokens.output + extra, reasoning=max(tokens.reasoning, extra)
        )
    elif total and extra < 0:
        doubts.append(f"a total of {total} for {tokens.input} + {tokens.output}")
    if tokens.reasoning > tokens.output:
        doubts.append(f"{tokens.reasoning} reasoning tokens of {tokens.output}")
        tokens = replace(tokens, output=tokens.output + tokens.reasoning)
    return _tokens_or_none(tokens, doubts)


def tokens_beside(usage: Any) -> Tokens | None:
    """The counts of an answer of Anthropic's dialect, where cached and written tokens stand beside the
    input.
    """
    tokens = _with_iterations(usage, _parts(usage))
    if tokens is None:
        return None
    doubts = []
    if tokens.reasoning > tokens.output:
        doubts.append(f"{tokens.reasoning} thinking tokens of {tokens.output}")
        tokens = replace(tokens, output=tokens.output + tokens.reasoning)
    return _tokens_or_none(
        replace(tokens, input=tokens.input + tokens.cached + tokens.written), doubts
    )


def _with_iterations(usage: Any, top: Tokens | None) -> Tokens | None:
    """The sum over an answer's iterations: Anthropic's counts leave those of a compaction out."""
    iterations = part(usage, "iterations")
    rounds = [
        parsed
        for iteration in (iterations if isinstance(iterations, list) else ())
        if (parsed := _parts(iteration))
    ]
    if top is None or not rounds:
        return top
    sums = (
        sum(counts) for counts in zip(*(iteration.numbers for iteration in rounds), strict=True)
    )
    counts = (max(pair) for pair in zip(top.numbers, sums, strict=True))
    return replace(Tokens(*counts), billed=top.billed)


def terms_of(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of an answer that change what its tokens cost: a service tier, a region, a speed."""
    usage = body.get("usage")
    tiers = {_word(body.get("service_tier")), _word(part(usage, "service_tier"))} - _STANDARD
    places = {_word(part(usage, "inference_geo"))} - _ANYWHERE
    speeds = {_word(part(usage, "speed"))} - _STANDARD
    return (*sorted(tiers), *sorted(places), *sorted(speeds))


def _parts(usage: Any) -> Tokens | None:
    """Each count as it was reported, its largest where several places report it."""
    if not isinstance(usage, Mapping):
        return None
    inner = [usage, *_within(usage, _DETAILS)]
    outer = [usage, *_within(usage, _OUTPUT_DETAILS)]
    lifetimes = [within for lifetime in inner for within in _within(lifetime, _BY_LIFETIME)]
    hour, minutes = _largest(lifetimes, (_HOUR,)), _largest(lifetimes, (_MINUTES,))
    return Tokens(
        input=_largest([usage], _INPUT),
        output=_largest([usage], _OUTPUT),
        cached=_largest(inner, _CACHED),
        written=max(_largest(inner, _WRITTEN), hour + minutes),
        reasoning=_largest(outer, _REASONING),
        written_hour=hour,
        billed=_billed_usd(usage),
    )


def billed_field(tokens: Tokens) -> dict[str, float]:
    """What a provider billed, from the usage of an answer in any dialect."""
    return {} if tokens.billed is None else {"cost": tokens.billed}


def _billed_usd(usage: Mapping[str, Any]) -> float | None:
    cost = _usd(usage.get("cost"))
    if cost is None or usage.get("is_byok") is not True:
        return cost
    upstream = _usd(part(usage.get("cost_details"), "upstream_inference_cost"))
    return cost + (upstream or 0.0)


def _usd(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value <= MAX_BILLED_USD else None


def _within(place: Mapping[str, Any], names: tuple[str, ...]) -> list[Mapping[str, Any]]:
    return [mapping for name in names if isinstance(mapping := place.get(name), Mapping)]


def _largest(places: list[Mapping[str, Any]], names: tuple[str, ...]) -> int:
    counts = [count(place[name]) for place in places for name in names if name in place]
    return max(counts, default=0)


def _tokens_or_none(tokens: Tokens, doubts: list[str]) -> Tokens | None:
    """None where a provider reported no counts: no call has neither input nor output."""
    if not tokens.input and not tokens.output:
        return None
    return replace(tokens, doubt="; ".join(doubts))


def _word(value: Any) -> str:
    return value.lower()[:32] if isinstance(value, str) else ""
