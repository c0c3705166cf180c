"""The cost of attempts in progress, stored while they run, so that it survives if the driver is killed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from arena.store.model import Spent

# Seconds between writes. A killed driver loses the charges since the last one, and calls in progress.
WRITE_INTERVAL_S = 1.0


class SpendTracker:
    """Charges of attempts in flight. Not thread-safe: only the driver's thread uses it."""

    def __init__(self) -> None:
        self._charged: defaultdict[str, Spent] = defaultdict(Spent)
        self._written: defaultdict[str, Spent] = defaultdict(Spent)
        self._new: set[str] = set()
        self._next = 0.0

    def charge(self, attempt: str, spent: Spent) -> None:
        """Record a further charge of an attempt in flight."""
        self._charged[attempt] += spent
        self._new.add(attempt)

    def collect_charges(self, now: float, at_once: bool = False) -> Iterator[tuple[str, Spent]]:
        """The charges to add to attempts in the store."""
        if now < self._next and not at_once:
            return
        self._next = now + WRITE_INTERVAL_S
        for attempt in sorted(self._new):
            yield attempt, subtract_spent(self._charged[attempt], self._written[attempt])
            self._written[attempt] = self._charged[attempt]
        self._new.clear()

    def settle(self, attempt: str, reported: Spent) -> tuple[Spent, Spent]:
        """An attempt has come back with its total cost: returns that, and the part still to be written.

        An attempt whose node was lost reports nothing; its recorded charges count.
        """
        charged, written = (
            amounts.pop(attempt, Spent()) for amounts in (self._charged, self._written)
        )
        self._new.discard(attempt)
        # A lost node reports nothing, and a cut report too little: the larger of both counts.
        usd, tokens = max(reported.usd, charged.usd), max(reported.tokens, charged.tokens)
        total = Spent(usd, tokens, reported.seconds, reported.tries)
        return total, subtract_spent(total, written)


def subtract_spent(total: Spent, part: Spent) -> Spent:
    """The whole minus a part."""
    usd, tokens = max(0.0, total.usd - part.usd), max(0, total.tokens - part.tokens)
    return Spent(usd, tokens, total.seconds - part.seconds, total.tries - part.tries)
