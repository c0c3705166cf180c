"""How the model itself ended a call: refused, filtered, empty, or out of tokens.

A provider reports it in three places: the reason to finish, the `refusal` of OpenAI's messages
(https://platform.openai.com/docs/api-reference/chat/object), and an error, where a filter or the model's
context ended a call (`provider_errors.py`). What else goes wrong on the way is the machine's fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from harness.gateway.neutral import Reply


class Ending(StrEnum):
    """Why there is no code in an answer. Each is an outcome of the model, and counts as such."""

    NO_CODE = "no-code"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    OUT_OF_TOKENS = "out-of-tokens"


# Finish reasons of OpenAI, Azure, Anthropic and Gemini, in lower case.
_REASONS: Mapping[str, Ending] = {
    "content_filter": Ending.FILTERED,
    "content-filter": Ending.FILTERED,
    "filtered": Ending.FILTERED,
    "safety": Ending.FILTERED,
    "recitation": Ending.FILTERED,
    "blocklist": Ending.FILTERED,
    "prohibited_content": Ending.FILTERED,
    "spii": Ending.FILTERED,
    "refusal": Ending.REFUSED,
    "refused": Ending.REFUSED,
    "length": Ending.OUT_OF_TOKENS,
    "max_tokens": Ending.OUT_OF_TOKENS,
    "max_output_tokens": Ending.OUT_OF_TOKENS,
    "model_context_window_exceeded": Ending.OUT_OF_TOKENS,
}
_DECLINES = re.compile(
    r"(?i)(?:^|[.!,]\s*)(?:i'?m|i am|we are|we're)(?: very| truly| really)? sorry\b"
    r"|\b(?:i|we)(?: must| have to| will| would like to)?(?: respectfully| politely)? "
    r"(?:can't|can ?not|could not|couldn't|won't|will not|am (?:not able|unable)|are unable|am not going"
    r"|must decline|decline|refuse)\b"
    r"|\bi'?m (?:not able|unable|not going) to\b|\bmust (?:decline|refuse)\b"
    r"|\bunable to (?:help|assist|comply|provide|fulfil)"
)
# Characters of an answer in which a refusal is looked for: one comes first.
_OPENING_CHARACTERS = 400


def reason_of(reason: Any) -> str:
    """A finish reason as an `Ending`, or ""."""
    return _REASONS.get(str(reason).lower(), "") if isinstance(reason, str) else ""


def ending(text: str, provider_ending: str = "", cut: bool = False) -> Ending:
    """Why an answer holds no code.

    provider_ending: the provider's word; cut: its limit of tokens was reached.
    """
    if provider_ending:
        return Ending(provider_ending)
    if cut:
        return Ending.OUT_OF_TOKENS
    if not text.strip():
        return Ending.EMPTY
    # A curly apostrophe is what models print in "can't".
    opening = " ".join(text[: 4 * _OPENING_CHARACTERS].replace("\u2019", "'").split())[
        :_OPENING_CHARACTERS
    ]
    return Ending.REFUSED if _DECLINES.search(opening) else Ending.NO_CODE


def ending_of(reply: Reply, finish: str = "") -> str:
    """How an answer ended that an agent may have to stop at, by an `Ending`; "" for the usual end.

    finish: the provider's word, where `reply` was translated to a different dialect.
    """
    reason = reason_of(finish or reply.finish) or (
        Ending.OUT_OF_TOKENS if reply.stop == "length" else ""
    )
    if reason or reply.tool_calls:
        return reason
    text_ending = ending(reply.text)
    return "" if text_ending is Ending.NO_CODE else text_ending
