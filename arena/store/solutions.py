"""What an agent left, from bytes in the hand to digests in a store and back."""

from __future__ import annotations

from arena.store.model import Left
from harness.grade.ports import Keeper
from harness.protocols import Ended, Solution


def keep(keeper: Keeper, solution: Solution) -> Left:
    """Store what an agent left."""
    return Left(
        keeper.keep(solution.patch),
        str(solution.ended),
        dict(solution.usage),
        keeper.keep(solution.trajectory) if solution.trajectory else None,
        dict(solution.note),
        {name: keeper.keep(data) for name, data in solution.artefacts.items()},
    )


def load(keeper: Keeper, left: Left) -> Solution:
    """What `keep` stored. Raises KeyError for a blob that is gone."""
    return Solution(
        keeper.blob(left.patch),
        Ended(left.ended),
        left.usage,
        keeper.blob(left.trajectory) if left.trajectory else b"",
        left.note,
        {name: keeper.blob(digest) for name, digest in left.artefacts.items()},
    )
