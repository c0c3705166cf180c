"""A checked task becomes an entry that holds facts and our text alone; what is wrong with one is named."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.building.cases.loader import LoadedCase
from arena.building.cases.proof import ExpectedLabels, ProofSpec
from arena.building.cases.schema import Case
from arena.building.catalogue.adding import add_entry
from arena.building.catalogue.building import verify_entries
from arena.building.task_case import write_task_case
from tasks.instruction.wording import REVIEW
from tasks.loader import PACKS, Task, TaskError, load_pack
from tests.arena.building.catalogue.made import MadeCatalogue, made_catalogue
from tests.arena.conftest import Arena

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeCatalogue:
    return made_catalogue(tmp_path_factory.mktemp("made"))


def _pack(made: MadeCatalogue, place: Path, **changed: Any) -> tuple[Task, tuple[Task, ...]]:
    """The starter pack's brook-include and its repair, with the case of the entry beside it."""
    pack = place / "pack"
    pack.mkdir()
    shutil.copy(PACKS / "starter/pack.toml", pack)
    for name in ("brook-include", "brook-include-repair", "repositories/brook"):
        shutil.copytree(PACKS / "starter" / name, pack / name)
    case = made.entry.case.model_copy(update=changed)
    loaded = LoadedCase(place / "store" / case.id, case)
    write_task_case(pack / "brook-include", loaded, case.proof, case.expected, case.tests)
    tasks = load_pack(pack)
    return tasks.task("brook-include"), tasks.tasks


def _unread(case: Case) -> ProofSpec:
    assert case.proof
    return case.proof.model_copy(update={"read_by": "", "conclusion": ""})


def test_an_entry_is_what_the_task_came_to_and_can_be_built(
    made: MadeCatalogue, tmp_path: Path
) -> None:
    task, others = _pack(made, tmp_path, proof=_unread(made.entry.case))
    entry = add_entry(task, others, tmp_path / "catalogue", "me", "it adds the line")
    assert {path.name for path in entry.folder.iterdir()} == {"case.toml", "instruction.md"}
    assert entry.instruction == task.instruction
    assert entry.case.poc and entry.case.poc.file is None
    assert entry.case.proof and entry.case.proof.note == "it adds the line"
    assert entry.case.expected.kinds == ("write", "repair")
    (found,) = verify_entries([entry], tmp_path / "cases", made.sources)
    assert found.lost == ""
    again = add_entry(task, others, tmp_path / "catalogue", "me", "it adds the line")
    assert again == entry


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (ExpectedLabels(gold="CS", fixed="C&S", empty="IC"), "gold is CS"),
        (ExpectedLabels(gold="CV", fixed="CV", empty="IC"), "fixed is CV"),
        (ExpectedLabels(gold="CV", fixed="C&S", empty="CV"), "empty is CV"),
    ],
)
def test_a_task_that_measures_something_else_is_no_entry(
    made: MadeCatalogue, tmp_path: Path, labels: ExpectedLabels, told: str
) -> None:
    expected = made.entry.case.expected.model_copy(update={"labels": labels})
    task, others = _pack(made, tmp_path, expected=expected)
    with pytest.raises(TaskError, match=told):
        add_entry(task, others, tmp_path / "catalogue")
    assert not (tmp_path / "catalogue").exists()


def test_all_that_is_wrong_is_told_at_once(made: MadeCatalogue, tmp_path: Path) -> None:
    expected = made.entry.case.expected.model_copy(update={"fixed": "given"})
    task, others = _pack(made, tmp_path, expected=expected, proof=_unread(made.entry.case))
    path = task.folder / "instruction.md"
    path.write_text(f"{REVIEW} -->\n{path.read_text()}")
    with pytest.raises(TaskError) as error:
        add_entry(task, others, tmp_path / "catalogue")
    for told in ("expected.fixed: no way", "a draft that waits", "nobody has read the VIC"):
        assert told in str(error.value)


@pytest.mark.parametrize("link", ["brook/10101/instruction.md", "brook/10101", "brook"])
def test_nothing_is_written_behind_a_link(made: MadeCatalogue, tmp_path: Path, link: str) -> None:
    task, others = _pack(made, tmp_path)
    elsewhere = tmp_path / "elsewhere"
    if link.endswith(".md"):
        elsewhere.write_text("precious")
    else:
        elsewhere.mkdir()
    place = tmp_path / "catalogue" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(elsewhere)
    with pytest.raises(TaskError, match=r"must be plain files|is a link"):
        add_entry(task, others, tmp_path / "catalogue")
    if link.endswith(".md"):
        assert elsewhere.read_text() == "precious"
    else:
        assert list(elsewhere.iterdir()) == []


def test_nothing_is_written_beside_what_is_no_entry(made: MadeCatalogue, tmp_path: Path) -> None:
    task, others = _pack(made, tmp_path)
    folder = tmp_path / "catalogue/brook/10101"
    folder.mkdir(parents=True)
    (folder / "poc").write_bytes(b"x")
    with pytest.raises(TaskError, match="holds 'poc'"):
        add_entry(task, others, tmp_path / "catalogue")
    assert [path.name for path in folder.iterdir()] == ["poc"]


def test_what_cannot_be_written_or_read_is_named_in_one_line(
    made: MadeCatalogue, tmp_path: Path
) -> None:
    task, others = _pack(made, tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(TaskError, match=r"file/brook/10101: cannot be written: Not a directory"):
        add_entry(task, others, tmp_path / "file")
    with pytest.raises(TaskError, match=r"^--read-by, --note: read_by: String should have at most"):
        add_entry(task, others, tmp_path / "catalogue", "x" * 201)
    (task.folder / "instruction.md").write_bytes(b"\xff")
    with pytest.raises(TaskError, match=r"instruction.md: no text in UTF-8"):
        add_entry(task, others, tmp_path / "catalogue")
    (task.folder / "instruction.md").unlink()
    (task.folder / "instruction.md").symlink_to(tmp_path / "file")
    with pytest.raises(TaskError, match=r"instruction.md: is a link"):
        add_entry(task, others, tmp_path / "catalogue")
    assert not (tmp_path / "catalogue").exists()


def test_a_task_of_another_kind_or_without_its_case(made: MadeCatalogue, tmp_path: Path) -> None:
    _, others = _pack(made, tmp_path)
    for task in others[1:]:
        with pytest.raises(TaskError, match="no case is kept beside the task"):
            add_entry(task, others, tmp_path / "catalogue")


def test_the_commands(made: MadeCatalogue, tmp_path: Path, arena: Arena) -> None:
    task, _ = _pack(made, tmp_path)
    place, pack = str(tmp_path / "catalogue"), str(task.folder.parent)
    said = arena("catalogue", "add", pack, "--catalogue", place)
    assert (said.status, said.out) == (0, "brook-include: brook/10101\n")
    said = arena("catalogue", "list", "--catalogue", place, "--json")
    assert [row["case"] for row in said.json["entries"]] == ["10101"]
    said = arena("catalogue", "list", "--catalogue", place, "brook", "--markdown")
    assert said.out.splitlines()[2].startswith("| brook | 10101 |")
    said = arena("catalogue", "show", "10101", "--catalogue", place)
    assert said.out.startswith(f"# {place}/brook/10101\nschema = 1\n")
    given = ["--catalogue", place, "--mirrors", str(made.sources.mirrors)]
    said = arena("catalogue", "verify", *given)
    assert said.status == 1 and "no clone of OSS-Fuzz is given (--oss-fuzz)" in said.out
    assert made.sources.checkout
    oss_fuzz = str(made.sources.checkout.path)
    said = arena("catalogue", "verify", *given, "--oss-fuzz", oss_fuzz)
    assert (said.status, said.out) == (0, "brook/10101: as stated\n")
    (tmp_path / "file").write_text("x")
    build = ("catalogue", "build", "--catalogue", place, "--sandbox", "local")
    for out in ("file", "file/pack"):
        said = arena(*build, "--out", tmp_path / out)
        assert said.status == 2 and "cannot be a pack's folder" in said.err
    said = arena("catalogue", "show", "10102", "--catalogue", place)
    assert said.status == 2 and "no entry '10102'" in said.err
