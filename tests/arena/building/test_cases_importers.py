"""Importers in general: their own examples, and what ends up in a store."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.building.cases import importers
from arena.building.cases.importers import Imported, Importer, Rejected, recognise
from arena.building.cases.importing import ImportOutcome, import_cases
from arena.building.cases.loader import load_case
from arena.building.cases.store import find, rejected
from parsers import registry
from tasks.loader import TaskError, load_pack
from tests.arena.building.case_sources import (
    FIX,
    record,
)

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
    assert [entry["id"] for entry in rejected(tmp_path / "store")] == ["5", "projects"]


def test_importing_again_keeps_what_the_user_wrote(tmp_path: Path) -> None:
    source, store = tmp_path / "17.json", tmp_path / "store"
    source.write_text(json.dumps(record()))
    import_cases(source, store)
    (store / "17" / "case.toml").write_text((store / "17" / "case.toml").read_text() + "\n# mine\n")
    again = import_cases(source, store)
    assert (again.imported, again.kept) == (["17"], ["17"])
    assert "# mine" in (store / "17" / "case.toml").read_text()
    assert import_cases(source, store, replace=True).kept == []
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
    text = (loaded.folder / "case.toml").read_text()
    assert task.spec.source.vic not in text
    assert task.spec.source.pvic not in text


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
