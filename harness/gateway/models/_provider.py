"""How providers fail, read from what they send instead of an answer."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

from harness.gateway.endings import ended_call
from harness.gateway.models import ProviderFault, QuotaSpent
from harness.gateway.redact import redact

PASSING = frozenset({408, 409, 425, 429})
_NO_MONEY = frozenset({0, 403, 429})
_FAILED = ("error", "response.failed")
_UNPAID = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|billing_(?:hard_limit|not_active)|key limit exceeded",
    re.IGNORECASE,
)
"""What OpenAI, DeepSeek and OpenRouter say of an account without money (403, 429, or in a stream)."""
_CREDIT = re.compile(r'(?:^|"message": ?")Your credit balance is too low')
"""Anthropic says so with 400, whose messages repeat what an agent asked: so only where they begin."""


def passing(status: int) -> bool:
    """The same call may be answered when it is sent again."""
    return status in PASSING or status >= 500


def http_fault(status: int, data: bytes, retry_after: str = "") -> ProviderFault:
    """The fault that an HTTP status other than 200 stands for."""
    said = _message(data)
    unpaid = _CREDIT.search(said)
    return provider_fault(
        f"HTTP {status}: {said}", 402 if unpaid else status, seconds_of(retry_after)
    )


def provider_fault(said: str, status: int, wait: float | None = None) -> ProviderFault:
    """The fault for what a provider said, with its status; 0 for none."""
    if status == 402 or (status in _NO_MONEY and _UNPAID.search(said)) or _CREDIT.search(said):
        return QuotaSpent(said)
    if not status and ended_call(400, said):
        return ProviderFault(said, 400)
    return ProviderFault(said, status, not status or passing(status), wait)


def seconds_of(retry_after: str) -> float | None:
    """Seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds or a date)."""
    text = retry_after.strip()[:64]
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def without_answer(data: bytes, why: Exception) -> ProviderFault:
    """The fault of a 200 that holds no answer; it may pass."""
    if not data.strip():
        return ProviderFault("an empty answer", passing=True)
    shown = "an HTML page" if _html(data) else redact(str(why))
    return ProviderFault(f"no answer but {shown}", passing=True)


def first_event_fault(events: bytes) -> None:
    """Raises ProviderFault when a stream begins with an error: it can still be asked for again."""
    if b'"error"' not in events or b'"choices"' in events:
        return
    for line in events.splitlines():
        if not line.startswith(b"data:"):
            continue
        value = _json(line.removeprefix(b"data:"))
        if isinstance(value, dict) and (value.get("error") or value.get("type") in _FAILED):
            raise provider_fault(f"the stream begins with an error: {_message(line[5:])}", 0)


def _message(data: bytes) -> str:
    value = _json(data)
    error: Any = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(error, dict):
        said, code = error.get("message") or error.get("type"), error.get("code")
        error = f"{said} ({code})" if said and isinstance(code, str) and code else said or code
    if isinstance(error, str) and error:
        return redact(error)
    if _html(data):
        return "an HTML page"
    return redact(data[:400].decode(errors="replace")) or "nothing said"


def _html(data: bytes) -> bool:
    return data.lstrip()[:1] == b"<"


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
