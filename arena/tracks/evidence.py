"""What the evidence of verdicts has in common."""

from __future__ import annotations

# Characters of one text: the whole of it is in the store's artefacts, where it was seen by us.
MAX_TEXT = 1_000


def cut(text: str) -> str:
    """A text as evidence holds it, which tells where it was cut."""
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} [...]"
