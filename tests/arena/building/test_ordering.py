"""The order of an unattended build, and what its live table shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Case
from arena.building.funnel import CaseProgress
from arena.building.ordering import order_by_expected_yield
from arena.building.triage import LikelyVic, Triage
from arena.cli.build import BuildTable

FIX = "1" * 40


def a_case(
    folder: Path, id_: str, project: str, size: int, date: int, poc: bool = True
) -> LoadedCase:
    clone = folder / project
    (clone / "objects/pack").mkdir(parents=True, exist_ok=True)
    (clone / "objects/pack/a.pack").write_bytes(b"x" * size)
    own = folder / "cases" / id_
    own.mkdir(parents=True)
    recipe = folder / "cases/recipes" / project / FIX[:12]
    recipe.mkdir(parents=True, exist_ok=True)
    (recipe / "Dockerfile").write_bytes(b"FROM x\n")
    if poc:
        (own / "poc").write_bytes(b"x")
    spec = Case.model_validate(
        {
            "schema": 1,
            "id": id_,
            "project": project,
            "repository": str(clone),
            "fix": (FIX,),
            "environment": {"recipe": f"{project}/{FIX[:12]}", "date": date, "build": "compile"},
            "poc": {"command": "t {poc}", "file": "poc"},
        }
    )
    return LoadedCase(own, spec, clone)


def test_small_projects_by_turns_late_fixes_first_what_lacks_something_last(tmp_path: Path) -> None:
    cases = [
        a_case(tmp_path, "1", "large", 900, 10),
        a_case(tmp_path, "2", "large", 900, 30),
        a_case(tmp_path, "3", "large", 900, 40, poc=False),
        a_case(tmp_path, "4", "small", 9, 5),
        a_case(tmp_path, "5", "small", 9, 6),
    ]
    assert [case.id for case in order_by_expected_yield(cases)] == ["5", "2", "4", "1", "3"]
    assert order_by_expected_yield([]) == []


def test_a_second_case_of_a_likely_vic_comes_behind_the_others(tmp_path: Path) -> None:
    cases = [a_case(tmp_path, str(n), "p", 9, 50 - n) for n in (1, 2, 3)]
    cases.append(a_case(tmp_path, "4", "p", 9, 60, poc=False))
    shared = (LikelyVic("a" * 40), LikelyVic("b" * 40))
    triages = [Triage(id_, shared) for id_ in ("1", "2", "4")] + [Triage("3", shared[1:])]
    assert [case.id for case in order_by_expected_yield(cases, triages)] == ["1", "3", "2", "4"]


def test_a_likely_vic_without_tests_comes_behind_those_with_some(tmp_path: Path) -> None:
    cases = [a_case(tmp_path, str(n), "p", 9, 50 - n) for n in (1, 2, 3)]
    triages = [Triage("1", (LikelyVic("a" * 40),)), Triage("2", (LikelyVic("b" * 40, tests=True),))]
    cases += [a_case(tmp_path, str(n), "q", 99, 90 - n) for n in (4, 5)]
    assert [case.id for case in order_by_expected_yield(cases, triages)] == [
        "2",
        "4",
        "3",
        "5",
        "1",
    ]


def test_the_table_tells_what_became_of_each_project(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = BuildTable(3, tmp_path)
    lost = CaseProgress("a", "brook\x1b[2J", builds=4, seconds=300.0)
    held = CaseProgress("b", "lexis", confirmed=True, held=True)
    table.show_step(lost, "confirm")
    table.show_step(held, "check")
    lost.lose("fix-unbuilt", "no compiler")
    console = Console(width=120, record=True)
    console.print(table.table())
    said = console.export_text()
    assert "2 of 3 cases begun" in said and "\x1b[2J" not in said
    brook, lexis = (
        next(row for row in said.splitlines() if name in row) for name in ("brook", "lexis")
    )
    assert (
        brook.split("│")[2:8] == [f" {cell:>{n}} " for cell, n in ZIPPED]
        and "1 fix-unbuilt" in brook
    )
    assert lexis.split("│")[5].strip() == "1"
    for step in ("done", "repair", "done"):  # as it is lost, in another kind, and at the end
        table.show_step(lost, step)
    table.show_step(held, "done")
    told = ["a: confirm", "b: check", "a: fix-unbuilt: no compiler", "a: repair", "b: done"]
    lines = [line.partition(" (")[0] for line in capsys.readouterr().err.splitlines()]
    assert lines == told


# Cells of a project: cases, done, confirmed, tasks, builds, minutes; each with its column's width.
ZIPPED = (("1", 5), ("1", 4), ("0", 9), ("0", 5), ("4", 6), ("5", 7))
