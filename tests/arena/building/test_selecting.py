"""Cases by their projects and by what they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Case
from arena.building.selecting import LACKING, select_cases
from tasks.loader import TaskError

FIX = "0123456789abcdef0123456789abcdef01234567"


def a_case(id_: str, project: str, clone: Path | None = None, **facts: object) -> LoadedCase:
    whole = {"id": id_, "project": project, "repository": "https://example.org/a/b", "fix": FIX}
    return LoadedCase(Path("cases") / id_, Case.model_validate({**whole, **facts}), clone)


@pytest.fixture
def cases(tmp_path: Path) -> list[LoadedCase]:
    return [
        a_case("1", "brook", tmp_path),
        a_case("2", "Lexis", oss_fuzz={"project": "lexis-folder"}),
        a_case("3", "brook", unserved="no-recipe: OSS-Fuzz had none"),
    ]


@pytest.mark.parametrize(
    ("projects", "lacking", "ids"),
    [
        ((), (), ["1", "2", "3"]),
        (("brook",), (), ["1", "3"]),
        (("lexis",), (), ["2"]),
        (("lexis-FOLDER",), (), ["2"]),
        (("lexis", "brook"), (), ["1", "2", "3"]),
        ((), ("clone",), ["2", "3"]),
        ((), ("build",), ["1", "2"]),
        ((), ("no-recipe", "clone"), ["2", "3"]),
        (("brook",), ("clone",), ["3"]),
        ((), ("poc",), []),
    ],
)
def test_cases_are_of_any_project_that_is_named_and_lack_anything_that_is(
    cases: list[LoadedCase], projects: tuple[str, ...], lacking: tuple[str, ...], ids: list[str]
) -> None:
    assert [case.id for case in select_cases(iter(cases), projects, lacking)] == ids


def test_a_project_without_a_case_is_a_mistake_with_similar_names(cases: list[LoadedCase]) -> None:
    with pytest.raises(TaskError, match="'brok'; there are 2 projects, such as brook"):
        select_cases(cases, ["brook", "brok"])
    with pytest.raises(TaskError, match=r"'brook'; there are 0 projects$"):
        select_cases([], ["brook"])


def test_a_code_that_is_none_is_a_mistake_with_all_that_are(cases: list[LoadedCase]) -> None:
    with pytest.raises(TaskError, match=r"'pocs' is none; known: clone, build, .*no-recipe"):
        select_cases(cases, (), ["pocs"])
    assert {code for case in cases for code in case.lacking} <= set(LACKING)
