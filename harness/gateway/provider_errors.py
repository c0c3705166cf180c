"""What a provider sent instead of an answer, and what becomes of the call, the attempt and the run.

A single table decides (`CAUSES`, in this order), for all dialects, tracks and documents. A code decides
before words do: the messages of a provider repeat what an agent wrote, so words end a model's part of a run
only where a message begins with them, and an agent cannot make its request look like an empty account.

Codes, statuses and wordings as OpenAI, Azure, Anthropic, Google, xAI, DeepSeek, OpenRouter, Groq and
Mistral document them or as public bug reports of 2025 and 2026 show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.gateway.endings import Ending
from harness.gateway.neutral import Why

# Whatever a provider sends is foreign text: it reaches ledgers and terminals, so it is cut and cleaned.
MAX_WORD = 64
MAX_MESSAGE = 4096


@dataclass(frozen=True)
class ProviderError:
    """An error as a provider reports it. status: its HTTP status, 0 within a stream; codes: its words for the
    kind; param: the parameter that it blames.
    """

    message: str
    status: int = 0
    codes: tuple[str, ...] = ()
    param: str = ""


class ErrorCause(StrEnum):
    """Why no answer came."""

    FILTERED = "filtered"
    UNPAID = "unpaid"
    ITEM_GONE = "item-gone"
    MODEL_GONE = "model-gone"
    DENIED = "denied"
    TOO_LONG = "too-long"
    BUSY = "busy"
    PARAMETER = "parameter"
    NOT_FOUND = "not-found"
    REQUEST = "request"
    FAILED = "failed"


@dataclass(frozen=True)
class Consequence:
    """What becomes of a call.

    can_be_retried: the same call may be answered later. counts: as a call of the attempt, whose doing it is;
    else it is the provider's fault. final: no call of this model will be answered, so that the attempt is
    `infra` and the run goes on without the model. ending: the model's outcome that it stands for.
    status: what the agent gets where the provider reported none; code: what the agent gets as OpenAI's code.
    """

    can_be_retried: bool = False
    counts: bool = False
    final: bool = False
    ending: Ending | None = None
    status: int = 502
    code: str = ""


CONSEQUENCES: Mapping[ErrorCause, Consequence] = {
    ErrorCause.FILTERED: Consequence(
        counts=True, ending=Ending.FILTERED, status=400, code="content_filter"
    ),
    ErrorCause.UNPAID: Consequence(final=True, status=402),
    ErrorCause.ITEM_GONE: Consequence(counts=True, status=404),
    ErrorCause.MODEL_GONE: Consequence(final=True, status=404),
    ErrorCause.DENIED: Consequence(final=True, status=403),
    # An attempt that fills its context did so itself; a second try of the same call would fill it again.
    ErrorCause.TOO_LONG: Consequence(
        counts=True, ending=Ending.OUT_OF_TOKENS, status=400, code="context_length_exceeded"
    ),
    ErrorCause.BUSY: Consequence(can_be_retried=True, status=502),
    ErrorCause.PARAMETER: Consequence(counts=True, status=400),
    ErrorCause.NOT_FOUND: Consequence(status=404),
    ErrorCause.REQUEST: Consequence(counts=True, status=400),
    ErrorCause.FAILED: Consequence(can_be_retried=True, status=502),
}


@dataclass(frozen=True)
class Rule:
    """A cause holds where a code matches, or a status of `statuses` whose message matches `words`."""

    cause: ErrorCause
    codes: re.Pattern[str]
    statuses: frozenset[int] = frozenset()
    words: re.Pattern[str] = re.compile("")


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# Bounded, so that an open quote does not cost a search to the end of the message for each quote.
QUOTED = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
# Characters of a message in which a provider speaks for itself; what it quotes is the request's.
MAX_PROVIDER_CHARACTERS = 400
# Matches nothing: the row is decided by a status together with words.
NONE = re.compile(r"(?!)")
IN_STREAM = 0
# Statuses that say more than a general code such as `invalid_request_error` beside them.
NEARER = frozenset({404, 413, 429, *range(500, 600)})
REFUSED = frozenset({IN_STREAM, 400, 403, 409, 422, 451})
MALFORMED = frozenset({IN_STREAM, 400, 413, 422})
# Of messages that blame the limit of output tokens, which whoever runs the evaluation has set.
OUTPUT_LIMIT_WORDS = _words(r"in (?:the|your) completion", r"max_(?:completion_|output_)?tokens")
CAUSES: tuple[Rule, ...] = (
    Rule(
        ErrorCause.FILTERED,
        _words(
            r"content_?filter(?:ed)?|content_policy.*|cyber.?policy.*|cyber.?violation|.*moderation.*"
            r"|safety|prohibited_content|responsible_?ai.*|.*policy_violation|blocklist|spii|recitation|blocked|flagged"
        ),
        REFUSED,
        _words(
            r"content[ _-](?:management )?(?:policy|filter)|content_filter|responsibleai|usage polic"
            r"|\bflagged\b|blocked by .{0,40}(?:safety|filter|policy)|prohibited[ _]content"
            r"|cyber.?security risk|cyber.?policy"
        ),
    ),
    Rule(
        ErrorCause.UNPAID,
        _words(
            r"insufficient_?(?:quota|balance|credits?|funds)|billing_.*|payment_required|credit_balance.*"
            r"|quota_exhausted|usage_limit_reached|out_of_credits?|no_credits?"
        ),
        frozenset({402}),
    ),
    Rule(
        ErrorCause.UNPAID,
        NONE,
        frozenset({IN_STREAM, 400, 403, 429}),
        _words(
            r"^(?:\w+: )*Your credit balance is too low",
            r"^(?:\w+: )*(?:You have )?insufficient[_ ](?:quota|balance|credits?|funds)\b",
            r"^(?:\w+: )*(?:\w+ ){0,3}key limit exceeded\b",
            r"^(?:\w+: )*Your account is not active, please check your billing",
            r"^(?:\w+: )*You have reached your specified API usage limits",
        ),
    ),
    Rule(  # an agent names an item of an earlier answer that the provider did not keep
        ErrorCause.ITEM_GONE,
        _words(
            r"(?:(?:previous_)?response|item|conversation|prompt|file|container)_?(?:id_)?not_?found"
        ),
        frozenset({IN_STREAM, 400, 404, 410}),
        _words(
            r"^(?:\w+: )*(?:Item|(?:Previous )?response|Conversation|Prompt|File|Container)"
            r"(?: with)?(?: id)? \S{1,200} (?:was )?not found\b",
            r"^(?:\w+: )*No such (?:File|Container|Conversation) object\b",
        ),
    ),
    Rule(
        ErrorCause.MODEL_GONE,
        _words(
            r"model_?(?:not_?found|deprecated|decommissioned|not_?available|retired|not_?supported)"
            r"|deployment_?not_?found|no_such_model|unknown_model|invalid_model"
        ),
        frozenset({404, 410}),
        _words(
            r"\b(?:model|deployment)\b.{0,200}(?:not exist|not found|not (?:yet )?supported|no longer"
            r"|deprecated|decommissioned|retired)",
            r"^(?:\w+: )*model: ",
        ),
    ),
    Rule(
        ErrorCause.DENIED,
        _words(
            r"invalid_?(?:api_?)?key|(?:authentication|permission)(?:_error|_denied)?|permission_?denied|unauthenticated"
            r"|unsupported_country.*|account_deactivated|access_?denied|unauthorized|forbidden|organization_restricted"
        ),
        frozenset({401, 403}),
    ),
    Rule(
        ErrorCause.DENIED,
        NONE,
        frozenset({IN_STREAM, 400}),
        _words(
            r"^(?:\w+: )*(?:user location|your (?:region|country)) is not supported",
            r"^(?:\w+: )*This organization has been disabled",
            r"^(?:\w+: )*API key not valid",
        ),
    ),
    Rule(
        ErrorCause.TOO_LONG,
        _words(
            r"context_length_exceeded|model_context_window_exceeded|prompt_too_long|context_window.*"
        ),
        MALFORMED,
        _words(
            r"maximum context length|context_length_exceeded|context (?:length|window)|prompt is too long"
            r"|input is too long|too many (?:input )?tokens|input token count"
        ),
    ),
    Rule(
        ErrorCause.BUSY,
        _words(
            r"rate_?limit.*|.*overloaded.*|slow_down|resource_exhausted|too_many_requests|throttl.*|.*unavailable"
            r"|.*capacity.*"
        ),
        frozenset({408, 409, 425, 429, 503, 529}),
    ),
    Rule(ErrorCause.PARAMETER, _words(r"unsupported_(?:parameter|value)|unknown_parameter")),
    Rule(
        ErrorCause.PARAMETER,
        NONE,
        frozenset({400, 422}),
        _words(
            r"unsupported (?:parameter|value)|(?:is|are) not supported|does not support"
            r"|extra inputs? (?:is|are) not"
            r"|unrecognized request argument|unknown (?:parameter|field|name)|deprecated for this model"
            r"|must be|may only be|cannot be"
        ),
    ),
    Rule(ErrorCause.NOT_FOUND, NONE, frozenset({404, 405, 410})),
    Rule(
        ErrorCause.REQUEST,
        _words(
            r"invalid_request(?:_error)?|invalid_argument|bad_?request(?:_error)?|request_too_large|failed_precondition"
        ),
        frozenset(range(400, 500)),
    ),
    Rule(ErrorCause.FAILED, _words(r".*")),
)


def cause_of(error: ProviderError) -> ErrorCause:
    """The first row of `CAUSES` that holds; FAILED where none does."""
    for rule in CAUSES:
        general = rule.cause in (ErrorCause.DENIED, ErrorCause.REQUEST) and error.status in NEARER
        named = not general and any(rule.codes.fullmatch(code) for code in error.codes)
        if not named and error.status in rule.statuses:
            named = bool(rule.words.search(_cause_text(error, rule.cause)))
        if named and not (
            rule.cause is ErrorCause.TOO_LONG and OUTPUT_LIMIT_WORDS.search(error.message)
        ):
            return rule.cause
    return ErrorCause.FAILED


def _cause_text(error: ProviderError, cause: ErrorCause) -> str:
    """What of a message can speak for a cause: of a filter, no words that the request introduced."""
    if cause is not ErrorCause.FILTERED:
        return error.message[:MAX_MESSAGE]
    return "" if error.param else QUOTED.sub("", error.message[:MAX_PROVIDER_CHARACTERS])


def consequence_of(error: ProviderError) -> Consequence:
    return CONSEQUENCES[cause_of(error)]


def ending_of_error(status: int, body: Any) -> str:
    """The `Ending` that an HTTP error stands for; "" where it is no ending of the model's."""
    error = read_error(body, status)
    ending = consequence_of(error).ending if error is not None else None
    return ending or ""


def why_of(error: ProviderError, passing: bool) -> Why:
    """How an error is reported to the agent: as its mistake, as a wait, or as the end of its budget."""
    cause, consequence = cause_of(error), consequence_of(error)
    if consequence.counts:
        return "request"
    if cause is ErrorCause.BUSY and passing:
        return "busy"
    return "spent" if consequence.final or cause is ErrorCause.NOT_FOUND else "provider"


def read_error(value: Any, status: int = 0) -> ProviderError | None:
    """The error within a parsed answer or event, of any provider; None where it holds no error.

    It stands under `error`, under `response.error`, in the first choice, alone, in a list by itself (Google),
    under `detail` (FastAPI), or is a text. A numeric code that is an HTTP status is taken as the status.
    """
    place = _place(value, status)
    if place is None:
        return None
    if isinstance(place, str):
        return ProviderError(_one_line(place), status)
    inner_status = _status_within(place)
    error_text = next(
        (s for s in (place.get("message"), place.get("detail")) if isinstance(s, str) and s), ""
    )
    codes = tuple(dict.fromkeys(_codes(place)))
    if not (error_text or codes or inner_status or status or place is value):
        return None  # `"error": {"code": null}` beside a good answer
    param = place.get("param")
    message = error_text or ", ".join(codes) or "error"
    return ProviderError(
        _one_line(message),
        status or inner_status,
        codes,
        param[:MAX_WORD] if isinstance(param, str) else "",
    )


def _status_within(error: Mapping[str, Any]) -> int:
    """An HTTP status as a number or its digits."""
    # Three digits, within the range of errors: longer numbers are a provider's codes, and no HTTP status.
    for key in ("code", "status", "status_code"):
        value = error.get(key)
        number = (
            int(value) if isinstance(value, str) and value.isdigit() and len(value) == 3 else value
        )
        if isinstance(number, int) and 400 <= number < 600:
            return number
    return 0


def _place(value: Any, status: int) -> Mapping[str, Any] | str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        return value if status else None
    if not isinstance(value, Mapping):
        return None
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    response = value.get("response")
    for place in (value, response, choice):
        error = place.get("error") if isinstance(place, Mapping) else None
        if isinstance(error, Mapping | str) and error:
            return error
    if status or value.get("type") == "error" or value.get("object") == "error":
        return value
    failed = isinstance(response, Mapping) and response.get("status") in ("failed", "cancelled")
    return "the response failed" if failed else None


def _one_line(text: str) -> str:
    # A provider's message ends in ledgers, pages and terminals: no escape sequence may pass.
    shown = "".join(c if c.isprintable() else " " for c in text[:MAX_MESSAGE])
    return " ".join(shown.split())


def _codes(error: Mapping[str, Any]) -> Iterator[str]:
    inner = error.get("innererror"), error.get("metadata"), error.get("error")
    for place in (candidate for candidate in (error, *inner) if isinstance(candidate, Mapping)):
        for key in ("code", "type", "status", "reason", "error_type"):
            word = place.get(key)
            # Digits are an HTTP status (`_status_within`), and "error" is the type of every error.
            if isinstance(word, str) and word and not word.isdigit() and word != "error":
                yield word[:MAX_WORD].lower()
