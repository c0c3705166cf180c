"""The store: a database and artefacts, in a folder (`.arena`, or `$ARENA_HOME`) or by URL (`$ARENA_STORE`).

Resume is a query: the attempts of a run that are still open. Every write is a single transaction, so a
killed process loses only the attempts that it was working on.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.exc import DBAPIError

from arena.store import queries, search, whole, writing
from arena.store.artefacts import artefacts_at
from arena.store.database import Database, insert_into
from arena.store.faults import (
    RunBusy,
    StoreBusy,
    StoreUnusable,
    UnknownRun,
    cause_of,
    damaged_store,
    is_damaged,
    is_refused,
    passing,
)
from arena.store.lease import FileLeases, Lease, ServerLeases
from arena.store.location import home, location_of
from arena.store.model import (
    Attempt,
    AttemptKey,
    AttemptUpdate,
    Counts,
    OpenAttempt,
    Row,
    Spent,
    TaskFacts,
    attempt_id,
    expect_run_id,
)
from arena.store.notes import artefacts_url
from arena.store.provenance import planned_effort
from arena.store.schema import prepare
from arena.store.solutions import keep
from arena.store.tables import FactRow, NoteRow, RunRow
from harness.grade.verdict import Verdict
from harness.protocols import Solution
from tasks.writing import write_whole

BUSY_SECONDS = 60.0
# Begins the name of the note of a run that was imported.
FOREIGN = "foreign run "

__all__ = [
    "Attempt",
    "AttemptKey",
    "RunBusy",
    "Store",
    "StoreBusy",
    "StoreUnusable",
    "UnknownRun",
    "attempt_id",
    "home",
]


class Store:
    """Runs, attempts, facts and artefacts.

    Safe to use from several threads and processes. where: a folder, or a URL (`sqlite:///FILE`,
    `postgresql://USER@HOST/DATABASE`); None: `$ARENA_STORE`, else `home()`. patience: seconds to wait for
    another writer before StoreBusy.

    `url` opens the same store again in another process (it holds the password); `shown` is for people;
    `folder` is for files, reports and locks on this machine.

    Raises StoreUnusable for a location that cannot be a store, and StoreBusy if a database does not answer.
    All methods raise StoreBusy while it is locked or down, and OSError (ENOSPC) on a full disk.
    """

    def __init__(self, where: Path | str | None = None, patience: float = BUSY_SECONDS) -> None:
        location = location_of(where)
        self.folder, self.url, self.display = location.folder, location.url, location.display
        self._database = Database(location, patience)
        engine = self._database.engine
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            prepare(engine, location)
        except OSError as error:
            raise StoreUnusable(
                f"{self.display}: not usable as a store: {error.strerror}"
            ) from error
        except DBAPIError as error:
            if is_damaged(error):
                raise damaged_store(self.display, error) from error
            message = f"{self.display}: not usable as a store: {cause_of(error)}"
            # A server that is away is worth waiting for; a wrong password stays wrong.
            lasting = is_refused(error) or not passing(error)
            raise (StoreUnusable if lasting else StoreBusy)(message) from error
        self.artefacts_url = artefacts_url(self._database, location)
        self._artefacts = artefacts_at(self.artefacts_url, self.folder / "copies")
        self._leases = (
            FileLeases(self.folder) if location.is_file else ServerLeases(engine, self.display)
        )

    # artefacts and facts: a ResultCache

    def keep(self, data: bytes) -> str:
        return self._artefacts.keep(data)

    def blob(self, digest: str) -> bytes:
        return self._artefacts.blob(digest)

    def has(self, digest: str) -> bool:
        return self._artefacts.has(digest)

    def size(self, digest: str) -> int:
        """Bytes of an artefact. Raises KeyError when it is not here."""
        return self._artefacts.size(digest)

    def blob_path(self, digest: str) -> Path:
        """The file (gzip) with an artefact; a copy where artefacts are elsewhere."""
        return self._artefacts.path(digest)

    def file(self, attempt: Attempt, name: str) -> Path | None:
        """A plain file with an artefact of the attempt, written at the first call; None without artefact."""
        digest = attempt.artefacts().get(name)
        if digest is None:
            return None
        path = self.folder / "files" / f"{attempt.id}-{digest[:12]}.{name}"
        if not path.is_file():
            path.parent.mkdir(exist_ok=True)
            write_whole(path, self.blob(digest))
        return path

    def fact(self, key: str) -> dict[str, Any] | None:
        with self._database.reading() as session:
            row = session.get(FactRow, key)
            return row.value if row else None

    def put_fact(self, key: str, fact: dict[str, Any]) -> None:
        self.put_facts({key: fact})

    def put_facts(self, facts: Mapping[str, dict[str, Any]]) -> None:
        """Store facts by key, all or none; an existing fact is replaced."""
        if not facts:
            return
        rows = [{"key": key, "value": facts[key]} for key in sorted(facts)]
        with self._database.writing() as session:
            row = insert_into(session, FactRow)
            change = {"value": row.excluded.value}
            session.connection().execute(
                row.on_conflict_do_update(index_elements=["key"], set_=change), rows
            )

    def facts_after(self, key: str, count: int) -> dict[str, dict[str, Any]]:
        """The next facts behind that key, in the order of their keys; none at the end."""
        with self._database.reading() as session:
            rows = select(FactRow).where(FactRow.key > key).order_by(FactRow.key).limit(count)
            return {row.key: row.value for row in session.scalars(rows)}

    # runs

    def open_run(
        self,
        pack: str,
        keys: Iterable[AttemptKey],
        settings: Mapping[str, Any],
        run: str = "",
        track: str = "repo",
        tasks: Iterable[TaskFacts] = (),
    ) -> str:
        """Create a run with its attempts, or add what is missing to an existing run, all or nothing.

        Returns its id. Raises UnknownRun when the run that exists is of another pack or track, and
        ValueError for a key that cannot be stored.
        """
        run = run or time.strftime("%Y%m%d-%H%M%S-") + uuid.uuid4().hex[:6]
        # Artefacts first: no row may name a blob that is not there yet.
        digested = self._digest_instructions(tasks)
        record = {"id": run, "pack": pack, "track": track, "settings": dict(settings)}
        with self._database.writing() as session:
            writing.add_run(session, record)
            writing.add_attempts(session, run, keys)
            if effort := planned_effort(settings):
                writing.plan_effort(session, run, effort)
            writing.add_tasks(session, run, digested)
        return run

    def put_run(
        self,
        run: Mapping[str, Any],
        tasks: Iterable[TaskFacts],
        keys: Iterable[AttemptKey],
        attempts: Iterable[Attempt],
    ) -> None:
        """Add a run from another store, in a single transaction; its artefacts are here already.

        It is `foreign` from then on, until it gets settings of this store's user.
        run: columns of `RunRow`; keys: those of `attempts`. Raises RunBusy when a run of that id is here.
        """
        expect_run_id(run["id"])
        digested = self._digest_instructions(tasks)
        with self._database.writing() as session:
            whole.put_run(session, run, digested, keys, attempts)
            session.merge(NoteRow(name=FOREIGN + run["id"], value="yes"))

    def _digest_instructions(self, tasks: Iterable[TaskFacts]) -> list[tuple[TaskFacts, str]]:
        """The facts of tasks, each with the digest of its instruction."""
        return [
            (facts, self.keep(facts.instruction.encode()) if facts.instruction else "")
            for facts in tasks
        ]

    def set_settings(self, run: str, settings: Mapping[str, Any]) -> None:
        """Replace the settings of a run that goes on with others. Raises UnknownRun."""
        self._change_run(run, settings=dict(settings))
        with self._database.writing() as session:
            session.execute(delete(NoteRow).where(NoteRow.name == FOREIGN + run))

    def foreign(self, run: str) -> bool:
        """Whether a run came with its settings and keys from elsewhere: what they name may do harm."""
        with self._database.reading() as session:
            row = queries.run_named(session, run, self.display)
            return session.get(NoteRow, FOREIGN + row.id) is not None

    def run(self, run: str) -> RunRow:
        """A run by id, or the latest for "latest". Raises UnknownRun."""
        with self._database.reading() as session:
            return queries.run_named(session, run, self.display)

    def runs(self) -> list[RunRow]:
        """All runs, newest first."""
        with self._database.reading() as session:
            return queries.all_runs(session)

    def tasks(self, run: str, task: str = "") -> dict[str, TaskFacts]:
        """Task -> its facts, as far as recorded when the run was opened. task: only of this task."""
        with self._database.reading() as session:
            task_facts = queries.facts_of(session, run, task)
        return {
            task: replace(facts, instruction=self.blob(digest).decode()) if digest else facts
            for task, (facts, digest) in task_facts.items()
        }

    def request(self, run: str, wish: str) -> None:
        """Ask the driver of a run for something: "stop", or "" to take that back. Raises UnknownRun."""
        self._change_run(run, wish=wish)

    def read_wish(self, run: str) -> str:
        return self.run(run).wish

    def add_seconds(self, run: str, seconds: float) -> None:
        """Add wall time of a driver to a run. Raises UnknownRun."""
        self._change_run(run, spent_seconds=RunRow.spent_seconds + seconds)

    def _change_run(self, run: str, **values: Any) -> None:
        with self._database.writing() as session:
            row = queries.run_named(session, run, self.display)
            session.execute(update(RunRow).where(RunRow.id == row.id).values(**values))

    def lease(self, run: str) -> AbstractContextManager[Lease]:
        """The lease of a run's only driver; it ends with its process. Raises RunBusy on entry."""
        return self._leases.hold(self.run(run).id)

    def has_driver(self, run: str) -> bool:
        """Whether a driver is at work on the run."""
        return self._leases.has_driver(self.run(run).id)

    # attempts

    def write(self, written: Sequence[AttemptUpdate], run: str = "", batch: str = "") -> int:
        """Record the results of attempts, in a single transaction; returns how many of `written` took effect.

        An attempt that has come to its end (health `ok` or `timeout`) stays as it is. Raises UnknownRun for
        an attempt that is not here.
        run, batch: the driver's run and its name for what it writes. The last batch of a run is not written
        twice: the connection to a server may be lost after the commit and before its confirmation.
        """
        if not written:
            return 0
        with self._database.writing() as session:
            if batch and not writing.is_new(session, run, batch):
                return 0
            return writing.apply(session, written)

    def set_flags(self, attempt: str, flags: Sequence[str], evidence: Mapping[str, Any]) -> None:
        """Set the names of an attempt's signs of cheating and parts of its evidence, and nothing else.

        Raises UnknownRun for an attempt that is not here.
        """
        with self._database.writing() as session:
            writing.set_flags(session, attempt, flags, evidence)

    def finish(
        self, attempt: str, verdict: Verdict, solution: Solution | None, seconds: float
    ) -> None:
        """Record how an attempt ended; None where the agent never came to an end."""
        stored_solution = keep(self, solution) if solution else None
        usage = solution.usage if solution else {}
        self.write([AttemptUpdate(attempt, spent_of(usage, seconds), stored_solution, verdict)])

    def open_attempts(self, run: str, after: str = "", limit: int = 500) -> list[OpenAttempt]:
        """Up to `limit` open attempts that come after the order `after`, in that order."""
        with self._database.reading() as session:
            return queries.open_after(session, run, after, limit)

    def counts(self, run: str) -> Counts:
        """The progress of a run. Raises UnknownRun."""
        with self._database.reading() as session:
            row = queries.run_named(session, run, self.display)
            return queries.counts_of(session, row)

    def commonest_reason(self, run: str) -> tuple[str, int] | None:
        """The commonest reason of attempts without a label, and its number. Raises UnknownRun."""
        with self._database.reading() as session:
            row = queries.run_named(session, run, self.display)
            return queries.commonest_reason(session, row)

    def rows(self, runs: Sequence[str] = ()) -> Iterator[Row]:
        """The attempts of runs (all: none named), oldest run first, as they are read. Raises UnknownRun."""
        with self._database.reading() as session:
            for run in queries.wanted_runs(session, runs, self.display):
                yield from queries.light_rows(session, run)

    def states(self, run: str) -> Iterator[tuple[str, str, str, str | None]]:
        """Id, model, health and label of each attempt of a run, unordered: the quickest query of outcomes."""
        with self._database.reading() as session:
            yield from queries.states_of(session, self.run(run).id)

    def attempts(self, run: str, only_open: bool = False, withdrawn: bool = False) -> list[Attempt]:
        """Attempts of a run in the order (task, agent, ...). withdrawn: those too that are in no rate.

        Raises UnknownRun.
        """
        with self._database.reading() as session:
            row = queries.run_named(session, run, self.display)
            return queries.attempts_of(session, row, only_open, withdrawn)

    def each_attempt(self, run: str) -> Iterator[Attempt]:
        """Attempts of a run by id, as they are read: no more than a few hundred are in memory."""
        after = ""
        while page := self._page(run, after):
            yield from page
            after = page[-1].id

    def _page(self, run: str, after: str) -> list[Attempt]:
        with self._database.reading() as session:
            return whole.page_of(session, run, after)

    # search

    def index(self, run: str, texts_of: search.TextsOf, limit: int) -> int:
        """Index the next ended attempts of a run for search; returns how many.

        texts_of: the texts of an attempt.
        """
        with self._database.reading() as session:
            pairs = search.missing(session, run, limit)
        texts = {
            attempt.id: (at, list(texts_of(attempt))) for attempt, at in pairs
        }  # holds up no writer
        if texts:
            with self._database.writing() as session:
                search.put(session, run, texts)
        return len(texts)

    def search(
        self, run: str, words: str, kinds: Sequence[str] = search.KINDS, limit: int = 50
    ) -> tuple[list[search.TextHit], int]:
        """Texts of a run that have all the words, and how many of its ended attempts are not searchable yet.

        Raises ValueError without a word.
        """
        with self._database.reading() as session:
            return search.search(session, run, words, kinds, limit), search.count_unindexed(
                session, run
            )

    def attempt(self, prefix: str) -> Attempt:
        """The attempt whose id starts with `prefix`. Raises UnknownRun when it is none or several."""
        with self._database.reading() as session:
            return queries.attempt_like(session, prefix)


def spent_of(usage: Mapping[str, Any], seconds: float) -> Spent:
    """The cost of a try, from a gateway's usage (`usd`, `input_tokens`, `output_tokens`)."""
    tokens = sum(int(usage.get(name) or 0) for name in ("input_tokens", "output_tokens"))
    return Spent(float(usage.get("usd") or 0.0), tokens, seconds, 1)
