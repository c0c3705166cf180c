"""What a refusal is: an exception that is no slip, or a result that denies."""

from __future__ import annotations

import re
from functools import lru_cache

from arena.tracks.mutation.oracle.values import value_of
from arena.tracks.mutation.runner.facts import MockCall

# Exceptions that come from a slip rather than from a refusal, unless the program raises them itself.
PROGRAMMING = frozenset(
    {
        *("TypeError", "AttributeError", "NameError", "UnboundLocalError", "ImportError"),
        *(
            "ModuleNotFoundError",
            "SyntaxError",
            "IndentationError",
            "RecursionError",
            "MemoryError",
        ),
        *("IndexError", "KeyError", "ZeroDivisionError", "NotImplementedError", "StopIteration"),
    }
)


REFUSING = frozenset(
    {"PermissionError", "Forbidden", "Unauthorized", "BadRequest", "AssertionError"}
)


def is_empty(value: object) -> bool:
    """Whether a result is empty: None, or an empty text or collection."""
    return value is None or value in ("", [], (), {})


def is_refusal(call: MockCall, code: str) -> bool:
    """A refusal: an exception (no slip), None, False, an error's mapping, or a status of 400 and on."""
    if call.raised:
        # A program may raise KeyError on purpose to refuse; then its source names it.
        return call.raised not in PROGRAMMING or call.raised in raised_by(code)
    return denies(value_of(call.returned or ""), call.returned or "")


@lru_cache(maxsize=512)
def raised_by(code: str) -> frozenset[str]:
    """Names of exceptions in the program's `raise` statements."""
    return frozenset(re.findall(r"\braise\s+([A-Za-z_]\w*)", code))


def denies(value: object, text: str) -> bool:
    """Whether a result is a refusal. value: the result, `...` where it is no literal; text: its repr."""
    if value is False or is_empty(value):
        return True
    if isinstance(value, dict):
        status = value.get("status") or value.get("status_code") or value.get("code")
        if isinstance(status, int) and not isinstance(status, bool):
            return status >= 400
        if value.get("success") is False or value.get("ok") is False or value.get("valid") is False:
            return True
        return "error" in value or status in ("error", "denied", "rejected", "forbidden")
    if isinstance(value, tuple) and value:
        # Flask's `return "no", 403`.
        numbers = [v for v in value if isinstance(v, int) and not isinstance(v, bool)]
        # Pairs of body and status, as Flask takes them.
        if any(400 <= number < 600 for number in numbers):
            return True
        return value[0] is False or (value[0] is None and len(value) > 1)
    if isinstance(value, str) and REFUSALS.match(value):
        return True
    # Only the beginning: a number of three digits deep in a result is no status.
    return bool(STATUS.search(text[:120]))


STATUS = re.compile(r"\b(4\d\d|50[0-9])\b.{0,40}$|^<Response .*\[4\d\d|^[45]\d\d\b")
REFUSALS = re.compile(
    r"(?i)(access )?(denied|forbidden|unauthori[sz]ed|refused|rejected|locked|invalid|error|not allowed)\b"
)
