"""Reading what a patch says, or what was built of it: bounded, and with a label where a bound is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from harness.bounded import OverLimit, run_bounded
from harness.grade.decide import Cause, Decided

P = ParamSpec("P")
T = TypeVar("T")


def read_bounded(what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `function` reads, in a child process with limits (`harness.bounded.run_bounded`).

    what: its subject in the reason of the label. Raises Decided CE at a limit, and ReaderLost.
    """
    try:
        return run_bounded(function, *args, **kwargs)
    except OverLimit as limit:
        raise describe_refusal(what, limit) from limit


def describe_refusal(what: str, limit: OverLimit) -> Decided:
    """The decision on a patch that exceeds a limit of our readers."""
    reason = f"refused: {what} takes too long to read: {limit.reason}"
    return Decided(Cause.REFUSED, reason)
