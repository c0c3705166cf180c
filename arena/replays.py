"""An attempt repeated from its record: each call of its model is answered as it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena.protocols import Matrix, Say
from arena.session import Session
from arena.store.model import Attempt


@dataclass(frozen=True)
class ReplayResult:
    """identical: whether the same patch came of it. diverged: the first call that was another, "" for none;
    difference: in what, as a unified diff. calls: how many were answered."""

    attempt: str
    identical: bool
    ended: str
    recorded_end: str
    diverged: str
    difference: str
    calls: int


def expect_record(attempt: Attempt) -> None:
    """Raises ValueError for an attempt that cannot be repeated."""
    if "record" not in attempt.artefacts():
        raise ValueError(f"attempt {attempt.id} has no record: {attempt.key.agent} asked no model")


def replay_attempt(session: Session, attempt: Attempt, say: Say) -> ReplayResult:
    """Repeat an attempt of the session's store. Raises what `expect_record` and the track's `attempts` and
    `solve` do."""
    expect_record(attempt)
    key = replace(attempt.key, model=f"replay:{attempt.id}")
    session.track.attempts(Matrix([key.agent], [key.model], [key.prompt], [key.task]))
    solution = session.track.solve(key, say)
    before = session.store.blob(attempt.patch) if attempt.patch else b""
    return ReplayResult(
        attempt.id,
        solution.patch == before,
        str(solution.ended),
        attempt.ended,
        str(solution.note.get("diverged", "")),
        str(solution.note.get("difference", "")),
        int(solution.usage.get("calls", 0)),
    )
