"""What the gateway changes in an attempt's requests, so that nothing is taken out or altered in silence."""

from __future__ import annotations

from harness.gateway.redact import redact

# Different changes of one attempt: an agent chooses the names in them, and could send new ones forever.
MAX_CHANGES = 100
MAX_LENGTH = 160
REST = "further changes"


class Changes:
    """Changes of an attempt, a line each, with the number of times that it was carried out."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, change: str) -> None:
        """Count a change; what is beyond the bound is counted together."""
        text = redact(change)[:MAX_LENGTH]
        if text not in self._counts and len(self._counts) >= MAX_CHANGES:
            text = REST
        self._counts[text] = self._counts.get(text, 0) + 1

    def to_json(self) -> dict[str, int]:
        return dict(self._counts)
