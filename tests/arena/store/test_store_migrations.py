"""A store that an older version made is brought up to date with its data; a newer one is refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text

from arena.store import schema
from arena.store.location import location_of
from arena.store.model import AttemptKey
from arena.store.store import Store, StoreUnusable, attempt_id
from arena.store.tables import Base

OLD = (
    "CREATE TABLE runs (id VARCHAR(40) NOT NULL, pack VARCHAR(200) NOT NULL, created FLOAT NOT NULL,"
    " settings JSON NOT NULL, PRIMARY KEY (id))",
    "CREATE TABLE facts (key VARCHAR(100) NOT NULL, value JSON NOT NULL, PRIMARY KEY (key))",
    "CREATE TABLE attempts (id VARCHAR(64) NOT NULL, run VARCHAR(40) NOT NULL, task VARCHAR(200) NOT NULL,"
    " agent VARCHAR(1000) NOT NULL, model VARCHAR(200) NOT NULL, prompt VARCHAR(1000) NOT NULL,"
    " replicate INTEGER NOT NULL, patch VARCHAR(64), trajectory VARCHAR(64), ended VARCHAR(40) NOT NULL,"
    " usage JSON NOT NULL, health VARCHAR(20) NOT NULL, label VARCHAR(4), reason VARCHAR NOT NULL,"
    " evidence JSON NOT NULL, seconds FLOAT NOT NULL, PRIMARY KEY (id),"
    " UNIQUE (run, task, agent, model, prompt, replicate), FOREIGN KEY(run) REFERENCES runs (id))",
    "CREATE INDEX ix_attempts_run ON attempts (run)",
)
KEYS = [AttemptKey(task, "a", "m") for task in ("t1", "t2", "t3")]
USAGE = {"usd": 0.5, "input_tokens": 100, "output_tokens": 20, "calls": 3}
ENDED = ("p" * 64, "finished", json.dumps(USAGE), "ok", "C&S", "fine", json.dumps({"poc": {}}), 2.5)
FAULT = ("p" * 64, "finished", json.dumps({}), "infra", None, "the machine", json.dumps({}), 1.0)
OPEN = (None, "", "{}", "", None, "", "{}", 0.0)


def old_store(where: str) -> str:
    """A store as it was before versions were counted, with a run of three attempts."""
    place = location_of(where)
    place.folder.mkdir(parents=True, exist_ok=True)
    insert = (
        "INSERT INTO attempts (id, run, task, agent, model, prompt, replicate, patch, ended, usage, health,"
        " label, reason, evidence, seconds) VALUES "
        "(:id, 'r', :task, 'a', 'm', 'neutral', 0, :c0, :c1, :c2, :c3, :c4, :c5, :c6, :c7)"
    )
    with engine_of(where).begin() as connection:
        for statement in OLD:
            connection.execute(text(statement))
        connection.execute(
            text("INSERT INTO runs VALUES ('r', 'pack', 1000.5, :s)"), {"s": '{"n": 1}'}
        )
        connection.execute(text("INSERT INTO facts VALUES ('k', :v)"), {"v": '{"x": [1]}'})
        for key, row in zip(KEYS, (ENDED, FAULT, OPEN), strict=True):
            values = {f"c{number}": value for number, value in enumerate(row)}
            connection.execute(
                text(insert), {"id": attempt_id("r", key), "task": key.task, **values}
            )
    return where


def engine_of(where: str) -> Engine:
    return create_engine(location_of(where).database)


@pytest.mark.slow
def test_an_old_store_is_brought_up_to_date_with_its_data(where: str) -> None:
    store = Store(old_store(where))
    run = store.run("latest")
    assert (run.id, run.pack, run.created, run.settings) == ("r", "pack", 1000.5, {"n": 1})
    assert (run.track, run.wish, run.spent_seconds) == ("repo", "", 0.0)
    done, fault, not_made = store.attempts("r")
    assert [one.key for one in (done, fault, not_made)] == KEYS
    assert (done.label, done.health, done.reason, done.seconds) == ("C&S", "ok", "fine", 2.5)
    assert (done.usage, done.evidence, done.patch) == (USAGE, {"poc": {}}, "p" * 64)
    assert (done.usd, done.tokens, done.tries) == (0.5, 120, 1)
    assert (fault.usd, fault.tries, not_made.tries) == (0.0, 1, 0)
    assert (done.flags, done.new_cwes, done.score, done.finished) == ([], [], None, None)
    assert store.fact("k") == {"x": [1]}
    pages = [store.open_attempts("r", limit=1)]
    pages.append(store.open_attempts("r", pages[0][-1].order))
    assert {one.id for page in pages for one in page} == {fault.id, not_made.id}
    assert [one.solution is None for page in pages for one in page].count(True) == 1
    store.open_run("pack", KEYS, {}, "r")
    assert len(store.attempts("r")) == 3, "ids are as they were"
    assert Store(where).counts("r").attempts == 3


@pytest.mark.slow
def test_new_and_migrated_stores_are_alike(where: str) -> None:
    Store(old_store(where))
    with engine_of(where).connect() as connection:
        own = {
            "compare_type": True,
            "include_name": lambda name, *_: (
                not str(name).startswith(("texts_found", "texts_words"))
            ),
        }
        context = MigrationContext.configure(connection, opts=own)
        assert compare_metadata(context, Base.metadata) == []
        there = inspect(connection)
        for name, table in Base.metadata.tables.items():
            migrated = [column["name"] for column in there.get_columns(name)]
            assert migrated == table.columns.keys(), "small columns first"
            assert (
                there.get_pk_constraint(name)["constrained_columns"]
                == table.primary_key.columns.keys()
            )


def test_the_versions_known_are_those_of_the_scripts() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    assert scripts.get_heads() == [schema.HEAD]
    assert tuple(s.revision for s in scripts.walk_revisions())[::-1] == schema.REVISIONS


@pytest.mark.slow
def test_a_store_of_a_newer_version_is_one_line_and_untouched(where: str) -> None:
    Store(where)
    with engine_of(where).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0999'"))
    with pytest.raises(
        StoreUnusable, match=r"made by a newer version of arena \(tables '0999'"
    ) as told:
        Store(where)
    assert "\n" not in str(told.value)
    with engine_of(where).connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0999"


@pytest.mark.slow
def test_a_step_that_fails_leaves_the_store_as_it_was(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_store(where)
    with engine_of(where).begin() as connection:  # what the last part of the step cannot read
        connection.execute(
            text("UPDATE attempts SET usage = '{\"usd\": \"much\"}' WHERE health = 'ok'")
        )
    with pytest.raises(ValueError, match="much"):
        Store(where)
    with engine_of(where).begin() as connection:
        assert set(inspect(connection).get_table_names()) == {"runs", "attempts", "facts"}
        assert connection.scalar(text("SELECT count(*) FROM attempts")) == 3
        connection.execute(text("UPDATE attempts SET usage = '{}'"))
    assert len(Store(where).attempts("r")) == 3


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
@pytest.mark.slow
def test_processes_that_find_an_old_store_at_once(where: str) -> None:
    old_store(where)
    code = (
        "import sys; from arena.store.store import Store; import alembic.command; print('ready', flush=True);"
        "sys.stdin.readline(); print(len(Store(sys.argv[1]).attempts('r')))"
    )
    command = [sys.executable, "-c", code, where]
    racers = [
        subprocess.Popen(
            command,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    assert [racer.communicate(timeout=120) for racer in racers] == [("3\n", "")] * 3


@pytest.mark.slow
def test_a_store_that_is_up_to_date_is_opened_without_alembic(tmp_path: Path) -> None:
    Store(tmp_path / "store")
    code = (
        "import sys; from arena.store.store import Store; Store(sys.argv[1]);"
        "print([name for name in ('alembic', 'psycopg', 'fsspec', 'pyarrow') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "store")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_scripts_are_found_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`%` has a meaning in Alembic's settings."""
    place = tmp_path / "100% of it"
    shutil.copytree(Path(schema.__file__).parent / "migrations", place / "migrations")
    monkeypatch.setattr(schema, "__file__", str(place / "schema.py"))
    assert len(Store(old_store(str(tmp_path / "store"))).attempts("r")) == 3


def test_tables_that_something_else_changed_are_told_in_one_line(tmp_path: Path) -> None:
    Store(tmp_path)
    with sqlite3.connect(tmp_path / "arena.sqlite") as database:
        database.execute("DROP TABLE notes")
    with pytest.raises(StoreUnusable, match=r"another version \(no column notes\.name\)"):
        Store(tmp_path)


def test_tables_from_before_the_first_version_are_told_in_one_line(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "arena.sqlite") as database:
        database.execute("CREATE TABLE runs (id TEXT PRIMARY KEY, pack TEXT)")
        database.execute("CREATE TABLE attempts (id TEXT PRIMARY KEY, run TEXT)")
        database.execute("CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT)")
    with pytest.raises(StoreUnusable, match="made by another version") as caught:
        Store(tmp_path)
    assert "\n" not in str(caught.value) and "move it away" in str(caught.value)
