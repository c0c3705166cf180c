"""Stores an agent's solution as digests, and loads it again."""

from __future__ import annotations

from arena.store.model import StoredSolution
from harness.grade.ports import ResultCache
from harness.protocols import Ended, Solution


def keep(cache: ResultCache, solution: Solution) -> StoredSolution:
    """Store what an agent left."""
    return StoredSolution(
        cache.keep(solution.patch),
        str(solution.ended),
        dict(solution.usage),
        cache.keep(solution.trajectory) if solution.trajectory else None,
        dict(solution.note),
        {name: cache.keep(data) for name, data in solution.artefacts.items()},
    )


def load(cache: ResultCache, stored: StoredSolution) -> Solution:
    """Load a stored solution. Raises KeyError for a blob that is gone."""
    return Solution(
        cache.blob(stored.patch),
        Ended(stored.ended),
        stored.usage,
        cache.blob(stored.trajectory) if stored.trajectory else b"",
        stored.note,
        {name: cache.blob(digest) for name, digest in stored.artefacts.items()},
    )
