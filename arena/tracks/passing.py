"""Faults of the machine that may pass: which they are, and what is tried again after one."""

from __future__ import annotations

from collections.abc import Callable

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from harness.grade.decide import Spoilt, judge_spoilt_tries
from harness.grade.verdict import Verdict
from harness.sandbox.base import EngineUnavailable, SandboxDied

# An infrastructure fault that may pass is tried again; what an agent or its patch does never is.
TRIES = 3
# Faults of the machine, which another try may not meet; all others would come back.
PASSING = (EngineUnavailable, SandboxDied, ConnectionError)
WAIT = wait_exponential(multiplier=0.5, max=10)
# For what is graded here and now; the driver tries again on another node.
RETRIED = Retrying(
    retry=retry_if_exception_type(PASSING),
    stop=stop_after_attempt(TRIES),
    wait=WAIT,
    reraise=True,
)


def graded(grade: Callable[[], Verdict]) -> Verdict:
    """What `grade` returns, tried again after faults that may pass. Raises the last one."""
    tries: list[Verdict | None] = []

    def once() -> Verdict:
        try:
            return grade()
        except PASSING as fault:
            tries.append(spoilt_by(fault))
            raise

    try:
        return RETRIED.copy()(once)
    except Spoilt:
        verdict = judge_spoilt_tries(tries)
        if verdict is None:
            raise
        return verdict


def spoilt_by(fault: BaseException) -> Verdict | None:
    """What a patch gets if it meets this fault in each try; None where the machine is at fault."""
    return fault.verdict if isinstance(fault, Spoilt) else None


def pause(tries: int) -> float:
    """Seconds until a job that met a fault in so many tries is tried again."""
    state = RetryCallState(RETRIED, None, (), {})
    state.attempt_number = tries
    return WAIT(state)
