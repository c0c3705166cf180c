"""The price of calls, by ours and by LiteLLM: each priced entry of its table x synthetic usages.

    .venv/bin/python scripts/bench/money.py [--show 20]

Differences are counted by their reason; what has no reason ends with status 1. LiteLLM's answer is taken as
right but where a reason of `REASONS` holds, each of which says what LiteLLM does and why ours differs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from harness.gateway.neutral import Tokens
from harness.gateway.price import Price
from harness.gateway.price_table import is_priced, load_table, price_of

MODES = ("chat", "responses", "completion", None)
# Part of the cost that a difference must exceed.
SAME = 1e-3


@dataclass(frozen=True)
class MadeUp:
    """A usage, with the words of its answer that change the price."""

    name: str
    tokens: Tokens
    terms: tuple[str, ...] = ()


USAGES = (
    MadeUp("plain", Tokens(1000, 100)),
    MadeUp("cached", Tokens(1000, 100, cached=900)),
    MadeUp("written", Tokens(1000, 100, written=600)),
    MadeUp("hour", Tokens(1000, 100, written=600, written_hour=400)),
    MadeUp("reasoning", Tokens(1000, 1100, reasoning=1000)),
    *(
        MadeUp(f"{n // 1000}k", Tokens(n, 1000))
        for n in (32_001, 100_001, 128_001, 200_000, 200_001)
    ),
    *(MadeUp(f"{n // 1000}k", Tokens(n, 1000)) for n in (256_001, 272_001, 512_001, 1_000_001)),
    MadeUp("long cached", Tokens(300_000, 1000, cached=290_000)),
    MadeUp("long reasoning", Tokens(300_000, 2000, reasoning=1500)),
    MadeUp("priority", Tokens(1000, 100), ("priority",)),
    MadeUp("flex", Tokens(1000, 100, cached=500), ("flex",)),
    MadeUp("long priority", Tokens(300_000, 1000), ("priority",)),
    MadeUp("region", Tokens(1000, 100), ("us",)),
)
Reason = Callable[[Mapping[str, Any], MadeUp, Price], bool]


def _priced_by_reasoning(entry: Mapping[str, Any], used: MadeUp, price: Price) -> bool:
    long = any(used.tokens.input > least for least, _ in price.steps)
    return bool(
        used.tokens.reasoning
        and "output_cost_per_reasoning_token" in entry
        and (long or used.terms)
    )


def _is_named_twice(entry: Mapping[str, Any]) -> bool:
    """Whether the table also lists an entry's bare name below its provider's."""
    table = load_table()
    name = next((name for name, each in table.items() if each is entry), "")
    return (
        "/" not in name
        and f"{str(entry.get('litellm_provider')).partition('_')[0]}/{name}" in table
    )


REASONS: Mapping[str, Reason] = {
    "off-peak prices by the hour of the day are not applied; the dearer price counts": lambda e, u, p: (
        "off_peak_pricing" in e
    ),
    "LiteLLM bills reasoning of long calls at the price for short ones": _priced_by_reasoning,
    "LiteLLM takes the entry of another provider that ends in the same name": lambda e, u, p: (
        _is_named_twice(e)
    ),
    "LiteLLM leaves out a price of each request": lambda e, u, p: bool(p.request),
    "LiteLLM has no price of an hour for it and bills the write at nothing": lambda e, u, p: (
        u.tokens.written_hour > 0 and "cache_creation_input_token_cost_above_1hr" not in e
    ),
}


def theirs(model: str, entry: Mapping[str, Any], used: MadeUp) -> float | None:
    """LiteLLM's cost, or None where it raises."""
    from litellm.litellm_core_utils.llm_cost_calc.utils import generic_cost_per_token  # type: ignore[import-not-found]
    from litellm.types.utils import Usage  # type: ignore[import-not-found]

    tokens = used.tokens
    usage = Usage(
        prompt_tokens=tokens.input,
        completion_tokens=tokens.output,
        total_tokens=tokens.input + tokens.output,
        prompt_tokens_details={
            "cached_tokens": tokens.cached,
            "cache_creation_tokens": tokens.written,
            **(
                {
                    "cache_creation_token_details": {
                        "ephemeral_1h_input_tokens": tokens.written_hour,
                        "ephemeral_5m_input_tokens": tokens.written - tokens.written_hour,
                    }
                }
                if tokens.written_hour
                else {}
            ),
        },
        completion_tokens_details={"reasoning_tokens": tokens.reasoning},
        **({"inference_geo": "us"} if "us" in used.terms else {}),
    )
    tier = next((word for word in used.terms if word != "us"), None)
    try:
        sums = generic_cost_per_token(
            model=model,
            usage=usage,
            custom_llm_provider=str(entry.get("litellm_provider", "")),
            service_tier=tier,
        )
    except Exception:  # noqa: BLE001 - whatever it raises, it gives no cost
        return None
    geo = (
        float((entry.get("provider_specific_entry") or {}).get("us", 1.0))
        if "us" in used.terms
        else 1.0
    )
    return float(sums[0] + sums[1]) * geo


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--show", type=int, default=20, help="differences without a reason to print"
    )
    show = parser.parse_args().show
    counts: Counter[str] = Counter()
    unexplained = []
    for model, entry in load_table().items():
        if entry.get("mode") not in MODES or not is_priced(entry) or model == "sample_spec":
            continue
        price = price_of(entry)
        for used in USAGES:
            their_cost, our_cost = theirs(model, entry, used), price.cost(used.tokens, used.terms)
            if their_cost is None:
                counts["LiteLLM gives no cost"] += 1
            elif abs(our_cost - their_cost) <= SAME * max(our_cost, their_cost):
                counts["same"] += 1
            else:
                reason = next(
                    (text for text, holds in REASONS.items() if holds(entry, used, price)), ""
                )
                counts[reason or "unexplained"] += 1
                if not reason:
                    unexplained.append((model, used.name, our_cost, their_cost))
    for text, count in counts.most_common():
        print(f"{count:7} {text}")
    for model, name, our_cost, their_cost in unexplained[:show]:
        print(f"  {model}: {name}: ours {our_cost:.6g}, theirs {their_cost:.6g}")
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
