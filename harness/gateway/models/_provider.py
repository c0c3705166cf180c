"""How providers fail, read from what they send instead of an answer."""

from __future__ import annotations

import json
import time
from email.utils import parsedate_to_datetime
from typing import Any

from harness.gateway.models import ProviderFault
from harness.gateway.provider_errors import (
    ErrorCause,
    ProviderError,
    cause_of,
    read_error,
)
from harness.gateway.redact import redact

MAX_SHOWN = 400


def http_fault(status: int, data: bytes, retry_after: str = "") -> ProviderFault:
    """The fault that an HTTP status other than 200 stands for."""
    error = read_error(_json(data), status) or ProviderError(_shown(data), status)
    return provider_fault(error, f"HTTP {status}: ", seconds_of(retry_after))


def provider_fault(
    error: ProviderError, where: str = "", wait: float | None = None
) -> ProviderFault:
    """The fault for what a provider said. where: what stands before its message."""
    code = next(iter(error.codes), "")
    shown = redact(error.message)
    said = f"{shown} ({code})" if code and code not in error.message else shown
    return ProviderFault(f"{where}{said}", error.status, wait=wait, error=error)


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
    """The fault of a 200 that holds no answer: the error that it tells, or junk, which may pass."""
    error = read_error(_json(data))
    if error is not None:
        return provider_fault(error, "no answer but an error: ")
    if not data.strip():
        return ProviderFault("an empty answer", passing=True)
    shown = "an HTML page" if _html(data) else redact(str(why))
    return ProviderFault(f"no answer but {shown}", passing=True)


def is_final(error: ProviderError) -> bool:
    return cause_of(error) in (ErrorCause.UNPAID, ErrorCause.DENIED, ErrorCause.MODEL_GONE)


def _shown(data: bytes) -> str:
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
