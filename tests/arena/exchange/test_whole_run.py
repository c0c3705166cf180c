"""A run that is exported and imported is the same run."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.exchange import importing
from arena.exchange.formats import run as run_format
from arena.exchange.importing import import_run
from arena.exchange.opening import ImportRefused
from arena.exchange.source import Source
from arena.store.model import (
    Attempt,
    AttemptKey,
    AttemptUpdate,
    Spent,
    StoredSolution,
    TaskFacts,
    attempt_id,
)
from arena.store.store import Store
from tests.arena.conftest import Arena, arena
from tests.arena.exchange.making import RUN, a_run, exported, held
from tests.tiers import few

__all__ = ("arena",)

pytestmark = pytest.mark.rotating(2)


def test_the_run_is_the_same_in_another_store(store: Store, other: Store, file: Path) -> None:
    assert import_run(other, file) == (RUN, 8, True)
    assert held(other, RUN) == held(store, RUN)
    for attempt in store.attempts(RUN):
        for digest in attempt.artefacts().values():
            assert other.blob(digest) == store.blob(digest)
        for digest in attempt.evidence.get("tests", {}).get("reports", {}).values():
            assert other.blob(digest) == store.blob(digest)
    assert len(other.open_attempts(RUN)) == len(store.open_attempts(RUN)) == 2


def test_the_same_run_gives_the_same_bytes(store: Store, file: Path, tmp_path: Path) -> None:
    exported(store, "run", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_a_run_that_is_there(store: Store, other: Store, file: Path) -> None:
    import_run(other, file)
    assert import_run(other, file) == (RUN, 8, False)
    other.add_seconds(RUN, 1.0)
    with pytest.raises(ImportRefused, match="is in the store and another one; name a new id"):
        import_run(other, file)
    assert import_run(other, file, "mine") == ("mine", 8, True)
    assert import_run(other, file, "mine") == ("mine", 8, False)
    ids = {attempt.id for attempt in other.attempts("mine")}
    assert ids == {attempt_id("mine", a.key) for a in store.attempts(RUN)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_file_that_is_imported_twice_at_once(
    kind: str,
    other: Store,
    file: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both find that the run is not there."""
    if kind == "postgresql":
        other = Store(request.getfixturevalue("postgres").new_database())
    looked, both = importing._is_there, threading.Barrier(2)

    def look(store: Store, run: str) -> bool:
        found = looked(store, run)
        both.wait(60)
        return found

    monkeypatch.setattr(importing, "_is_there", look)
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(import_run, other, file) for _ in range(2)]
    assert sorted(one.result() for one in found) == [(RUN, 8, False), (RUN, 8, True)]


def test_what_a_driver_writes_during_an_export_is_not_missing(
    store: Store, other: Store, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in = run_format._artefacts

    def meanwhile(*told: Any) -> set[str]:
        kept = put_in(*told)
        one = store.open_attempts(RUN)[0]
        store.write(
            [AttemptUpdate(one.id, Spent(), StoredSolution(store.keep(b"newer"), "finished"))]
        )
        return kept

    monkeypatch.setattr(run_format, "_artefacts", meanwhile)
    said = exported(store, "run", tmp_path / "during")
    assert not any("no longer in the store" in line for line in said)
    assert import_run(other, tmp_path / "during") == (RUN, 8, True)


def test_a_part_of_a_run_is_not_a_whole_one(store: Store, file: Path) -> None:
    with pytest.raises(ValueError, match="holds a whole run"):
        exported(store, "run", file, "label=CV")


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
FLOATS = st.floats(0, 1e6)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
EVIDENCE = st.dictionaries(
    WORDS.filter(lambda name: name != "artefacts"), JSONS, max_size=4
).filter(
    lambda found: (
        not any(isinstance(e, dict) and {"log", "report"} & e.keys() for e in found.values())
    )
)
ATTEMPTS = st.builds(
    Attempt,
    id=st.just(""),
    run=st.just("r"),
    key=st.builds(AttemptKey, WORDS, WORDS, WORDS, WORDS, st.integers(0, 99)),
    health=st.sampled_from(["", "infra", "timeout", "cancelled"]),
    reason=WORDS,
    ended=WORDS,
    usage=st.dictionaries(WORDS, JSONS, max_size=3),
    evidence=EVIDENCE,
    seconds=FLOATS,
    score=st.none() | st.floats(0, 1),
    usd=FLOATS,
    tokens=st.integers(0, 1 << 40),
    tries=st.integers(0, 1000),
    node=WORDS,
    flags=st.lists(WORDS, max_size=2),
    new_cwes=st.lists(WORDS, max_size=2),
    finished=st.none() | FLOATS,
).flatmap(
    lambda made: st.sampled_from(
        [made, *(replace(made, health="ok", label=label) for label in ("C&S", "CV", "killed"))]
    )
)
FACTS = st.builds(TaskFacts, WORDS, WORDS, WORDS, WORDS, WORDS, st.just(("CWE-1",)), WORDS, WORDS)


@few()
@given(st.lists(ATTEMPTS, max_size=5, unique_by=lambda a: a.key), st.lists(FACTS, max_size=3))
def test_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, attempts: list[Attempt], facts: list[TaskFacts]
) -> None:
    folder = tmp_path_factory.mktemp("nothing-lost")
    one, other = Store(folder / "one"), Store(folder / "other")
    made = [replace(a, run=RUN, id=attempt_id(RUN, a.key)) for a in attempts]
    run = {
        "id": RUN,
        "pack": "p",
        "track": "dual",
        "created": 5.5,
        "settings": {},
        "spent_seconds": 2.5,
    }
    tasks = {one.task: one for one in facts}
    one.put_run(run, tasks.values(), [a.key for a in made], made)
    exported(one, "run", folder / "file")
    import_run(other, folder / "file")
    assert held(other, RUN) == held(one, RUN)
    told = {a.id: json.loads(json.dumps(a.to_json())) for a in made}
    assert {a.id: json.loads(json.dumps(a.to_json())) for a in other.attempts(RUN)} == told
    assert other.tasks(RUN) == tasks


def test_an_empty_text_is_no_artefact(store: Store, other: Store, tmp_path: Path) -> None:
    """Evidence of the track dual has `log = ""` where a program printed nothing."""
    a_run(store)
    row, attempt = store.run(RUN), store.attempts(RUN)[2]
    empty = replace(attempt, run="e", id=attempt_id("e", attempt.key), evidence={"p": {"log": ""}})
    run = {"id": "e", "pack": row.pack, "track": "dual", "created": 5.0, "settings": {}}
    other.put_run({**run, "spent_seconds": 0.0}, [], [empty.key], [empty])
    run_format.write(Source.open(other, "e"), tmp_path / "e.zip", str)
    assert import_run(Store(tmp_path / "third"), tmp_path / "e.zip") == ("e", 1, True)


def test_an_artefact_that_the_store_lost_is_told(
    store: Store, other: Store, tmp_path: Path
) -> None:
    a_run(store)
    lost = store.attempts(RUN)[0].patch or ""
    store.blob_path(lost).unlink()
    said = exported(store, "run", tmp_path / "file")
    assert any("1 artefacts are no longer in the store" in line for line in said)
    assert import_run(other, tmp_path / "file")[2]
    assert not other.has(lost)


def test_all_runs_of_a_store_are_copied_once(
    store: Store, file: Path, tmp_path: Path, arena: Arena
) -> None:
    import_run(store, file, "second")
    target = str(tmp_path / "target")
    done = arena("import", store.folder, "--store", target)
    assert (done.status, sorted(done.out.splitlines())) == (
        0,
        sorted([f"{RUN}: 8 attempts", "second: 8 attempts"]),
    )
    assert held(Store(target), RUN) == held(store, RUN)
    again = arena("import", store.folder, "--store", target, "--json").json["runs"]
    assert [(run["attempts"], run["is_new"]) for run in again] == [(8, False), (8, False)]
    same = arena("import", store.folder, "--store", store.folder)
    assert (same.status, "is the store to copy into" in same.err) == (2, True)


def test_withdrawn_attempts_are_in_a_whole_run_and_in_no_other_export(
    store: Store, tmp_path: Path
) -> None:
    a_run(store)
    gone = store.attempts(RUN)[0].id
    store.set_settings(RUN, {"sweep": {"withdrawn": [gone]}})
    source = Source.open(store, RUN)
    assert gone not in {attempt.id for attempt in source.attempts()}
    said = exported(store, "run", tmp_path / "whole")
    assert said[0].startswith("8 attempts (1 of them withdrawn: in no other export) and ")
    target = Store(tmp_path / "target")
    import_run(target, tmp_path / "whole")
    assert len(target.attempts(RUN, withdrawn=True)) == 8
    assert (len(target.attempts(RUN)), target.counts(RUN).withdrawn) == (7, 1)
