"""The commits that a report's range of revisions leaves for a VIC: what the project took in meanwhile.

ClusterFuzz bisects its daily builds, and reports between which two a crash appeared ("regressed"). The median
range of ARVO's records is a day, so few commits are left of a history of thousands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from szz.proof.result import How
from szz.repository import GitFailed, Repository

# Two builds, each by its minute (UTC, YYYYMMDDHHMM).
STAMPS = re.compile(r"(\d{12}):(\d{12})")
# A daily build takes the sources at its start, hours before the minute in its name, and clocks differ by
# zone.
# Seconds by which what was built may be older than its build's name.
SLACK = 86_400
# git stops listing at the first commit that is too old: one author's clock that is a year behind would end
# the list above the range.
# Seconds by which a commit's date may be too old without hiding the commits beneath it.
SKEW = 400 * 86_400


def days(regressed: str) -> tuple[int, int]:
    """The first and last second (since 1970) in which a crash came, of `OssFuzz.regressed`; 0, 0: unknown."""
    stamps = STAMPS.fullmatch(regressed)
    if not stamps:
        return 0, 0
    try:
        begin, end = (
            int(datetime.strptime(number, "%Y%m%d%H%M").replace(tzinfo=UTC).timestamp())
            for number in stamps.groups()
        )
    except ValueError:
        return 0, 0
    return (begin - SLACK, end) if begin <= end else (0, 0)


def taken_in(
    repository: Repository, fixes: Sequence[str], regressed: str, harness: str = ""
) -> frozenset[str]:
    """The commits that came to the fixes' first-parent lines within a range, those of merged branches too.

    regressed: as in `OssFuzz.regressed`; harness: the first commit with the fuzz target, or "".
    Empty where the range says nothing: no commit came, or the fuzz target did. Fixes do not count.
    """
    begin, end = days(regressed)
    commits: set[str] = set()
    # As many fixes as `touching` looks at.
    for fix in fixes[:3] if end else ():
        with suppress(GitFailed):  # a root, or a name that is no commit here
            commits.update(_taken_in(repository, f"{fix}^1", begin, end))
    # If the fuzz target came in these days, the crash began with the target and not with the weakness.
    return frozenset() if harness in commits else frozenset(commits - {*fixes})


def _taken_in(repository: Repository, tip: str, begin: int, end: int) -> list[str]:
    """The commits that came to a line from `begin` to `end` (seconds since 1970, by the committers' clocks).

    Clocks differ: a commit of a different day between such is included, and a commit far from the rest alone.
    """
    arguments = ("--first-parent", "--timestamp", f"--max-age={max(begin - SKEW, 0)}", tip, "--")
    rows = [row.split() for row in repository.git("rev-list", *arguments).decode().splitlines()]
    indexes = [index for index, (when, _) in enumerate(rows) if begin <= int(when) <= end]
    if not indexes:
        return []
    line = [commit for _, commit in rows]
    newest, oldest = indexes[0], indexes[-1]
    # More of the line lies between than within the days: a wrong clock stands at one end, so no span is
    # taken.
    if oldest - newest >= 2 * len(indexes):
        return [line[index] for index in indexes]
    parents = repository.git("rev-list", "--parents", "-1", line[oldest], "--").decode().split()
    without = [f"^{parent}" for parent in parents[1:2]]
    return repository.git("rev-list", line[newest], *without, "--").decode().split()


@dataclass(frozen=True)
class SearchOrder:
    """What a search asks: the `first` candidates, a bisect of the `dated` lots alone, more candidates `then`,
    and a bisect of all that begins with `likely` ones; each as for `prove`.
    """

    first: Sequence[str]
    likely: frozenset[str]
    dated: Sequence[frozenset[str]] = ()
    then: Sequence[tuple[How, Sequence[str]]] = ()


def order_candidates(
    named: Sequence[str], window: frozenset[str], touching: frozenset[str]
) -> SearchOrder:
    """The order for SZZ's candidates, the commits of a report's range, and those that touch the fix's files.

    A sole candidate costs two builds, and is tried whatever the range says. Of several those in the range are
    where its bisect begins, then what touched those files; the rest comes later.
    """
    if not window:
        return SearchOrder(named, touching)
    dated = (window & touching, window)
    if len(named) == 1:
        return SearchOrder(named, touching, dated)
    within = window & {*named}
    lots = (within, *dated) if within else dated
    then = [[commit for commit in named if (commit in within) == taken] for taken in (False, True)]
    return SearchOrder((), touching, lots, [("candidates", lot) for lot in then if lot])
