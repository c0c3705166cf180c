"""What is particular to each track, one package a track, and what several of them use.

- `asking.py`  one gateway for many questions, each answer kept in the store
- `asker.py`   one model, question by question
- `blocks.py`  a reply -> the pieces of code in it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from arena.store.store import Attempt, AttemptKey
    from harness.agents import Solution
    from harness.grade.verdict import Verdict

Say = Callable[[str], None]


class Track(Protocol):
    """A kind of question: what its attempts are, how one is made and graded, what is reported.

    Faults of the machine or the task raise (`harness.grade.INFRA`). Making and grading are apart, so that
    a fault of the second does not cost the first again.
    """

    def attempts(self, agents: Sequence[str], replicates: int) -> list[AttemptKey]: ...

    def solve(self, key: AttemptKey, say: Say) -> Solution: ...

    def grade(self, key: AttemptKey, solution: Solution, say: Say) -> Verdict: ...

    def metrics(self, attempts: Iterable[Attempt]) -> dict[str, Any]: ...
