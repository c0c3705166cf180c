"""Selects cases of a store by their projects, or by what they lack."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping

from arena.building.cases.loader import LACKS, LoadedCase
from arena.building.oss_fuzz.checkout import LOSSES
from tasks.loader import TaskError

# All codes of `LoadedCase.lacking`, and what they mean.
LACKING: Mapping[str, str] = {**LACKS, **LOSSES}
MAX_SIMILAR_NAMES = 5


def select_cases(
    cases: Iterable[LoadedCase], projects: Collection[str] = (), lacking: Collection[str] = ()
) -> list[LoadedCase]:
    """The cases of any of these projects that lack any of these items; empty arguments select all.

    projects: as the record or OSS-Fuzz names them, in capital or small letters. lacking: codes of `LACKING`.
    Raises TaskError for a project that no case is of, and for a code that is none.
    """
    selected = list(cases)
    unknown = [code for code in lacking if code not in LACKING]
    if unknown:
        raise TaskError(f"--lacking: {unknown[0]!r} is none; known: {', '.join(LACKING)}")
    if projects:
        _expect_projects(selected, projects)
        wanted = {name.lower() for name in projects}
        selected = [case for case in selected if not wanted.isdisjoint(_names_of(case))]
    if lacking:
        selected = [case for case in selected if not case.lacking.keys().isdisjoint(lacking)]
    return selected


def _names_of(case: LoadedCase) -> set[str]:
    return {case.spec.project.lower(), case.spec.oss_fuzz.project.lower()} - {""}


def _expect_projects(cases: Iterable[LoadedCase], projects: Iterable[str]) -> None:
    """Raises TaskError that names similar projects."""
    names = {name for case in cases for name in _names_of(case)}
    for project in projects:
        if project.lower() not in names:
            near = difflib.get_close_matches(project.lower(), names, MAX_SIMILAR_NAMES, 0.4)
            hint = f", such as {', '.join(near)}" if near else ""
            count = len({case.spec.project for case in cases})
            raise TaskError(
                f"--project: no case is of {project!r}; there are {count} projects{hint}"
            )
