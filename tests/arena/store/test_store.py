"""The store keeps whole things or nothing, from several threads and processes, and through kills."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.store.store import Attempt, AttemptKey, Store, StoreUnusable, UnknownRun, attempt_id
from harness.grade.verdict import Health, Label, Verdict
from tests.arena.conftest import KEYS, finish

WRITER = """
import os, sys
from arena.store.store import AttemptKey, Store
from harness.protocols import Solution
from harness.grade.verdict import Label, Verdict
store = Store(sys.argv[1])
name, count = sys.argv[2], int(sys.argv[3])
run = store.open_run("pack", [AttemptKey(f"t{n}", name) for n in range(count)], {}, "shared")
for attempt in store.attempts(run, only_open=True):
    if attempt.key.agent == name:
        log = store.keep(os.urandom(200_000))
        store.put_fact("fact:" + attempt.key.task, {"by": name})
        verdict = Verdict(Label.CV, reason="r", evidence={"poc": {"log": log}})
        store.finish(attempt.id, verdict, Solution(name.encode() * 30_000), 1.0)
        print(attempt.id, flush=True)
"""


def writer(where: Path | str, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(where), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_open_run_twice_adds_only_what_is_missing(store: Store) -> None:
    run = store.open_run("pack", KEYS[:3], {"a": 1})
    done = store.attempts(run)[0].id
    finish(store, done)
    assert store.open_run("pack", KEYS, {"a": 2}, run) == run
    found = store.attempts(run)
    assert [attempt.key for attempt in found] == KEYS
    assert [attempt.label for attempt in found if attempt.id == done] == [Label.CV]
    assert store.run(run).settings == {"a": 1}


@pytest.mark.slow
def test_a_run_is_of_one_pack(store: Store) -> None:
    run = store.open_run("pack", KEYS[:1], {})
    with pytest.raises(UnknownRun, match="is of the pack 'pack', not of 'other'"):
        store.open_run("other", KEYS, {}, run)
    assert len(store.attempts(run)) == 1


@pytest.mark.slow
def test_resume_is_a_query_for_what_has_no_result(store: Store) -> None:
    run = store.open_run("pack", KEYS, {})
    ids = [attempt.id for attempt in store.attempts(run)]
    healths = (Health.OK, Health.INFRA, Health.TIMEOUT, Health.CANCELLED)
    for number, health in zip(ids, healths, strict=True):
        label = Label.NO if health is Health.OK else None
        verdict = Verdict(label, health)
        store.finish(number, verdict, None, 0.0)
    assert [a.id for a in store.attempts(run, only_open=True)] == [ids[1], ids[3]]


@pytest.mark.slow
def test_attempts_come_back_as_they_went_in(store: Store) -> None:
    key = AttemptKey("t", "command:true", "model", "reminder", 3)
    run = store.open_run("pack", [key], {})
    evidence = {"poc": {"crash": None, "seconds": 0.25}, "apply": {"files": ["a\udcff.c", "é"]}}
    finish(
        store, attempt_id(run, key), Label.SECURE, patch=b"\0patch", usage={"calls": 2}, seconds=2.5,
        reason="fine", evidence=evidence, ended="done",
    )  # fmt: skip
    (found,) = Store(store.url).attempts(run)
    assert (found.key, found.label, found.health, found.reason) == (key, "C&S", "ok", "fine")
    assert (found.evidence, found.usage, found.seconds) == (evidence, {"calls": 2}, 2.5)
    assert found.patch is not None
    assert store.blob(found.patch) == b"\0patch"
    assert store.attempt(found.id[:8]) == found


def test_a_reason_with_bytes_that_are_no_utf8_is_stored(store: Store) -> None:
    """A path in a patch may hold any byte; losing the attempt for it would lose the run."""
    run = store.open_run("pack", KEYS[:1], {})
    finish(store, store.attempts(run)[0].id, reason="a\udcff.c could not be scanned")
    assert store.attempts(run)[0].reason == "a\\udcff.c could not be scanned"


@pytest.mark.slow
def test_unknown_names_list_the_latest(store: Store) -> None:
    with pytest.raises(UnknownRun, match=r"no run 'latest' in .*: there is none yet"):
        store.run("latest")
    first = store.open_run("pack", KEYS, {})
    with pytest.raises(UnknownRun, match=rf"no run 'x' in .*; latest: {first}"):
        store.attempts("x")
    time.sleep(0.01)
    second = store.open_run("pack", [], {})
    assert store.run("latest").id == second
    with pytest.raises(UnknownRun, match="several attempts start with ''"):
        store.attempt("")
    with pytest.raises(UnknownRun, match="no attempt starts with '%'"):
        store.attempt("%")


def test_attempt_ids_differ_by_every_part_of_the_key() -> None:
    keys = [
        AttemptKey("ab", "c"), AttemptKey("a", "bc"), AttemptKey("a", "b", "c"),
        AttemptKey("a", "b", "", "c"), AttemptKey("a", "b"), AttemptKey("a", "b", replicate=1),
    ]  # fmt: skip
    assert len({attempt_id(run, key) for key in keys for run in ("r", "s")}) == 2 * len(keys)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.binary(max_size=5000))
def test_blobs_come_back_whole_and_once(data: bytes, store: Store) -> None:
    digest = store.keep(data)
    assert store.keep(data) == digest
    assert store.blob(digest) == data
    assert list((store.folder / "artefacts").rglob("half-*")) == []


def test_a_blob_is_there_whole_or_not_at_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as spoilt:
        spoilt.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            store.keep(b"x" * 5000)
    assert [p for p in (store.folder / "artefacts").rglob("*") if p.is_file()] == []
    assert store.blob(store.keep(b"x" * 5000)) == b"x" * 5000


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, 9, -1])
def test_a_blob_that_was_cut_is_not_taken_for_another(part: int, store: Store) -> None:
    """As by a machine that lost its power: empty, it would be graded as an empty patch."""
    digest = store.keep(b"diff --git a/x b/x")
    packed = store.blob_path(digest).read_bytes()
    store.blob_path(digest).write_bytes(packed[:part])
    with pytest.raises(OSError, match=digest):
        store.blob(digest)


def test_no_such_blob(store: Store) -> None:
    with pytest.raises(KeyError):
        store.blob("0" * 64)


@pytest.mark.slow
def test_facts_are_replaced_and_survive(store: Store) -> None:
    assert store.fact("k") is None
    store.put_fact("k", {"n": 1})
    store.put_fact("k", {"n": 2, "deep": [None, {"x": "é\udcff"}]})
    assert Store(store.url).fact("k") == {"n": 2, "deep": [None, {"x": "é\udcff"}]}


@pytest.mark.slow
def test_threads_that_learn_and_finish_the_same_at_once(store: Store) -> None:
    """Two replicates of an agent that does nothing end at once with one and the same verdict."""
    run = store.open_run("pack", KEYS, {})
    ids = [attempt.id for attempt in store.attempts(run)]
    faults: list[Exception] = []
    together = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            for turn in range(25):
                together.wait(120)
                store.put_fact(f"k{turn}", {"n": turn})
                store.open_run("pack", KEYS, {}, run)
                store.keep(bytes([turn]) * 1000)
                finish(store, ids[number])
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            faults.append(error)
            together.abort()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [store.fact(f"k{turn}") for turn in range(25)] == [{"n": turn} for turn in range(25)]
    assert store.attempts(run, only_open=True) == []


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_two_processes_write_into_one_new_store_at_once(where: str) -> None:
    both = [writer(where, name, 15) for name in ("one", "two")]
    printed = [process.communicate(timeout=120) for process in both]
    assert [error for _, error in printed] == ["", ""]
    found = Store(where).attempts("shared")
    assert {a.id for a in found} == {i for output, _ in printed for i in output.split()}
    assert [(a.health, a.label) for a in found] == [("ok", "CV")] * 30


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_processes_that_open_a_new_store_at_once(where: str) -> None:
    """They once raced for making the tables: `table runs already exists`."""
    code = (
        "import sys; from arena.store.store import Store; "
        "print('ready', flush=True); sys.stdin.readline(); Store(sys.argv[1])"
    )
    command = [sys.executable, "-c", code, where]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    racers = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]  # type: ignore[call-overload]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("\n")
        racer.stdin.flush()
    assert [racer.communicate(timeout=180)[1] for racer in racers] == [""] * 3


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_killed_again_and_again_it_loses_nothing_that_was_finished(where: str) -> None:
    total = 24
    reported: set[str] = set()
    for kill in range(3):
        process = writer(where, "victim", total)
        assert process.stdout is not None
        for _ in range(3 + kill):
            reported.add(process.stdout.readline().strip())
        process.send_signal(signal.SIGKILL)
        reported |= set(process.communicate()[0].split())
        check_whole(where, reported)
    survivor = writer(where, "victim", total)
    output, error = survivor.communicate(timeout=120)
    assert error == ""
    assert not reported & set(output.split()), "finished attempts are not done again"
    check_whole(where, reported | set(output.split()))
    assert len(Store(where).attempts("shared")) == total


def check_whole(where: str, finished: set[str]) -> None:
    """Every attempt that was reported is stored with all its blobs; the others are untouched."""
    store = Store(where)
    for attempt in store.attempts("shared"):
        if attempt.health:
            assert attempt.patch is not None
            assert store.blob(attempt.patch) == b"victim" * 30_000
            assert len(store.blob(attempt.evidence["poc"]["log"])) == 200_000
        else:
            assert (attempt.label, attempt.patch, attempt.evidence) == (None, None, {})
            assert attempt.id not in finished


@pytest.mark.parametrize("kind", ["file", "no database", "below a file"])
def test_a_folder_that_is_no_store_is_one_line(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    if kind == "no database":
        folder.mkdir()
        (folder / "arena.sqlite").write_text(
            "this is not a database, and long enough to be seen as none"
        )
    else:
        folder.write_text("")
    target = folder / "deeper" if kind == "below a file" else folder
    with pytest.raises(StoreUnusable) as caught:
        Store(target)
    assert str(target) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_store_of_another_version_is_told_in_one_line(tmp_path: Path) -> None:
    import sqlite3

    Store(tmp_path)
    with sqlite3.connect(tmp_path / "arena.sqlite") as database:
        database.execute("ALTER TABLE attempts DROP COLUMN trajectory")
    with pytest.raises(StoreUnusable, match=r"another version \(no column attempts\.trajectory\)"):
        Store(tmp_path)


@pytest.mark.parametrize("odd", [[1, 2, 3], "text", 7, None])
def test_evidence_that_is_odd_names_no_artefact(odd: object) -> None:
    attempt = Attempt("a", "r", AttemptKey("t", "g"), patch="p", evidence={"artefacts": odd})
    assert attempt.artefacts() == {"patch": "p"}
