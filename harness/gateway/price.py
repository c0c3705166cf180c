"""What the tokens of a call cost, in USD."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from harness.gateway.neutral import Tokens


@dataclass(frozen=True)
class Price:
    """USD per token. Without separate prices, cached and written tokens cost what input costs, what is
    written for an hour what is written, and reasoning what output costs.

    request: USD of each call besides. steps: (tokens of input, the price of a call with more than that), by
    rising tokens. tiers: (what an answer calls a service tier, its price). factors: (a word of an answer,
    such as the region that served it, what all is multiplied by). unread: names of terms in the price table
    that are not applied to the model. source: where it is from, in words for people.
    """

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    written: float | None = None
    written_hour: float | None = None
    reasoning: float | None = None
    request: float = 0.0
    steps: tuple[tuple[int, Price], ...] = ()
    tiers: tuple[tuple[str, Price], ...] = ()
    factors: tuple[tuple[str, float], ...] = ()
    unread: tuple[str, ...] = ()
    source: str = field(default="", compare=False)
    is_known: bool = field(default=True, compare=False)

    def cost(self, tokens: Tokens, terms: tuple[str, ...] = ()) -> float:
        """USD of a call; terms: words of the answer that change the price (`dialects.terms_of`)."""
        tiers = [tier for name, tier in self.tiers if name in terms] or [self]
        factor = math.prod(by for word, by in self.factors if word in terms)
        # An answer that names several tiers is charged at the dearest, and `bill_of` marks it as uncertain.
        dearest = max(tier._price_at_length(tokens.input)._sum(tokens) for tier in tiers)
        return (dearest + self.request) * factor

    def _price_at_length(self, input_tokens: int) -> Price:
        return next((step for least, step in reversed(self.steps) if input_tokens > least), self)

    def unknown_terms(self, terms: tuple[str, ...]) -> tuple[str, ...]:
        """Terms that this price says nothing of: the standard price is then only a guess."""
        priced_terms = {name for name, _ in (*self.tiers, *self.factors)}
        return tuple(word for word in terms if word not in priced_terms)

    def _sum(self, tokens: Tokens) -> float:
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        hour = written if self.written_hour is None else self.written_hour
        reasoning = self.output if self.reasoning is None else self.reasoning
        # Parts may exceed their whole where a provider's counts are contradictory; no price is negative.
        plain = max(0, tokens.input - tokens.cached - tokens.written)
        return math.fsum(
            (
                plain * self.input,
                tokens.cached * cached,
                (tokens.written - tokens.written_hour) * written,
                tokens.written_hour * hour,
                (tokens.output - tokens.reasoning) * self.output,
                tokens.reasoning * reasoning,
            )
        )


FREE = Price()
UNKNOWN = Price(source="none known; what the provider says that it billed", is_known=False)
