"""Databases that are locked, down or full, and readers while another process writes."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from arena.store import patient
from arena.store.faults import DiskFull
from arena.store.model import AttemptKey, AttemptUpdate, Spent
from arena.store.store import Store, StoreBusy, StoreUnusable
from harness.grade.verdict import Label, Verdict
from tests.postgres import Postgres

GOOD = Verdict(Label.CV, evidence={"build": {"log": "l" * 64}})
READER = """
import sys, time
from arena.store.store import Store
store, last, rows = Store(sys.argv[1]), -1, 0
while last < 5000:
    counts = store.counts("r")
    ended = counts.attempts - counts.open
    assert ended >= last, (ended, last)
    assert counts.attempts == 5000 and sum(counts.labels.values()) == ended
    assert round(counts.spent.usd, 6) == ended * 0.5, "whole batches"
    assert ended % 50 == 0
    if ended != last and ended % 1000 == 0:
        labelled = sum(row.label is not None for row in store.rows(["r"]))
        assert labelled >= ended
        rows += 1
    last = ended
    print(ended, flush=True)
    time.sleep(0.01)
print("rows", rows)
"""


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_a_reader_counts_while_a_writer_writes(where: str) -> None:
    store = Store(where)
    store.open_run("pack", [AttemptKey(f"t{n}", "a") for n in range(5000)], {}, "r")
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, where],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert reader.stdout is not None
    assert reader.stdout.readline() == "0\n"
    after = ""
    while page := store.open_attempts("r", after, 50):
        after = page[-1].order
        assert store.write([AttemptUpdate(one.id, Spent(0.5), None, GOOD) for one in page]) == 50
    output, error = reader.communicate(timeout=180)
    assert (reader.returncode, error) == (0, "")
    assert output.splitlines()[-1].startswith("rows ")


def every_call(store: Store) -> list[Callable[[], object]]:
    """What a driver and a dashboard ask."""
    return [
        lambda: store.write([AttemptUpdate("x", Spent())]),
        lambda: store.counts("r"),
        lambda: store.open_attempts("r"),
        lambda: list(store.rows()),
        lambda: store.put_fact("k", {}),
        lambda: store.fact("k"),
        lambda: store.request("r", "stop"),
        lambda: store.read_wish("r"),
        lambda: store.open_run("pack", [], {}, "r"),
    ]


def test_a_server_that_is_down_is_busy_and_later_all_goes_on(postgres: Postgres) -> None:
    store = Store(postgres.new_database())
    run = store.open_run("pack", [AttemptKey("t", "a")], {}, "r")
    (one,) = store.open_attempts(run)
    postgres.stop()
    try:
        for call in every_call(store):
            with pytest.raises(StoreBusy) as told:
                call()
            assert "\n" not in str(told.value)
        with pytest.raises(StoreBusy, match="not usable as a store"):
            Store(store.url)
    finally:
        postgres.start()
    assert store.write([AttemptUpdate(one.id, Spent(1.0), None, GOOD)]) == 1
    assert store.counts(run).labels == {"CV": 1}


def test_connections_that_were_cut_are_made_again(postgres: Postgres) -> None:
    store = Store(postgres.new_database())
    store.open_run("pack", [], {}, "r")
    postgres.stop()
    postgres.start()
    assert [run.id for run in store.runs()] == ["r"], "without an error in between"


@pytest.mark.slow
def test_a_locked_file_is_busy_for_writers_only(tmp_path: Path) -> None:
    store = Store(tmp_path / "s", patience=0.1)
    run = store.open_run("pack", [AttemptKey("t", "a")], {}, "r")
    (one,) = store.open_attempts(run)
    locker = sqlite3.connect(tmp_path / "s" / "arena.sqlite", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="database is locked"):
        store.write([AttemptUpdate(one.id, Spent(1.0), None, GOOD)])
    with pytest.raises(StoreBusy):
        store.put_fact("k", {})
    assert store.counts(run).attempts == 1
    assert Store(tmp_path / "s", patience=0.1).read_wish("r") == ""
    locker.execute("ROLLBACK")
    assert store.write([AttemptUpdate(one.id, Spent(1.0), None, GOOD)]) == 1
    assert store.attempt(one.id).usd == 1.0


def test_a_lock_of_a_server_is_not_waited_for_for_ever(postgres: Postgres) -> None:
    url = postgres.new_database()
    store = Store(url, patience=0.2)
    store.open_run("pack", [], {}, "r")
    with psycopg.connect(url) as other:
        other.execute("SELECT * FROM runs FOR UPDATE")
        other.execute("SET idle_in_transaction_session_timeout = '30s'")  # ends a test that waits
        for _ in range(3):
            with pytest.raises(StoreBusy, match="lock timeout"):
                store.request("r", "stop")
        assert store.read_wish("r") == ""
        other.rollback()
    store.request("r", "stop")
    assert store.read_wish("r") == "stop"


@pytest.mark.slow
def test_a_new_database_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    """Before it has a write-ahead log, SQLite refuses to give it one without a wait."""
    (tmp_path / "s").mkdir()
    database = tmp_path / "s" / "arena.sqlite"
    other = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.3, other.execute, ["COMMIT"])
    done.start()
    assert Store(tmp_path / "s").runs() == []
    done.join()


def test_a_full_database_is_a_full_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    with store._database.reading() as session:
        session.execute(text("PRAGMA max_page_count = 60"))
    with pytest.raises(OSError, match="full") as told:
        for number in range(50):
            store.put_fact(f"k{number}", {"x": os.urandom(20_000).hex()})
    assert isinstance(told.value, DiskFull) and told.value.errno == errno.ENOSPC
    assert str(told.value).startswith("the disk of the store is full (")
    assert store.fact("k0") is not None


@pytest.mark.slow
def test_a_question_that_is_wrong_is_not_taken_for_trouble(where: str) -> None:
    store = Store(where)
    with pytest.raises(Exception, match="no_such") as told, store._database.reading() as session:
        session.execute(text("SELECT * FROM no_such"))
    assert not isinstance(told.value, StoreBusy | StoreUnusable)


@pytest.mark.slow
def test_a_process_that_was_forked_uses_connections_of_its_own(store: Store) -> None:
    store.open_run("pack", [], {}, "r")
    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for turn in range(20):
                    store.put_fact(f"{number}-{turn}", {"n": turn})
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert store.fact("none") is None
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert all(store.fact(f"{n}-{turn}") == {"n": turn} for n in range(3) for turn in range(20))


@pytest.mark.slow
def test_pages_are_read_in_the_order_of_an_index(store: Store) -> None:
    """A sort of all open attempts for each page would make a run of 100,000 slow at its end."""
    from arena.store.queries import open_query

    with store._database.reading() as session:
        query = str(
            open_query("r", "000", 10).compile(
                session.get_bind(), compile_kwargs={"literal_binds": True}
            )
        )
        if session.get_bind().dialect.name == "sqlite":
            plan = [row[-1] for row in session.execute(text(f"EXPLAIN QUERY PLAN {query}"))]
        else:
            session.execute(text("SET enable_sort = off; SET enable_seqscan = off"))
            plan = [row[0] for row in session.execute(text(f"EXPLAIN {query}"))]
    assert "attempts_in_turn" in plan[0] + plan[-1] + "".join(plan)
    assert not any("sort" in line.lower() or "b-tree" in line.lower() for line in plan), plan


def test_what_waits_for_a_full_disk_gives_up_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patient, "DISK_PATIENCE_S", 0.0)
    calls = []

    def keep() -> None:
        calls.append("keep")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        patient.patiently(keep)
    assert calls == ["keep"]
