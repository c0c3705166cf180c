"""The items that a provider answered to an attempt, to which its later requests may refer.

OpenAI stores responses and their items for the account, which all attempts share: a reference to an answer
of a second attempt would add that answer to this attempt's conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# A field within an answer; within text that a model wrote the quotes are escaped.
_IDENTIFIER = re.compile(rb'"id"\s*:\s*"([A-Za-z]{1,20}_[\w-]{1,200})"')
# Both bounds are for each attempt, whose answers a model can repeat without end.
MAX_IDENTIFIERS = 100_000
MAX_ITEM_CHARACTERS = 32 << 20


class AnsweredIdentifiers:
    """Those of an attempt; `in` looks an identifier up."""

    def __init__(self) -> None:
        self._identifiers: set[str] = set()

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._identifiers

    def add_from(self, answer: bytes) -> None:
        """Take those of an answer, or of whole events of an answer."""
        if len(self._identifiers) < MAX_IDENTIFIERS:
            self._identifiers.update(match.decode() for match in _IDENTIFIER.findall(answer))


class AnsweredItems:
    """The items of an attempt's answers in the dialect `responses` that the gateway itself wrote.

    No provider has stored them, yet clients refer to them as if it had: Vercel's AI SDK 7 does so from the
    second request on, unless it has `store: false`.
    """

    def __init__(self) -> None:
        self._items: dict[str, Mapping[str, Any]] = {}
        self._chars = 0

    def keep(self, answer: Mapping[str, Any]) -> None:
        """Keep the items of an answer; those beyond the bound are not, and a reference to them is refused."""
        for item in answer["output"]:
            self._chars += len(json.dumps(item))
            if self._chars <= MAX_ITEM_CHARACTERS:
                self._items[item["id"]] = item

    def put_in(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The request with the items in place of the references to them."""
        items = body.get("input")
        if not self._items or not isinstance(items, list):
            return body
        return {**body, "input": [self._item_for(part) for part in items]}

    def _item_for(self, part: Any) -> Any:
        """The types of OpenAI's SDK allow a reference without its type."""
        refers = isinstance(part, dict) and part.keys() <= {"type", "id"}
        if not refers or part.get("type", "item_reference") != "item_reference":
            return part
        item_id = part.get("id")
        return self._items.get(item_id, part) if isinstance(item_id, str) else part
