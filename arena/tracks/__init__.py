"""What is particular to each track, one package a track: `repo`. What they share is the Protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.store.store import Attempt, AttemptKey
from harness.grade.verdict import Verdict

Say = Callable[[str], None]


@dataclass(frozen=True)
class Result:
    """What one attempt came to, ready for the store."""

    verdict: Verdict
    patch: bytes | None = None
    ended: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    trajectory: bytes = b""


class Track(Protocol):
    """A kind of question: what its attempts are, how one is made and graded, what is reported."""

    def attempts(self, agents: Sequence[str], replicates: int) -> list[AttemptKey]: ...

    def solve_and_grade(self, key: AttemptKey, say: Say) -> Result:
        """Make and grade one attempt. Faults of the machine or the task raise (`harness.grade.INFRA`)."""
        ...

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]: ...
