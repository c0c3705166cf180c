"""What an exit status says of a run."""

from __future__ import annotations

from parsers.outcomes import Outcome


def was_killed(status: int | None) -> bool:
    """Whether an exit status stands for a signal (128 + n, or negative) or for `timeout`'s 124."""
    # Signals end at 64 on Linux, so 193 to 255 are plain statuses; 124 is coreutils' `timeout`.
    return status is not None and (status < 0 or status == 124 or 128 < status <= 192)


def outcome_of(status: int | None) -> Outcome:
    """What an exit status alone says of a run."""
    if status is None:
        return Outcome.ERROR
    if status == 124:
        return Outcome.TIMEOUT
    if was_killed(status):
        return Outcome.CRASHED
    return Outcome.FAILED if status else Outcome.PASSED
