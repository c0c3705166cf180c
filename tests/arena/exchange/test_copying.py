"""A store that is copied into PostgreSQL and back has all that it had, table by table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from arena.exchange.copying import copy_runs
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.store.tables import Base
from tests.arena.exchange.making import RUN, a_run
from tests.postgres import Postgres

# Tables of one store alone: where its artefacts are.
OF_A_PLACE = {"notes"}
# Tables that the search makes anew from trajectories.
OF_AN_INDEX = {"texts", "indexed"}
# Of an attempt: where it stands among those that are made; the target puts its open ones in an order by
# their ids.
ORDER = "turn"


def contents(store: Store) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table that a copy must have, in the order of their keys."""
    tables = {}
    with store._database.engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            if table.name in OF_A_PLACE | OF_AN_INDEX:
                continue
            rows = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings()
            tables[table.name] = [{**row, ORDER: ""} if ORDER in row else dict(row) for row in rows]
    return tables


@pytest.mark.slow
def test_a_store_that_went_through_postgresql_has_all_that_it_had(
    store: Store, tmp_path: Path, postgres: Postgres
) -> None:
    a_run(store)
    first = store.attempts(RUN)[0]
    store.set_settings(RUN, {"sweep": {"withdrawn": [first.id]}})
    reply = store.keep(b"a reply that only a fact names")
    store.put_fact("grade-1", {"label": "CV", "reply": reply})
    before = contents(store)
    assert {name for name, rows in before.items() if rows} == {"runs", "tasks", "attempts", "facts"}

    server = Store(postgres.new_database())
    back = Store(tmp_path / "back")
    assert [copied.is_new for copied in copy_runs(store, server)] == [True]
    assert contents(server) == before
    assert [copied.is_new for copied in copy_runs(server, back)] == [True]
    assert contents(back) == before
    assert back.blob(reply) == store.blob(reply)
    for attempt in store.attempts(RUN, withdrawn=True):
        for digest in attempt.artefacts().values():
            assert back.blob(digest) == store.blob(digest)


def test_a_store_in_use_takes_no_facts_of_another(store: Store, tmp_path: Path) -> None:
    a_run(store)
    store.put_fact("grade-1", {"label": "CV"})
    used = Store(tmp_path / "used")
    used.open_run("starter", [AttemptKey("t", "noop")], {}, "mine", "repo")
    list(copy_runs(store, used))
    assert (used.fact("grade-1"), len(used.attempts(RUN))) == (None, 8)


def test_more_facts_than_are_read_at_once(store: Store, tmp_path: Path) -> None:
    a_run(store)
    store.put_facts({f"key-{number}": {"n": number} for number in range(1203)})
    target = Store(tmp_path / "target")
    list(copy_runs(store, target))
    assert contents(target)["facts"] == contents(store)["facts"]
