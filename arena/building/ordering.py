"""Orders cases by their expected yield for their cost, when not all can be tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from arena.building.cases.loader import LoadedCase
from arena.building.triage import Triage


def order_by_expected_yield(
    cases: Sequence[LoadedCase], triages: Iterable[Triage] = ()
) -> list[LoadedCase]:
    """Order cases: projects in turns, that with the smallest clone first; in each the latest fix first.

    Small projects build fast, and the later a revision is, the likelier it builds on today's distribution.
    Turns give each project its chance, however many cases the rest have. Where the likeliest VIC changes no
    tests, the task has seldom any that fail without it: such a case comes last of its project. A case whose
    likeliest VIC is that of an earlier case comes after all these, as it would become the same task; what
    lacks something, last.
    """
    likely = {triage.case: triage.candidates[0] for triage in triages if triage.candidates}
    untested = {id_ for id_, vic in likely.items() if not vic.tests}
    projects: defaultdict[str, list[LoadedCase]] = defaultdict(list)
    for case in cases:
        projects[case.spec.project].append(case)
    queues = [
        sorted(
            sorted(cases_of_project, key=_promise, reverse=True),
            key=lambda case: case.id in untested,
        )
        for cases_of_project in projects.values()
    ]
    queues.sort(key=lambda queue: (_size(queue[0].repository), queue[0].spec.project))
    # Round by round, so that a budget of hours reaches every project before the second case of any.
    turns = [case for case in chain.from_iterable(zip_longest(*queues)) if case is not None]
    projects_taken: set[str] = set()
    late: set[str] = set()
    for case in turns:
        if case.id not in likely:
            continue
        if likely[case.id].commit in projects_taken:
            late.add(case.id)
        # A case that cannot be tried must not push another of the same VIC to the end.
        elif not case.lacks:
            projects_taken.add(likely[case.id].commit)
    return sorted(turns, key=lambda case: (bool(case.lacks), case.id in late))


def _promise(case: LoadedCase) -> tuple[bool, int, int]:
    """Whether it can be tried, the date of the fix where a recipe has it, the number of the report."""
    environment = case.spec.environment
    # Reports are numbered in order, so the number stands for the date where no recipe gives one.
    number = int(case.id) if case.id.isdecimal() else 0
    return not case.lacks, environment.date if environment else 0, number


def _size(repository: Path | None) -> int:
    """Bytes of a clone's packs."""
    if repository is None:
        return 0
    folders = (repository / ".git/objects/pack", repository / "objects/pack")
    return sum(p.stat().st_size for folder in folders for p in folder.glob("*.pack"))
