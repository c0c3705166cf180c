"""Entries are read as data from a stranger; each thing that an entry must not hold, or must state, is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.building.cases.proof import ExpectedLabels, ExpectedSpec, FuzzingOrigin, PocOrigin
from arena.building.cases.schema import Case
from arena.building.catalogue.entries import SHIPPED, entries, find_entries, load_entry, problems_of
from arena.building.catalogue.overview import markdown_table, row_of, summary_of
from tasks.instruction.wording import REVIEW
from tasks.loader import TaskError
from tests.arena.building.catalogue.made import MadeCatalogue, made_catalogue, write_entry

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeCatalogue:
    return made_catalogue(tmp_path_factory.mktemp("made"))


def _with_origin(case: Case, **facts: Any) -> Case:
    assert case.poc
    poc = case.poc.model_copy(update={"origin": PocOrigin.model_validate(facts)})
    return case.model_copy(update={"poc": poc})


def _with_environment(case: Case, **facts: Any) -> Case:
    assert case.environment
    return case.model_copy(update={"environment": case.environment.model_copy(update=facts)})


def _replace(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def _lead_elsewhere(folder: Path) -> None:
    """Put a link in the place of a folder, which goes out of the catalogue."""
    elsewhere = folder.parents[1 if folder.name == "brook" else 2] / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)


def _expecting(case: Case, **facts: Any) -> Case:
    return case.model_copy(update={"expected": case.expected.model_copy(update=facts)})


def test_what_ships_is_read() -> None:
    found = list(entries(SHIPPED))
    assert len({entry.name for entry in found}) == len(found)


def test_an_entry_is_found_by_case_project_and_both(made: MadeCatalogue) -> None:
    for name in ("10101", "brook", "brook/10101"):
        assert [entry.name for entry in find_entries(made.folder, [name, "brook"])] == [
            "brook/10101"
        ]
    with pytest.raises(TaskError, match=r"no entry 'brok'; there are 1, such as brook"):
        find_entries(made.folder, ["brok"])
    with pytest.raises(TaskError, match="no catalogue there"):
        find_entries(made.folder / "absent", ["brook"])
    with pytest.raises(TaskError, match=r"no entries there; one is PROJECT/CASE/case\.toml"):
        entries(made.folder / "brook")


def test_an_entry_is_a_row(made: MadeCatalogue) -> None:
    row = row_of(made.entry)
    assert row == {
        "project": "brook",
        "case": "10101",
        "cwe": "CWE-416",
        "lines": 77,
        "vic": "b-szz",
        "poc": "commit",
        "tests": 177,
        "failing": None,
        "labels": "gold CV, fixed C&S, empty NO",
        "kinds": "",
        "minutes": 1.5,
    }
    assert summary_of([row, {**row, "case": "2"}]) == "2 case(s) of 1 project(s)"
    table = markdown_table([{**row, "cwe": "a|b", "lines": None}])
    assert table.splitlines()[2].startswith("| brook | 10101 | a\\|b |  | b-szz | commit |")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.model_copy(update={"repository": "../brook"}), "repository: no address"),
        (lambda c: c.model_copy(update={"repository": "https://example.org/.."}), "repository: no address"),
        (lambda c: _with_environment(c, origin=None), "environment: no origin of its recipe"),
        (lambda c: _with_environment(c, recipe="", image="a/b"), "environment: an image"),
        (lambda c: c.model_copy(update={"environment": None}), "environment: no origin"),
        (lambda c: c.model_copy(update={"poc": None}), "poc: a file of its own, or none"),
        (lambda c: c.model_copy(update={"poc": c.poc.model_copy(update={"file": "poc"})}), "poc: a file of its own"),
        (lambda c: _with_origin(c, note="somewhere"), "poc.origin: neither"),
        (lambda c: _with_origin(c, commit="a" * 40, path="x"), "poc.origin: no sha256"),
        (lambda c: c.model_copy(update={"proof": None}), "proof: no VIC"),
        (lambda c: c.model_copy(update={"tests": None}), "tests: no suite"),
        (lambda c: _expecting(c, labels=ExpectedLabels(gold="CV", fixed="CS")), "expected.labels: not all"),
        (lambda c: _expecting(c, labels=ExpectedLabels(gold="CV", fixed="CS", empty="CV")), "expected.labels: empty is CV"),
        (lambda c: c.model_copy(update={"proof": c.proof.model_copy(update={"conclusion": "wrong"})}), "proof: nobody has read"),
        (lambda c: c.model_copy(update={"id": "recipes"}), "id: a name that case stores keep"),
        (lambda c: _with_environment(c, build="a\0b"), "a text holds a NUL"),
        (lambda c: _with_environment(c, recipe="", form="arvo", origin=None, image="a/arvo:1-vul"), "environment: an image"),
        (lambda c: _expecting(c, fixed="given"), "expected.fixed: no way"),
        (lambda c: c.model_copy(update={"expected": ExpectedSpec()}), "expected.fixed: no way"),
    ],
)  # fmt: skip
def test_what_an_entry_does_not_state_is_named(
    made: MadeCatalogue, change: Callable[[Case], Case], told: str
) -> None:
    case = made.entry.case
    assert problems_of(case, "Do it.") == []
    assert any(problem.startswith(told) for problem in problems_of(change(case), "Do it."))


def test_a_campaign_stands_for_a_commit(made: MadeCatalogue) -> None:
    origin = {"fuzzing": FuzzingOrigin(budget=60)}
    assert problems_of(_with_origin(made.entry.case, **origin), "Do it.") == []


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda f: (f / "poc").write_bytes(b"x"), "holds 'poc'"),
        (lambda f: (f / "fixed.patch").write_bytes(b"x"), "holds 'fixed.patch'"),
        (lambda f: (f / "instruction.md").unlink(), "has no instruction.md"),
        (lambda f: [(f / "instruction.md").unlink(), (f / "instruction.md").symlink_to("/etc/passwd")],
         "must be plain files"),
        (lambda f: (f / "case.toml").unlink(), "has no case.toml"),
        (lambda f: (f / "instruction.md").write_bytes(b"\xff"), "no text in UTF-8"),
        (lambda f: (f / "instruction.md").write_text(" \n"), "instruction.md: no text"),
        (lambda f: _lead_elsewhere(f), "10101: is a link"),
        (lambda f: _lead_elsewhere(f.parent), "brook: is a link"),
        (lambda f: _replace(f / "case.toml", "minutes = 1.5", "minutes = inf"), "expected.minutes: Input should be less"),
        (lambda f: _replace(f / "case.toml", "tests = 177", f"tests = 0x{'f' * 20}"), "expected.tests: Input should be less"),
        (lambda f: _replace(f / "case.toml", "[environment]", f"[environment]\n{'.'.join('a' * 3000)} = 1"), "case.toml: tables are nested too deeply"),
        (lambda f: (f / "case.toml").write_text('poc = 5\nenvironment = {form = "arvo"}'), "case.toml: "),
        (lambda f: f.rename(f.with_name("10102")), "is of brook/10101, not of brook/10102"),
        (lambda f: (f / "case.toml").write_text("id = "), "not TOML"),
        (lambda f: _replace(f / "case.toml", 'recipe = "brook/', 'recipe = "../'), "environment.recipe: String should"),
        (lambda f: (f / "instruction.md").write_text(f"{REVIEW} -->\nDo it."), "a draft that waits"),
    ],
)  # fmt: skip
def test_what_does_not_belong_into_an_entry_is_an_error(
    made: MadeCatalogue, tmp_path: Path, spoil: Callable[[Path], object], told: str
) -> None:
    folder = write_entry(tmp_path / "catalogue", made.entry.case, "Do it.")
    assert load_entry(folder).case == made.entry.case
    spoil(folder)
    (left,) = (tmp_path / "catalogue/brook").iterdir()
    with pytest.raises(TaskError, match=told):
        load_entry(left)


def test_a_folder_with_an_instruction_alone_is_not_passed_over(
    made: MadeCatalogue, tmp_path: Path
) -> None:
    folder = write_entry(tmp_path, made.entry.case, "Do it.")
    (folder / "case.toml").unlink()
    with pytest.raises(TaskError, match=r"10101: has no case\.toml"):
        list(entries(tmp_path))
