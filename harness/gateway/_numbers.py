"""Numbers in a request: the output that it requests, and impossible values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from harness.gateway.account import MAX_OUTPUT
from harness.gateway.dialects import BadRequest

_OUTPUT_LIMIT_FIELDS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
# Maximum output tokens, or answers, of a call: more is an error, or an attempt to break sums.
MAX_REQUESTED = 10**9
# Any number in a request is below, and above its negative: seeds have 64 bits.
MAX_NUMBER = 2**64


def requested_output(body: Mapping[str, Any]) -> int | None:
    """The maximum of output tokens that a call requests, on any dialect, over all the answers that it wants.

    Raises BadRequest for what no call can mean.
    """
    # Several answers to a prompt are each billed, so the worst case is as many times the limit.
    answers = max(1, _requested_number(body, "n") or 0)
    limits = [
        value
        for name in _OUTPUT_LIMIT_FIELDS
        if (value := _requested_number(body, name)) is not None
    ]
    if limits:
        # The largest, since providers differ in which name they follow where several are set.
        return max(limits) * answers
    return None if answers == 1 else MAX_OUTPUT * answers


def _requested_number(body: Mapping[str, Any], name: str) -> int | None:
    """A number of tokens or answers; None if it is left to the provider, or not a number."""
    value = body.get(name)
    if not _is_number(value):
        return None
    if not 0 <= value <= MAX_REQUESTED:
        raise BadRequest(f"{name}: must be a number from 0 to {MAX_REQUESTED}")
    return int(value)


def expect_numbers(body: Mapping[str, Any]) -> None:
    """Raises BadRequest for a number that no parameter can have."""
    for name, value in body.items():
        inner = value.items() if isinstance(value, dict) else ()
        for path, number in ((name, value), *((f"{name}.{key}", number) for key, number in inner)):
            if _is_number(number) and not -MAX_NUMBER < number < MAX_NUMBER:
                raise BadRequest(f"{path}: is no sensible number")


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
