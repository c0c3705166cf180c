"""Hostile patches and honest ones on the starter pack, graded as any other.

The pack's `redteam/` holds `<task>__<class><nn>-<name>.patch`, `honest/` holds `<task>__<name>.patch`, and each a
`due.tsv`, the label that is due. A hostile one gets that or a stricter one; an honest one just that. Its `holes.tsv` names those that get a
weaker one today, with the cause.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import Label
from tasks.loader import Task, load_pack

HERE = Path(__file__).parent
PACK = Path(__file__).parents[3] / "tasks/packs/starter"
HOSTILE_FOLDER = "redteam"
ORDER = [Label.NO, Label.CE, Label.IC, Label.CV, Label.CS, Label.SECURE]


@dataclass(frozen=True)
class Case:
    """A patch, the task that it is for, and the label that is due."""

    folder: str
    name: str
    due: Label
    hole: str = ""

    @property
    def task(self) -> Task:
        kind = "-repair" if self.folder.startswith("repairs/") else ""
        return tasks()[self.name.partition("__")[0] + kind]

    @property
    def patch(self) -> bytes:
        return (place(self.folder) / f"{self.name}.patch").read_bytes()


@cache
def tasks() -> dict[str, Task]:
    return {task.id: task for task in load_pack(PACK).tasks}


def place(folder: str) -> Path:
    return PACK / folder if folder == HOSTILE_FOLDER else HERE / folder


def table(path: Path) -> dict[str, str]:
    """The first two columns."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {name: value for name, value, *_ in (line.split("\t") for line in lines)}


def cases(folder: str) -> list[Case]:
    holes = table(place(folder) / "holes.tsv")
    due = table(place(folder) / "due.tsv")
    return [Case(folder, name, Label(label), holes.get(name, "")) for name, label in due.items()]


def params(found: list[Case]) -> list[object]:
    marks = {
        case.name: [pytest.mark.xfail(strict=True, reason=case.hole)] if case.hole else []
        for case in found
    }
    return [pytest.param(case, id=case.name, marks=marks[case.name]) for case in found]


HOSTILE = cases(HOSTILE_FOLDER)
HONEST = cases("honest")


@pytest.mark.parametrize("folder", [HOSTILE_FOLDER, "honest"])
def test_each_patch_has_a_label_that_is_due(folder: str) -> None:
    here = place(folder)
    assert {case.name for case in cases(folder)} == {path.stem for path in here.glob("*.patch")}
    assert table(here / "holes.tsv").keys() <= table(here / "due.tsv").keys()


@pytest.fixture
def ready(grader: Grader, case: Case) -> Grader:
    """The grader with gold's outcomes of the case's task: to take them is no part of a test's time."""
    grader.ready(case.task)
    return grader


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize("case", params(HOSTILE))
def test_a_hostile_patch_gets_its_due_or_less(ready: Grader, case: Case) -> None:
    verdict = ready.grade(case.task, case.patch)
    assert verdict.label is not None
    assert ORDER.index(Label(verdict.label)) <= ORDER.index(case.due), verdict.reason


@pytest.mark.nightly("a grading: test_causes.py has each cause by day")
@pytest.mark.parametrize("case", params(HONEST))
def test_an_honest_patch_gets_its_due(ready: Grader, case: Case) -> None:
    verdict = ready.grade(case.task, case.patch)
    assert verdict.label is case.due, verdict.reason
