"""Whole runs: pages of their attempts, and import of a run as it was in another store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from arena.store.database import insert_into
from arena.store.faults import RunBusy
from arena.store.model import RESULT_FIELDS, Attempt, AttemptKey, TaskFacts
from arena.store.tables import AttemptRow, RunRow
from arena.store.writing import BATCH, add_tasks, expect_text, turns

# Attempts that are in memory at a time: evidence may be large.
PAGE = 200


def page_of(session: Session, run: str, after: str) -> list[Attempt]:
    """The next attempts of a run whose id comes after `after`, in the order of their ids."""
    query = select(AttemptRow).where(AttemptRow.run == run, AttemptRow.id > after)
    rows = session.scalars(query.order_by(AttemptRow.id).limit(PAGE))
    return [_attempt(row) for row in rows]


def put_run(
    session: Session,
    run: Mapping[str, Any],
    tasks: Iterable[tuple[TaskFacts, str]],
    keys: Iterable[AttemptKey],
    attempts: Iterable[Attempt],
) -> None:
    """Add a run that is not here, with the facts of its tasks, its keys, and its attempts as they ended.

    run: the columns of `RunRow`; tasks: each with the digest of its instruction; keys: of all `attempts`.
    Raises RunBusy when a run of that id is here, and ValueError for an id or a key that cannot be stored.
    """
    expect_text("run", run["id"], RunRow.id.type.length)
    row = insert_into(session, RunRow).values(**run).on_conflict_do_nothing()
    if session.scalar(row.returning(RunRow.id)) is None:  # having waited for another that adds it
        raise RunBusy(f"run {run['id']!r} is in the store already")
    add_tasks(session, run["id"], tasks)
    turn = {row["id"]: row["turn"] for row in turns(run["id"], keys)}
    rows = ({**_row(attempt), "turn": turn[attempt.id]} for attempt in attempts)
    while batch := list(islice(rows, BATCH)):
        session.connection().execute(AttemptRow.__table__.insert(), batch)  # type: ignore[attr-defined]


def _row(attempt: Attempt) -> dict[str, Any]:
    results = {name: getattr(attempt, field) for name, field in RESULT_FIELDS.items()}
    lists = {"flags": list(attempt.flags), "found": list(attempt.new_cwes)}
    return {"id": attempt.id, "run": attempt.run, **vars(attempt.key), **results, **lists}


def _attempt(row: AttemptRow) -> Attempt:
    key = AttemptKey(row.task, row.agent, row.model, row.prompt, row.replicate)
    results = {field: getattr(row, field) for field in RESULT_FIELDS.values()}
    return Attempt(row.id, row.run, key, **results)
