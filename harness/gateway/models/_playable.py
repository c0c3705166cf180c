"""What a script can play: a client that asks for more learns so, where an answer would be right by chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.gateway.dialects import BadRequest, Call
from harness.gateway.dialects._json import part

NOT_STORED = "a script stores nothing; send the whole conversation"
STORED = ("previous_response_id", "conversation", "prompt")
ANSWERS = ("n", "best_of")


def expect_playable(call: Call) -> None:
    """Raises BadRequest for a reference to what scripts do not store, and for several answers at once."""
    body: Mapping[str, Any] = call.body
    if call.dialect.name == "responses":
        for name in STORED:
            if body.get(name) is not None:
                raise BadRequest(f"{name}: {NOT_STORED}")
        items = body.get("input")
        for i, item in enumerate(items if isinstance(items, list) else ()):
            if part(item, "type") == "item_reference":
                raise BadRequest(f"input.{i}: {NOT_STORED}")
        return
    for name in ANSWERS:
        if body.get(name) not in (None, 1):
            raise BadRequest(f"{name}: a script gives one answer to a call")
