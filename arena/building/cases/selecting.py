"""Cases of a store that are of certain projects, or that lack certain things."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from arena.building.cases.loader import LoadedCase
from tasks.loader import TaskError

MAX_SIMILAR_NAMES = 5


def select_cases(
    cases: Sequence[LoadedCase],
    projects: Collection[str] = (),
    lacking: Collection[str] = (),
    codes: Collection[str] = (),
) -> list[LoadedCase]:
    """The cases of any of these projects, in either's spelling of small and capital letters, that lack any of
    these things; nothing given selects all.

    lacking: codes of `codes`, which are all that there are. Raises TaskError for a project that no case is of,
    and for a code that is none.
    """
    unknown = [code for code in lacking if code not in codes]
    if unknown:
        raise TaskError(f"--lacking: {unknown[0]!r} is none; known: {', '.join(codes)}")
    wanted = {name.lower() for name in projects}
    there = {case.spec.project.lower(): case.spec.project for case in cases}
    absent = [name for name in projects if name.lower() not in there]
    if absent:
        near = difflib.get_close_matches(absent[0].lower(), there, MAX_SIMILAR_NAMES, 0.4)
        hint = f", such as {', '.join(there[name] for name in near)}" if near else ""
        raise TaskError(
            f"--project: no case is of {absent[0]!r}; there are {len(there)} projects{hint}"
        )
    return [
        case
        for case in cases
        if (not wanted or case.spec.project.lower() in wanted)
        and (not lacking or not case.lacking.keys().isdisjoint(lacking))
    ]
