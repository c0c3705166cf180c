"""What the ledger of an attempt holds: a row for each call, and their sums."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from harness.gateway.endings import Ending, reason_of
from harness.gateway.neutral import Tokens

# Whether the price of a model gave what a call is charged, the provider's own word, or neither is known.
UsdSource = Literal["prices", "provider", "unknown"]


@dataclass(frozen=True)
class Usage:
    """Usage of an attempt. `seconds` is wall time from opening the account to closing it.

    written_tokens: of the input, what providers put into their caches. retries: calls sent again after a
    provider's fault; refused: calls that were not sent; uncertain: calls with contradictory counts.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    retries: int = 0
    refused: int = 0
    written_tokens: int = 0
    uncertain: int = 0

    def to_json(self) -> dict[str, int | float]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A call that was sent. `began`: seconds since the account was opened; `status`: what the agent got;
    `estimated`: the provider reported no tokens; `finish`: its word for how the answer ended; `ending`:
    an `Ending` of `endings.py`, "" for the usual end; `terms`: words of the answer that change its price;
    `uncertain`: why the bill may be another, "" where it is sure; `usd_source`: what `usd` is taken from.
    """

    number: int
    wire: str
    model: str
    tokens: Tokens
    usd: float
    began: float
    seconds: float
    status: int
    estimated: bool
    error: str = ""
    finish: str = ""
    ending: str = ""
    terms: tuple[str, ...] = ()
    uncertain: str = ""
    usd_source: UsdSource = "prices"

    @property
    def only_words(self) -> bool:
        """Whether nothing but the answer's wording says that it is a refusal."""
        return self.ending == Ending.REFUSED and reason_of(self.finish) != Ending.REFUSED

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
