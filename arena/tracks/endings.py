"""How an answer ended that holds no code: outcomes of the model, by name. An answer that never came is none.

A provider tells it in three places: the `finish_reason`, the `refusal` of OpenAI's messages
(https://platform.openai.com/docs/api-reference/chat/object), and the text of an error 400, where a filter or
the model's context ended a call. What else goes wrong on the way is the machine's fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from harness.grade.verdict import Health, Verdict

NO_ANSWER = "no-answer"
"""The state of an attempt for which no answer came: a fault, a quota, a connection that was cut."""
MAX_WHY = 500


class Ending(StrEnum):
    """Why there is no code in an answer. Each is the model's own outcome, and counts as one."""

    NO_CODE = "no-code"
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    OUT_OF_TOKENS = "out-of-tokens"


MEANING: Mapping[Ending, str] = {
    Ending.NO_CODE: "the reply contains no code",
    Ending.REFUSED: "the model declines to answer",
    Ending.FILTERED: "a filter of the provider withheld the reply",
    Ending.EMPTY: "the reply is empty",
    Ending.OUT_OF_TOKENS: "the limit of tokens was reached before any code",
}
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
"""Finish reasons of OpenAI, Azure, Anthropic and Gemini, in lower case."""
_FILTER = re.compile(
    r"content[ _-](?:management )?(?:policy|filter)|content_filter|responsibleai|flagged as|usage polic"
    r"|blocked by .{0,40}(?:safety|filter)|prohibited[ _]content",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"maximum context length|context_length_exceeded|context (?:length|window)|prompt is too long"
    r"|input is too long|too many (?:input )?tokens|input token count",
    re.IGNORECASE,
)
_OWN_LIMIT = re.compile(
    r"in (?:the|your) completion|max_(?:completion_|output_)?tokens", re.IGNORECASE
)
"""Of messages that blame the limit of output tokens, which whoever runs the evaluation has set."""
_DECLINES = re.compile(
    r"(?:^|[.!,]\s*)(?:i'?m|i am|we are|we're)(?: very| truly| really)? sorry\b"
    r"|\b(?:i|we)(?: must| have to| will| would like to)?(?: respectfully| politely)? "
    r"(?:can't|can ?not|could not|couldn't|won't|will not|am (?:not able|unable)|are unable|am not going"
    r"|must decline|decline|refuse)\b"
    r"|\bi'?m (?:not able|unable|not going) to\b|\bmust (?:decline|refuse)\b"
    r"|\bunable to (?:help|assist|comply|provide|fulfil)",
    re.IGNORECASE,
)
_OPENING = 400
"""Characters of an answer in which a refusal is looked for: one comes first."""


def ending_of(body: Any) -> str:
    """What a chat's or completion's body tells of how it ended, "" for the usual end and for tokens."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return ""
    told = reason_of(choice.get("finish_reason"))
    message = choice.get("message")
    if not told and isinstance(message, Mapping) and message.get("refusal"):
        return Ending.REFUSED
    return "" if told == Ending.OUT_OF_TOKENS else told


def reason_of(reason: Any) -> str:
    """A finish reason as an `Ending`, or ""."""
    return _REASONS.get(str(reason).lower(), "") if isinstance(reason, str) else ""


def ended_call(status: int, message: str) -> str:
    """The `Ending` that an error for a call stands for, or "" where it is a fault."""
    if status not in (400, 413, 422):
        return ""
    if _FILTER.search(message):
        return Ending.FILTERED
    if _CONTEXT.search(message) and not _OWN_LIMIT.search(message):
        return Ending.OUT_OF_TOKENS
    return ""


def ending(text: str, told: str = "", cut: bool = False) -> Ending:
    """Why an answer holds no code. told: what the provider said; cut: its limit of tokens was reached."""
    if told:
        return Ending(told)
    if cut:
        return Ending.OUT_OF_TOKENS
    if not text.strip():
        return Ending.EMPTY
    opening = " ".join(text[: 4 * _OPENING].replace("\u2019", "'").split())[:_OPENING]
    return Ending.REFUSED if _DECLINES.search(opening) else Ending.NO_CODE


def named(note: Mapping[str, Any], text: str, told: str, cut: bool) -> dict[str, Any]:
    """The note of an answer, where its state "no-code" is told as the `Ending` that it was."""
    if note.get("state") != Ending.NO_CODE:
        return dict(note)
    return {**note, "state": str(ending(text, told, cut))}


def no_answer(why: str) -> dict[str, Any]:
    """The note of an attempt for which no answer came."""
    told = " ".join(why.split())[:MAX_WHY].removeprefix("no answer: ")
    return {"state": NO_ANSWER, "notes": [f"no answer: {told}" if told else "no answer"]}


def fault_in(row: Mapping[str, Any]) -> str:
    """Why a row of answers that somebody brings says that none came; "" where it does not say so.

    A row says so with an `error`, or with the state "missing" or "no-answer", as this project writes it.
    """
    error = row.get("error")
    if error:
        told = error.get("message", error) if isinstance(error, Mapping) else error
        return f"{str(told)[:MAX_WHY]}"
    if row.get("state") not in ("missing", NO_ANSWER):
        return ""
    notes = row.get("notes")
    listed = notes if isinstance(notes, list) else [notes or ""]
    return "; ".join(map(str, listed))[:MAX_WHY] or "nothing is told of it"


def unanswered(note: Mapping[str, Any]) -> Verdict | None:
    """The verdict of an attempt for which no answer came: no label. None for all others."""
    if note.get("state") != NO_ANSWER:
        return None
    notes = "; ".join(map(str, note.get("notes", ())))
    return Verdict(None, Health.INFRA, (notes or "no answer")[:MAX_WHY])
