"""The commits that a report's range of revisions leaves for a VIC: what the project took in meanwhile.

ClusterFuzz bisects its daily builds, and tells between which two a crash appeared ("regressed"). The median
range of ARVO's records is one day, so few commits are left of a history of thousands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from szz.proof.result import How
from szz.repository import GitFailed, Repository

STAMPS = re.compile(r"(\d{12}):(\d{12})")
"""Two builds, each by its minute (UTC, YYYYMMDDHHMM)."""
SLACK = 86_400
"""Seconds by which what was built may be older than its build's name."""


def taken_in(
    repository: Repository, fixes: Sequence[str], regressed: str, harness: str = ""
) -> frozenset[str]:
    """The commits that came to the fixes' first-parent lines within a range, those of merged branches too.

    regressed: as in `OssFuzz.regressed`; harness: the first commit with the fuzz target, where that is known.
    Empty where the range tells nothing: nothing of the line came then, or the fuzz target did.
    """
    stamps = STAMPS.fullmatch(regressed)
    if not stamps:
        return frozenset()
    try:
        begin, end = (
            int(datetime.strptime(one, "%Y%m%d%H%M").replace(tzinfo=UTC).timestamp())
            for one in stamps.groups()
        )
    except ValueError:
        return frozenset()
    found: set[str] = set()
    for fix in fixes[:3]:
        with suppress(GitFailed):  # a root, or a name that is no commit here
            found.update(_taken_in(repository, f"{fix}^1", begin - SLACK, end))
    return frozenset() if harness in found else frozenset(found)


def _taken_in(repository: Repository, tip: str, begin: int, end: int) -> list[str]:
    """What came to a line from `begin` to `end` (seconds since 1970, by the committers' clocks)."""
    dated = ("--first-parent", f"--since={begin}", f"--until={end}")
    line = repository.git("rev-list", *dated, tip, "--").decode().split()
    if not line:
        return []
    parents = repository.git("rev-list", "--parents", "-1", line[-1], "--").decode().split()[1:2]
    without = [f"^{parent}" for parent in parents]
    return repository.git("rev-list", line[0], *without, "--").decode().split()


@dataclass(frozen=True)
class SearchOrder:
    """What a search asks: `first` candidates, `then` more lots; a bisect asks each lot of `likely`."""

    first: Sequence[str]
    then: Sequence[tuple[How, Sequence[str]]]
    likely: Sequence[frozenset[str]]


def in_order(named: Sequence[str], window: frozenset[str], touching: frozenset[str]) -> SearchOrder:
    """The order for SZZ's candidates, the commits of a report's range, and those that touch the fix's files.

    What the range leaves comes first: SZZ's candidates in it, or else its commits that touch those files.
    """
    within = [commit for commit in named if commit in window]
    others = [commit for commit in named if commit not in window]
    dated = sorted(window & touching)
    if not window:
        return SearchOrder(named, (), (touching,))
    then: list[tuple[How, Sequence[str]]] = [("regressed", dated), ("candidates", others)]
    return SearchOrder(within, then, (window, touching))
