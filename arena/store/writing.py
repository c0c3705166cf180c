"""Writes of the store: runs with their attempts, and results of attempts, many at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from arena.store.database import insert_into
from arena.store.faults import UnknownRun
from arena.store.model import (
    OPEN,
    AttemptKey,
    AttemptUpdate,
    Spent,
    StoredSolution,
    TaskFacts,
    attempt_id,
    expect_run_id,
)
from arena.store.provenance import NOTHING_RECORDED, Provenance
from arena.store.tables import AttemptRow, NoteRow, RunRow, TaskRow, clean

# Rows in the hands at a time.
BATCH = 5000

# Parts of the evidence that come from what the agent left, and stay when that is graded.
_OF_AGENT = ("agent", "artefacts")

_ADDED = {
    name: "int" if name == "replicate" else "text"
    for name in ("id", "run", "task", "agent", "model", "prompt", "replicate", "turn")
}
_INTO = f"INSERT INTO attempts ({', '.join(_ADDED)})"
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind in _ADDED.values())
_ADD_ARRAYS = f"{_INTO} SELECT * FROM unnest({_ARRAYS}) ON CONFLICT DO NOTHING"  # noqa: S608
# Said in the words of each database, which is several times as quick as through SQLAlchemy.
_ADD_ROW = f"{_INTO} VALUES ({', '.join('?' * len(_ADDED))}) ON CONFLICT DO NOTHING"

# Tasks of a block: fewer than the jobs that placement looks at, more than a node has sandboxes.
BLOCK = 48

_SUMS = ("usd", "tokens", "seconds", "tries")
_LONGEST = {
    name: getattr(AttemptRow, name).type.length for name in ("task", "agent", "model", "prompt")
}


def add_run(session: Session, run_facts: Mapping[str, Any]) -> None:
    """Make a run unless it is there. Raises UnknownRun when it is there with another pack or track.

    Raises ValueError for an id that is no plain name: reports and locks are files of that name.
    """
    expect_run_id(run_facts["id"])
    row = {"created": time.time(), **run_facts}
    session.execute(insert_into(session, RunRow).values(**row).on_conflict_do_nothing())
    stored_run = session.get_one(RunRow, run_facts["id"])
    for name in ("pack", "track"):
        if clean(stored_value := getattr(stored_run, name)) != clean(run_facts[name]):
            raise UnknownRun(
                f"run {stored_run.id!r} is of the {name} {stored_value!r}, not of {run_facts[name]!r}"
            )


def add_attempts(session: Session, run: str, keys: Iterable[AttemptKey]) -> None:
    """Add the attempts that the run has not yet. Raises ValueError for a key that cannot be stored."""
    connection = session.connection()
    server = connection.dialect.name == "postgresql"
    for batch in _batches(turns(run, keys), BATCH):
        rows = [tuple(row.values()) for row in batch]
        if server:
            _expect_no_nul(batch)
            columns = tuple(map(list, zip(*rows, strict=True)))
            # One statement with an array for each column: the server is asked once for a whole batch.
            connection.exec_driver_sql(_ADD_ARRAYS, columns)
        else:
            connection.exec_driver_sql(_ADD_ROW, rows)
    if server:
        connection.exec_driver_sql("ANALYZE attempts")  # or it plans as for an empty table


def plan_effort(session: Session, run: str, effort: str) -> None:
    """Note the effort of attempts that have not begun: they belong to the column of those that have."""
    table = AttemptRow.__table__
    begun = (table.c.health != "") | table.c.patch.is_not(None)
    change = update(table).where(table.c.run == run, table.c.model != "", ~begun)  # type: ignore[arg-type]
    session.execute(change.values(provenance=Provenance(effort=effort)))


def turns(run: str, keys: Iterable[AttemptKey]) -> Iterator[dict[str, Any]]:
    """Rows of attempts with the turn of each; columns are those of `_ADDED`, in their order.

    All first replicates come before the second. Tasks come in blocks: all attempts at tasks of a block are
    close together, so that the next attempt of a task runs where its image is. Neighbours are of
    different tasks, since two of the same task would wait for the same environment, and of distinct agents or
    models, so that none waits for the limit of a single model: in round r, task i is for column i + r.
    """
    tasks: dict[str, int] = {}
    columns: dict[tuple[str, str, str], int] = {}
    placed = [(key, *_places(key, tasks, columns)) for key in keys]
    for key, task, column in placed:
        id_ = attempt_id(run, key)
        round_ = (column - task) % len(columns)
        turn = f"{key.replicate:06d}-{task // BLOCK:06d}-{round_:06d}-{task % BLOCK:02d}-{id_}"
        yield {"id": id_, "run": run, **vars(key), "turn": turn}


def _places(
    key: AttemptKey, tasks: dict[str, int], columns: dict[tuple[str, str, str], int]
) -> tuple[int, int]:
    _expect_storable(key)
    column = (key.agent, key.model, key.prompt)
    return tasks.setdefault(key.task, len(tasks)), columns.setdefault(column, len(columns))


def _expect_storable(key: AttemptKey) -> None:
    """A key that came back changed would be another attempt."""
    for name, longest in _LONGEST.items():
        expect_text(name, getattr(key, name), longest)


def _expect_no_nul(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if "\0" in "".join(row[name] for name in _LONGEST):
            raise ValueError(f"attempt of task {row['task']!r}: PostgreSQL takes no NUL in a name")


def expect_text(name: str, value: str, longest: int) -> None:
    """Raise ValueError for a name that the database would store differently."""
    if len(value) > longest:
        raise ValueError(f"{name} {value[:40]!r}...: longer than {longest} characters")
    if clean(value, nul=True) != value:
        raise ValueError(f"{name} {value!r}: holds what is no text")


def add_tasks(session: Session, run: str, tasks: Iterable[tuple[TaskFacts, str]]) -> None:
    """Add the facts of tasks that the run has not yet, each with the digest of its instruction."""
    statement = insert_into(session, TaskRow).on_conflict_do_nothing()
    rows = (
        {**vars(facts), "cwes": list(facts.cwes), "instruction": digest, "run": run}
        for facts, digest in tasks
    )
    for batch in _batches(rows, BATCH):
        session.connection().execute(statement, batch)


def is_new(session: Session, run: str, batch: str) -> bool:
    """Record the last batch that a driver of the run writes; False if that batch is already the last."""
    name = f"last batch {run}"
    note_row = session.get(NoteRow, name)
    if note_row is not None and note_row.value == batch:
        return False
    row = insert_into(session, NoteRow).values(name=name, value=batch)
    change = {"value": row.excluded.value}
    session.execute(row.on_conflict_do_update(index_elements=["name"], set_=change))
    return True


def apply(session: Session, written: Sequence[AttemptUpdate]) -> int:
    """Write what became of attempts; returns how many of `written` took effect.

    What is written of an attempt that has come to its end is left out: the first verdict stays. Raises
    UnknownRun for an attempt that is not here, and ValueError for a number that is none.
    """
    states = _states(session, {each.attempt for each in written})
    effective = sum(states[each.attempt].take(each) for each in written)
    shapes: dict[frozenset[str], list[dict[str, Any]]] = {}
    for state in states.values():
        if state.touched:
            row = {f"new_{name}": value for name, value in state.changes.items()}
            row |= {f"more_{name}": getattr(state.spent, name) for name in _SUMS}
            shapes.setdefault(frozenset(state.changes), []).append({"of": state.id, **row})
    # Rows that change the same columns go in one statement: the driver stores hundreds of attempts a second.
    for names, rows in shapes.items():
        sums = {name: getattr(AttemptRow, name) + bindparam(f"more_{name}") for name in _SUMS}
        values = sums | {name: bindparam(f"new_{name}") for name in names}
        change = update(AttemptRow.__table__).where(AttemptRow.id == bindparam("of"))  # type: ignore[arg-type]
        session.connection().execute(change.values(values), rows)
    return effective


def set_flags(
    session: Session, attempt: str, flags: Sequence[str], evidence: Mapping[str, Any]
) -> None:
    """Set the flags of an attempt, ended or not, and put parts into its evidence. Raises UnknownRun."""
    row = session.get(AttemptRow, attempt, with_for_update=True)
    if row is None:
        raise UnknownRun(f"no attempt {attempt!r}")
    row.flags, row.evidence = list(flags), {**row.evidence, **evidence}


@dataclass
class _AttemptState:
    """An attempt while a batch is put together: what it is, and what changes."""

    id: str
    health: str
    evidence: dict[str, Any]
    flags: list[str]
    provenance: Provenance
    changes: dict[str, Any] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    touched: bool = False

    def take(self, written: AttemptUpdate) -> bool:
        """Add what is written; False when the attempt had ended before."""
        # A node that was given up for lost may still deliver: what has ended is not judged twice.
        if self.health not in OPEN:
            return False
        self.touched = True
        self.spent = self.spent + _finite(written)
        if written.node:
            self.changes["node"] = written.node
        if written.solution is not None:
            self._leave(written.solution)
            # What the former solution rested on says nothing of the new one.
            self.provenance = NOTHING_RECORDED
        if written.solution is not None or written.verdict is not None:
            self.provenance = self.provenance.with_facts(written.provenance)
            self.changes["provenance"] = self.provenance
        if written.flags:
            self.flags = list(dict.fromkeys((*self.flags, *written.flags)))
            self.changes["flags"] = self.flags
        if written.verdict is not None:
            self._end(written)
        return True

    def _leave(self, solution: StoredSolution) -> None:
        # Signs of cheating were the former solution's.
        self.health, self.flags = "", []
        self.evidence = {}
        if solution.note:
            self.evidence["agent"] = dict(solution.note)
        if solution.artefacts:
            self.evidence["artefacts"] = dict(solution.artefacts)
        self.changes |= {"health": "", "label": None, "reason": "", "flags": self.flags}
        self.changes |= {
            "patch": solution.patch,
            "trajectory": solution.trajectory,
            "ended": solution.ended,
        }
        self.changes |= {"usage": dict(solution.usage), "evidence": self.evidence}

    def _end(self, written: AttemptUpdate) -> None:
        verdict = written.verdict
        assert verdict is not None  # noqa: S101 - checked by the only caller
        of_agent = {name: self.evidence[name] for name in _OF_AGENT if name in self.evidence}
        self.health, self.evidence = str(verdict.health), {**verdict.evidence, **of_agent}
        self.changes |= {"health": self.health, "label": verdict.label, "reason": verdict.reason}
        self.changes |= {"score": verdict.score, "found": list(written.new_cwes)}
        self.changes |= {"evidence": self.evidence, "finished": time.time()}


def _states(session: Session, ids: set[str]) -> dict[str, _AttemptState]:
    """The attempts with these ids; PostgreSQL keeps their rows for this transaction."""
    columns = (
        *(AttemptRow.id, AttemptRow.health, AttemptRow.evidence, AttemptRow.flags),
        AttemptRow.provenance,
    )
    sorted_ids, state_by_id = sorted(ids), {}
    for start in range(0, len(sorted_ids), BATCH):
        query = select(*columns).where(AttemptRow.id.in_(sorted_ids[start : start + BATCH]))
        # In the order of ids, so that two writers of the same rows cannot wait for each other.
        for row in session.execute(query.order_by(AttemptRow.id).with_for_update()):
            state_by_id[row.id] = _AttemptState(*row)
    if unknown := ids - state_by_id.keys():
        raise UnknownRun(f"no attempt {min(unknown)!r}")
    return state_by_id


def _finite(written: AttemptUpdate) -> Spent:
    score = written.verdict.score if written.verdict else None
    numbers = (written.spent.usd, written.spent.seconds, score or 0.0)
    if not all(map(math.isfinite, numbers)):
        raise ValueError(
            f"attempt {written.attempt}: cost, seconds or score is not a finite number"
        )
    return written.spent


def _batches(rows: Iterable[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
