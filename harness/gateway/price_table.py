"""LiteLLM's price table, read without LiteLLM: importing it takes seconds, and it would download
a newer table.

An entry has keys such as `cache_read_input_token_cost_above_200k_tokens_priority`: what is counted, from
how large an input on, and at which service tier. Each is either applied, or of a kind that no call through
the gateway can have (pictures, sound, searches), or named as not applied.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from harness.gateway.price import Price

DIGEST_CHARACTERS = 12
TABLE = "model_prices_and_context_window_backup.json"
FIELDS: Mapping[str, str] = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "output_cost_per_reasoning_token": "reasoning",
    "cache_read_input_token_cost": "cached",
    "cache_creation_input_token_cost": "written",
    "cache_creation_input_token_cost_above_1hr": "written_hour",
}
INPUT_KEY = "input_cost_per_token"
# Longest names first: `cache_creation_input_token_cost` is the beginning of `..._above_1hr`.
_KEY = re.compile(
    rf"({'|'.join(sorted(FIELDS, key=len, reverse=True))})(?:_above_(\d+)(k?)_tokens)?(?:_([a-z]+))?"
)
# A tier's ending in the table -> what answers call it, where that differs.
_TIERS: Mapping[str, tuple[str, ...]] = {"priority": ("priority", "fast"), "batches": ("batch",)}
# Providers whose higher price holds from the limit on, not only above it.
_FROM_ON = frozenset({"xai"})
# Bills cached input at half of its price where nothing else is stated (its pricing page, November 2026).
HALF_WHEN_CACHED = "fireworks_ai"
# The seal lets no such call through, so these prices cannot apply and are no gap in the plan.
_NEVER_CALLED = re.compile(
    r"image|audio|video|character|pixel|second|search_context|grounding|_session|file_search|computer_use"
    r"|vector_store|dbu_cost|annotation|ocr|guardrail|_per_query|text_message"
)
# Other names of the price of cached input, which count where the usual one is not stated.
_OTHER_CACHED = ("input_cost_per_token_cache_hit", "explicit_cache_read_input_token_cost")
_READ_ELSEWHERE = frozenset(
    {"provider_specific_entry", "input_cost_per_request", "tiered_pricing", *_OTHER_CACHED}
)
_PRICED = re.compile(r"cost|pricing|provider_specific_entry")

# Service tier -> tokens of input above which it holds -> field -> USD a token.
Levels = dict[str, dict[int, dict[str, float]]]


class TableFacts(NamedTuple):
    """Which table prices are from: LiteLLM's version, the start of the file's SHA-256, the day it was read.

    The package does not say of which day its prices are.
    """

    version: str
    digest: str
    day: str

    def __str__(self) -> str:
        return f"LiteLLM {self.version} ({self.digest}), read {self.day}"


@functools.cache
def load_table() -> Mapping[str, Mapping[str, Any]]:
    """All entries by the model's name. Raises FileNotFoundError where LiteLLM is not installed."""
    entries: dict[str, Any] = json.loads(_table_file().read_bytes())
    return {name: entry for name, entry in entries.items() if isinstance(entry, dict)}


@functools.cache
def table_facts() -> TableFacts:
    """Raises FileNotFoundError where LiteLLM is not installed."""
    # The file's digest and not only LiteLLM's version: the file can be replaced within an installation.
    digest = hashlib.sha256(_table_file().read_bytes()).hexdigest()[:DIGEST_CHARACTERS]
    return TableFacts(
        importlib.metadata.version("litellm"), digest, datetime.now(UTC).date().isoformat()
    )


def _table_file() -> Path:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("LiteLLM, whose package holds the prices, is not installed")
    return Path(spec.origin).parent / TABLE


def is_priced(entry: Mapping[str, Any]) -> bool:
    """Whether an entry prices tokens of text."""
    return INPUT_KEY in entry or bool(_ranges(entry))


def price_of(entry: Mapping[str, Any]) -> Price:
    """The price of an entry, with the names of what it states and is not applied."""
    levels, unread = _levels(entry)
    factors = entry.get("provider_specific_entry")
    items = factors.items() if isinstance(factors, dict) else ()
    plain = levels[""][0]
    if entry.get("litellm_provider") == HALF_WHEN_CACHED and "input" in plain:
        plain.setdefault("cached", plain["input"] / 2)
    standard = _price(levels, "")
    tiers = tuple(
        (name, _price(levels, tier))
        for tier in levels
        if tier
        for name in _TIERS.get(tier, (tier,))
    )
    return replace(
        standard,
        request=_number(entry.get("input_cost_per_request")) or 0.0,
        tiers=tiers,
        factors=tuple((word, float(by)) for word, by in items if _number(by) is not None),
        unread=tuple(unread),
    )


def _levels(entry: Mapping[str, Any]) -> tuple[Levels, list[str]]:
    levels: Levels = {"": {0: {}}}
    unread = []
    for key, value in entry.items():
        # An entry also has limits and abilities of the model, which are no prices that could be overlooked.
        if not _PRICED.search(key) or key in _READ_ELSEWHERE:
            continue
        match, number = _KEY.fullmatch(key), _number(value)
        if match is not None and number is not None:
            field, above, thousands, tier = match.groups()
            least = int(above or 0) * (1000 if thousands else 1)
            # Compared with "more than", so the limit itself counts when it is lowered by a token.
            if least and entry.get("litellm_provider") in _FROM_ON:
                least -= 1
            levels.setdefault(tier or "", {}).setdefault(least, {})[FIELDS[field]] = number
        elif not _NEVER_CALLED.search(key) and value:
            unread.append(key)
    for least, row in _ranges(entry):
        fields = {
            FIELDS[key]: number
            for key, value in row.items()
            if key in FIELDS and (number := _number(value)) is not None
        }
        levels[""].setdefault(least, {}).update(fields)
    for key in _OTHER_CACHED:
        if (number := _number(entry.get(key))) is not None:
            levels[""][0].setdefault("cached", number)
    return levels, unread


def _ranges(entry: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Of `tiered_pricing` the tokens of input above which each row holds, and the row."""
    rows = entry.get("tiered_pricing")
    ranges = [
        (int(row["range"][0]), row)
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
        and INPUT_KEY in row
        and isinstance(row.get("range"), list)
        and len(row["range"]) == 2
    ]
    if not ranges:
        return []
    ranges.sort(key=lambda each: each[0])
    # The first row holds from 0 on, whatever lower end it states: no call is without a price.
    return [(0, ranges[0][1]), *ranges[1:]]


def _price(levels: Levels, tier: str) -> Price:
    """The price at a service tier. What it does not state is as at the standard tier, and at less input."""
    thresholds = sorted({least for name in ("", tier) for least in levels[name]})
    flat_prices = [(least, _flat(_fill_levels(levels, tier, least))) for least in thresholds]
    return replace(flat_prices[0][1], steps=tuple(flat_prices[1:]))


def _flat(row: Mapping[str, float]) -> Price:
    return Price(
        row.get("input", 0.0),
        row.get("output", 0.0),
        row.get("cached"),
        row.get("written"),
        row.get("written_hour"),
        row.get("reasoning"),
    )


def _fill_levels(levels: Levels, tier: str, least: int) -> dict[str, float]:
    prices: dict[str, float] = {}
    for name, level in _weaker(levels, tier, least):
        level_prices = levels[name].get(level, {})
        prices = {**level_prices, **prices}
    if "reasoning" in prices:
        prices = _with_reasoning(levels, tier, least, prices)
    return prices


def _weaker(levels: Levels, tier: str, least: int) -> Iterator[tuple[str, int]]:
    """Where a price is looked up, the closest first."""
    yield from ((tier, least), ("", least))
    lower = sorted({step for name in ("", tier) for step in levels[name] if step < least})
    for level in reversed(lower):
        yield from ((tier, level), ("", level))


def _with_reasoning(
    levels: Levels, tier: str, least: int, prices: dict[str, float]
) -> dict[str, float]:
    """Reasoning has a price only where the table states it for just this tier and length.

    The table states it once, for the standard tier and short inputs, beside an output that is dearer
    elsewhere: there reasoning is never cheaper than the output, unless it is already where both are stated.
    """
    if "reasoning" in levels[tier].get(least, {}):
        return prices
    base = levels[""][0]
    if base.get("reasoning") == base.get("output"):
        return {**prices, "reasoning": prices["output"]}
    return {**prices, "reasoning": max(prices["reasoning"], prices["output"])}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
