"""How providers fail, read from what they send instead of an answer."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any

from harness.gateway.dialects._json import part
from harness.gateway.dialects._usage import tokens_of
from harness.gateway.models import ProviderFault
from harness.gateway.neutral import Tokens
from harness.gateway.provider_errors import (
    ProviderError,
    read_error,
)
from harness.gateway.redact import redact

MAX_SHOWN = 400
FORBIDDEN_STATUS = 403


def http_fault(status: int, data: bytes, retry_after: str = "") -> ProviderFault:
    """The fault that an HTTP status besides 200 stands for."""
    wait = seconds_of(retry_after)
    if status == FORBIDDEN_STATUS and _html(data):  # a firewall's, for what stands in this request
        return ProviderFault(f"HTTP {status}: an HTML page", status, wait=wait)
    value = _json(data)
    error = read_error(value, status) or ProviderError(_show_body(data), status)
    return provider_fault(error, f"HTTP {status}: ", wait, _read_tokens(value))


def provider_fault(
    error: ProviderError,
    where: str = "",
    wait: float | None = None,
    tokens: Tokens | None = None,
) -> ProviderFault:
    """The fault for a provider's message. where: what stands before it; tokens: as it reported them."""
    code = next(iter(error.codes), "")
    shown = redact(error.message)
    message = f"{shown} ({code})" if code and code not in error.message else shown
    return ProviderFault(f"{where}{message}", error.status, wait=wait, error=error, tokens=tokens)


def _read_tokens(value: Any) -> Tokens | None:
    """The counts that stand beside an error: what was thought before it is billed."""
    response = part(value, "response")
    return tokens_of(part(value, "usage")) or tokens_of(part(response, "usage"))


def seconds_of(retry_after: str) -> float | None:
    """Seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds or a date)."""
    text = retry_after.strip()[:64]
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def fault_of_empty_answer(data: bytes, why: Exception) -> ProviderFault:
    """The fault of a 200 that holds no answer: the error in it, or junk, which may pass."""
    value = _json(data)
    error = read_error(value)
    # Responses report a failure in a body of status 200, whose `error` may be null.
    if error is None and part(value, "status") in ("failed", "cancelled"):
        error = ProviderError("the response failed")
    if error is not None:
        return provider_fault(error, "no answer but an error: ", tokens=_read_tokens(value))
    if not data.strip():
        return ProviderFault("an empty answer", passing=True)
    shown = "an HTML page" if _html(data) else redact(str(why))
    return ProviderFault(f"no answer but {shown}", passing=True, tokens=_read_tokens(value))


def _show_body(data: bytes) -> str:
    if _html(data):
        return "an HTML page"
    return redact(data[:MAX_SHOWN].decode(errors="replace")) or "nothing said"


def _html(data: bytes) -> bool:
    return data.lstrip()[:1] == b"<"


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
