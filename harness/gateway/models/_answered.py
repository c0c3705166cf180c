"""The identifiers that a provider gave in its answers to one attempt, to which its later requests may refer.

OpenAI stores responses and their items for the account, which all attempts share: a reference to what another
attempt was answered would bring that into this one's conversation.
"""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(rb'"id"\s*:\s*"([A-Za-z]{1,20}_[\w-]{1,200})"')
"""A field within an answer; within text that a model wrote the quotes are escaped."""
MAX_IDENTIFIERS = 100_000


class AnsweredIdentifiers:
    """Those of one attempt; `in` asks for one."""

    def __init__(self) -> None:
        self._identifiers: set[str] = set()

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._identifiers

    def add_from(self, answer: bytes) -> None:
        """Take those of an answer, or of whole events of one."""
        if len(self._identifiers) < MAX_IDENTIFIERS:
            self._identifiers.update(found.decode() for found in _IDENTIFIER.findall(answer))
