"""Importers in general: their own examples, and what ends up in a store."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.building.cases import importers
from arena.building.cases.importers import Imported, Importer, Rejected, recognise
from arena.building.cases.importers import pack as pack_importer
from arena.building.cases.importing import ImportOutcome, import_cases
from arena.building.cases.loader import load_case
from arena.building.cases.recipes import keep_recipe
from arena.building.cases.schema import Case
from arena.building.cases.store import find, load_rejected, save
from arena.building.task_case import write_task_case
from parsers import registry
from tasks.bundle import write_bundle
from tasks.history import materialise
from tasks.kinds import TaskKind
from tasks.loader import TaskError, load_pack
from tests.arena.building.case_sources import (
    FIX,
    record,
)
from tests.mini import Mini

NAMES = registry.names(importers.PACKAGE)
EXAMPLES = [
    pytest.param(name, number, id=f"{name}-{number}")
    for name in NAMES
    for number in range(len(registry.lookup(importers.PACKAGE, name).examples))
]


# every importer


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_importers_do_what_their_examples_say(tmp_path: Path, name: str, number: int) -> None:
    importer: Importer = registry.lookup(importers.PACKAGE, name)
    example = importer.examples[number]
    source = example.write(tmp_path)
    found = list(importer.read(source))
    assert tuple(f.case.id for f in found if isinstance(f, Imported)) == example.imported
    reasons = {f.id: f.reason for f in found if isinstance(f, Rejected)}
    assert reasons.keys() == example.rejected.keys()
    for id_, part in example.rejected.items():
        assert part in reasons[id_]


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_importers_read_each_record_alone_as_among_all(
    tmp_path: Path, name: str, number: int
) -> None:
    importer: Importer = registry.lookup(importers.PACKAGE, name)
    source = importer.examples[number].write(tmp_path)
    for found in importer.read(source):
        if isinstance(found, Imported):
            alone = importer.read_one(source, found.case.id)
            assert found in list(alone)


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_a_source_is_recognised_by_its_importer_alone(
    tmp_path: Path, name: str, number: int
) -> None:
    importer: Importer = registry.lookup(importers.PACKAGE, name)
    source = importer.examples[number].write(tmp_path)
    takers = [n for n in NAMES if registry.lookup(importers.PACKAGE, n).recognises(source)]
    assert takers == [name]


def test_every_importer_has_an_example() -> None:
    assert {param.values[0] for param in EXAMPLES} == set(NAMES)


def test_what_nothing_takes_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no such file or folder"):
        recognise(tmp_path / "nothing")
    with pytest.raises(TaskError, match="no source of cases that is known"):
        recognise(tmp_path)
    (tmp_path / "x.bin").write_bytes(b"\0\xff")
    with pytest.raises(TaskError, match="no source of cases that is known"):
        recognise(tmp_path / "x.bin")


# into a store


def test_ids_given_twice_and_reserved_ones_are_rejected(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, id_ in (("1", 5), ("2", 5), ("3", "projects"), ("4", 6)):
        (source / f"{name}.json").write_text(json.dumps(record(localId=id_)))
    outcome = import_cases(source, tmp_path / "store")
    assert outcome.imported == ["5", "6"]
    assert [(f.id, f.reason.split(";")[0]) for f in outcome.rejected] == [
        ("5", "the id is given twice"),
        ("projects", "the id is reserved"),
    ]
    assert [entry["id"] for entry in load_rejected(tmp_path / "store")] == ["5", "projects"]


def test_importing_again_keeps_what_the_user_wrote(tmp_path: Path) -> None:
    source, store = tmp_path / "17.json", tmp_path / "store"
    source.write_text(json.dumps(record()))
    import_cases(source, store)
    (store / "17" / "case.toml").write_text((store / "17" / "case.toml").read_text() + "\n# mine\n")
    again = import_cases(source, store)
    assert (again.imported, again.already_stored) == (["17"], ["17"])
    assert "# mine" in (store / "17" / "case.toml").read_text()
    assert import_cases(source, store, replace=True).already_stored == []
    assert "# mine" not in (store / "17" / "case.toml").read_text()


def test_progress_is_told_after_each_record(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(json.dumps([record(localId=1), record(repo_addr="")]))
    seen: list[tuple[int, int]] = []

    def note(outcome: ImportOutcome) -> None:
        seen.append((len(outcome.imported), len(outcome.rejected)))

    import_cases(tmp_path / "1.json", tmp_path / "store", progress=note)
    assert seen == [(1, 0), (1, 1)]


def test_a_store_that_cannot_be_written_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "17.json").write_text(json.dumps(record()))
    (tmp_path / "store").write_text("a file")
    with pytest.raises(TaskError, match="store"):
        import_cases(tmp_path / "17.json", tmp_path / "store")


def test_own_cases_come_with_their_poc_and_repository(tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "clone").mkdir(parents=True)
    (own / "crash").write_bytes(b"boom")
    (own / "case.toml").write_text(
        f'id = "own-1"\nproject = "brook"\nrepository = "clone"\nfix = "{FIX}"\n'
        '[poc]\ncommand = "./fuzz {poc}"\nfile = "crash"\n'
    )
    assert import_cases(own, tmp_path / "store").imported == ["own-1"]
    loaded = find(tmp_path / "store", "own-1")
    assert loaded.poc == b"boom"
    assert loaded.folder == tmp_path / "store" / "own-1"
    assert loaded.repository == own / "clone"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    make: Callable[[Path], Path] = registry.lookup(importers.PACKAGE, "pack").examples[0].write
    folder = tmp_path / "pack"
    folder.mkdir()
    return make(folder)


@pytest.mark.slow
def test_a_packs_tasks_become_cases_that_can_be_tried(tmp_path: Path, pack: Path) -> None:
    (task,) = load_pack(pack).tasks
    assert import_cases(pack, tmp_path / "store").imported == [task.id]
    loaded = load_case(tmp_path / "store" / task.id)
    assert loaded.lacks == ()
    assert loaded.poc == task.poc
    assert loaded.spec.fix == (task.spec.source.vfc,)
    assert loaded.spec.tests == task.spec.tests
    assert loaded.spec.crash.state == task.spec.poc.signature.frames
    assert loaded.spec.environment is not None
    assert loaded.spec.environment.build.split("\n") == [
        task.spec.environment.build,
        task.spec.poc.build,
    ]
    proof, source = loaded.spec.proof, task.spec.source
    assert proof and (proof.vic, proof.pvic, proof.vfc) == (source.vic, source.pvic, source.vfc)
    assert proof.signature == task.spec.poc.signature
    beside = {"instruction.md": "instruction.md", "fixed.patch": "solution/fixed.patch"}
    beside |= {name: f"oracle/{name}" for name in ("neighbours.json", "other-values.json")}
    for name, place in beside.items():
        assert (loaded.folder / name).read_bytes() == (task.folder / place).read_bytes()


@pytest.mark.slow
def test_a_packs_history_is_there_as_a_whole(tmp_path: Path, pack: Path) -> None:
    store = tmp_path / "store"
    import_cases(pack, store)
    clone = load_case(store / "brook-include").repository
    assert clone is not None
    listed = subprocess.run(
        ["git", "-C", clone, "rev-list", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.split()
    assert len(listed) == len(list((pack / "repositories" / "brook").glob("*.patch")))
    before = (store / "repositories" / "brook" / ".git" / "HEAD").stat().st_mtime_ns
    import_cases(pack, store)
    assert (store / "repositories" / "brook" / ".git" / "HEAD").stat().st_mtime_ns == before
    assert [path.name for path in (store / "repositories").iterdir()] == ["brook"]


def test_the_kinds_of_task_of_one_case_give_it_once() -> None:
    """A repair whose fix no task of kind `write` has is a case of its own."""
    tasks = load_pack("starter").tasks
    found = [task.id for task in pack_importer._one_for_each_case(tasks)]
    assert found == [task.id for task in tasks if task.kind is TaskKind.WRITE]
    others = [task for task in tasks if task.kind is not TaskKind.WRITE]
    kept = pack_importer._one_for_each_case(others)
    assert len({task.spec.source.vfc for task in kept}) == len(kept) == len(found)


@pytest.mark.slow
def test_a_pack_with_a_bundle_is_imported_to_a_relative_folder(
    mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git -C target` was given a path that counts from elsewhere."""
    pack, clone = tmp_path / "pack", tmp_path / "clone"
    shutil.copytree(mini.folder, pack)
    (task,) = load_pack(pack).tasks
    assert task.history is not None
    materialise(task.history, clone)
    shutil.rmtree(task.history)
    write_bundle(clone, [task.spec.source.vfc], task.history)
    monkeypatch.chdir(tmp_path)
    assert import_cases(Path("pack"), Path("cases")).imported == [task.id]
    assert (tmp_path / "cases/repositories" / task.history.name / ".git").is_dir()


@pytest.mark.slow
def test_a_pack_gives_back_the_case_that_its_task_was_built_from(
    mini: Mini, tmp_path: Path
) -> None:
    """With its recipe, what the record told, and a clone where the URL is looked for."""
    pack, store = tmp_path / "pack", tmp_path / "store"
    shutil.copytree(mini.folder, pack)
    (task,) = load_pack(pack).tasks
    source = task.spec.source
    recipe = {"recipe": "brook/0123456789ab", "date": 7, "build": "compile t"}
    proof = {"vic": source.vic, "pvic": source.pvic, "vfc": source.vfc, "read_by": "A. Reader"}
    facts = {
        "id": "14501",
        "project": "brook",
        "source": "arvo",
        "repository": "https://example.org/group/little.git",
        "fix": source.vfc,
        "oss_fuzz": {"regressed": "201801120659:201801140700"},
        "environment": recipe,
        "poc": {"command": "t {poc}", "file": "poc", "carry": ["fuzz/**"]},
        "proof": {**proof, "conclusion": "right"},
    }
    case = Case.model_validate(facts)
    save(tmp_path / "first", case, {"poc": task.poc or b""})
    made = tmp_path / "first/recipes" / recipe["recipe"]  # type: ignore[operator]
    made.mkdir(parents=True)
    (made / "Dockerfile").write_bytes(b"FROM x\n")
    write_task_case(task.folder, load_case(tmp_path / "first/14501"), case.proof)
    assert import_cases(pack, store).imported == ["14501"]
    found = load_case(store / "14501")
    assert found.spec.poc and case.poc
    poc = found.spec.poc.model_copy(update={"origin": case.poc.origin})
    assert found.spec.model_copy(update={"poc": poc}) == case
    assert found.lacks == () and found.repository == store / "repositories/little"
    assert (store / "recipes" / str(recipe["recipe"]) / "Dockerfile").is_file()
    assert str(tmp_path) not in (pack / task.id / "oracle/case.toml").read_text()


def recipe_case(store: Path, **origin: str) -> None:
    where: dict[str, object] = {"recipe": "brook/0123456789ab", "build": "compile t"}
    if origin:
        where["origin"] = {"commit": FIX, "path": "projects/brook", **origin}
    facts = {"id": "1", "project": "p", "repository": str(store), "fix": FIX, "environment": where}
    poc = {"command": "t {poc}", "file": "poc"}
    save(store, Case.model_validate({**facts, "poc": poc}), {"poc": b"x"})


def test_a_case_whose_recipe_did_not_come_along_is_not_ready(tmp_path: Path) -> None:
    """It was counted as ready, and lost when it was tried."""
    recipe_case(tmp_path / "one", sha256="0" * 64)
    import_cases(tmp_path / "one", tmp_path / "two")
    lacking = load_case(tmp_path / "two/1").lacking
    assert [*lacking] == ["recipe"]
    assert f"(projects/brook at {FIX[:12]}); `--oss-fuzz` brings it" in lacking["recipe"]


def test_another_recipe_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    """A store from elsewhere changes what the cases here are built by neither by chance nor by intent."""
    for name, text in (("one", b"FROM x\n"), ("two", b"FROM y\n")):
        recipe_case(tmp_path / name)
        keep_recipe(tmp_path / name, "brook/0123456789ab", {"Dockerfile": text})
    outcome = import_cases(tmp_path / "one", tmp_path / "two")
    assert [found.reason for found in outcome.rejected] == [
        "the store has another recipe of the name brook/0123456789ab"
    ]
    kept = tmp_path / "two/recipes/brook/0123456789ab/Dockerfile"
    assert kept.read_bytes() == b"FROM y\n"


def test_a_recipe_that_is_not_the_stated_one_is_told(tmp_path: Path) -> None:
    recipe_case(tmp_path / "one", sha256="0" * 64)
    keep_recipe(tmp_path / "one", "brook/0123456789ab", {"Dockerfile": b"FROM x\n"})
    (found,) = import_cases(tmp_path / "one", tmp_path / "two").rejected
    assert found.reason.endswith(f"stated is {'0' * 64}") and "has the digest" in found.reason


def test_what_lies_beside_a_case_is_no_link(tmp_path: Path) -> None:
    recipe_case(tmp_path / "one")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "one/1/instruction.md").symlink_to(tmp_path / "secret")
    (found,) = import_cases(tmp_path / "one", tmp_path / "two").rejected
    assert found.reason.endswith("instruction.md: must be a plain file")
