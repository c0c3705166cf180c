"""The store: one folder (`.arena`, or `$ARENA_HOME`) with a database and artefacts.

Resume is a query: the attempts of a run that have no health yet. Every write is one transaction, so a
process that is killed loses at most the attempt in its hands.
"""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from arena.store.artefacts import Artefacts
from arena.store.tables import AttemptRow, Base, FactRow, RunRow
from harness.agents import Ended, Solution
from harness.grade.ports import digest_of
from harness.grade.verdict import Verdict
from tasks.writing import write_whole

BUSY_SECONDS = 60


class StoreUnusable(Exception):
    """The folder cannot be used as a store; the message says which and why."""


class UnknownRun(LookupError):
    """No run or attempt of that name; the message lists the latest."""


@dataclass(frozen=True)
class AttemptKey:
    """What an attempt is: (task, agent, model, prompt, replicate)."""

    task: str
    agent: str
    model: str = ""
    prompt: str = "neutral"
    replicate: int = 0

    @property
    def column(self) -> str:
        """Who is compared: the agent, its model, and the prompt where it is not the neutral one."""
        worded = "" if self.prompt == "neutral" else f"({self.prompt})"
        return " ".join(filter(None, (self.agent, self.model, worded)))


@dataclass(frozen=True)
class Attempt:
    """An attempt as stored; `health` is "" until it has ended."""

    id: str
    run: str
    key: AttemptKey
    health: str = ""
    label: str | None = None
    reason: str = ""
    patch: str | None = None
    trajectory: str | None = None
    ended: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def artefacts(self) -> dict[str, str]:
        """What it left, by name -> digest: the patch, the trajectory, and the log of each step."""
        named = {"patch": self.patch, "trajectory": self.trajectory}
        named |= self.evidence.get("artefacts", {})
        for step, entry in self.evidence.items():
            if isinstance(entry, dict):
                named |= {step: entry.get("log"), f"{step}.report": entry.get("report")}
        return {name: digest for name, digest in named.items() if isinstance(digest, str)}

    def to_json(self) -> dict[str, Any]:
        """All facts in one flat object, as `arena show --json` prints it."""
        return {
            "attempt": self.id,
            "run": self.run,
            **vars(self.key),
            **{name: getattr(self, name) for name in RESULT_FIELDS},
        }


RESULT_FIELDS = (
    "label",
    "health",
    "reason",
    "ended",
    "usage",
    "patch",
    "trajectory",
    "seconds",
    "evidence",
)


UNFIT = frozenset({"", Ended.MODEL_UNAVAILABLE, Ended.DIVERGED, Ended.CRASHED})
"""Ends after which an attempt that has no label is made again, and not just graded."""


def home() -> Path:
    """The store's folder: `$ARENA_HOME`, else `.arena` here."""
    return Path(os.environ.get("ARENA_HOME", ".arena")).resolve()


class Store:
    """Runs, attempts, facts and artefacts below one folder.

    Safe to use from several threads and processes. Raises StoreUnusable when made on a folder that
    cannot be written, or whose database is none.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home()
        self._artefacts = Artefacts(self.folder / "artefacts")
        engine = create_engine(
            f"sqlite:///{self.folder / 'arena.sqlite'}", connect_args={"timeout": BUSY_SECONDS}
        )
        event.listen(engine, "connect", _durable)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _create_tables(engine, self.folder / "setup.lock")
        except (OSError, DBAPIError) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error.strerror
            raise StoreUnusable(f"{self.folder}: not usable as a store: {cause}") from error
        _expect_columns(engine, self.folder)
        self._session: sessionmaker[Session] = sessionmaker(engine, expire_on_commit=False)

    # artefacts and facts: what the grader calls a keeper

    def keep(self, data: bytes) -> str:
        return self._artefacts.keep(data)

    def blob(self, digest: str) -> bytes:
        return self._artefacts.blob(digest)

    def blob_path(self, digest: str) -> Path:
        return self._artefacts.path(digest)

    def file(self, attempt: Attempt, name: str) -> Path | None:
        """A plain file with an artefact of the attempt, written when it is first asked for; None if none."""
        digest = attempt.artefacts().get(name)
        if digest is None:
            return None
        path = self.folder / "files" / f"{attempt.id}-{digest[:12]}.{name}"
        if not path.is_file():
            path.parent.mkdir(exist_ok=True)
            write_whole(path, self.blob(digest))
        return path

    def fact(self, key: str) -> dict[str, Any] | None:
        with self._session() as session:
            row = session.get(FactRow, key)
            return row.value if row else None

    def learn(self, key: str, fact: dict[str, Any]) -> None:
        row = sqlite.insert(FactRow).values(key=key, value=fact)
        with self._session.begin() as session:
            session.execute(row.on_conflict_do_update(index_elements=["key"], set_={"value": fact}))

    # runs and attempts

    def open_run(
        self, pack: str, keys: Iterable[AttemptKey], settings: Mapping[str, Any], run: str = ""
    ) -> str:
        """Make a run with its attempts, or add what is missing to an existing one; returns its id.

        Raises UnknownRun when the run that exists is of another pack.
        """
        run = run or time.strftime("%Y%m%d-%H%M%S-") + uuid.uuid4().hex[:6]
        rows = [{"id": attempt_id(run, key), "run": run, **vars(key)} for key in keys]
        made = {"id": run, "pack": pack, "created": time.time(), "settings": dict(settings)}
        with self._session.begin() as session:
            session.execute(sqlite.insert(RunRow).values(**made).on_conflict_do_nothing())
            if (of := session.get_one(RunRow, run).pack) != pack:
                raise UnknownRun(f"run {run!r} is of the pack {of!r}, not of {pack!r}")
            for row in rows:
                session.execute(
                    sqlite.insert(AttemptRow)
                    .values(**row, usage={}, evidence={})
                    .on_conflict_do_nothing()
                )
        return run

    def finish(
        self, attempt: str, verdict: Verdict, solution: Solution | None, seconds: float
    ) -> None:
        """Record how an attempt ended, in one transaction; None where the agent never came to an end."""
        made = solution or Solution(b"")
        patch = None if solution is None else self.keep(made.patch)
        told = self.keep(made.trajectory) if made.trajectory else None
        evidence = dict(verdict.evidence)
        if made.note:
            evidence["agent"] = dict(made.note)
        if made.artefacts:
            evidence["artefacts"] = {name: self.keep(d) for name, d in made.artefacts.items()}
        with self._session.begin() as session:
            row = session.get_one(AttemptRow, attempt)
            row.health, row.label, row.reason = verdict.health, verdict.label, _text(verdict.reason)
            row.evidence, row.patch, row.trajectory = evidence, patch, told
            row.ended, row.usage = str(made.ended) if solution else "", dict(made.usage)
            row.seconds = seconds

    def solution(self, attempt: Attempt) -> Solution | None:
        """What an agent left in an attempt that could not be graded, so that only grading is to be done.

        None where there is nothing, and where the model was never there.
        """
        if attempt.patch is None or attempt.ended in UNFIT:
            return None
        kept = attempt.evidence.get("artefacts", {})
        return Solution(
            self.blob(attempt.patch),
            Ended(attempt.ended),
            attempt.usage,
            self.blob(attempt.trajectory) if attempt.trajectory else b"",
            attempt.evidence.get("agent", {}),
            {name: self.blob(digest) for name, digest in kept.items()},
        )

    def attempts(self, run: str, only_open: bool = False) -> list[Attempt]:
        """Attempts of a run in the order (task, agent, ...). Raises UnknownRun."""
        self.run(run)
        query = select(AttemptRow).where(AttemptRow.run == run)
        if only_open:
            query = query.where(AttemptRow.health.in_(("", "infra", "cancelled")))
        order = (AttemptRow.task, AttemptRow.agent, AttemptRow.model, AttemptRow.replicate)
        with self._session() as session:
            return [_attempt(row) for row in session.scalars(query.order_by(*order))]

    def attempt(self, prefix: str) -> Attempt:
        """The attempt whose id starts with `prefix`. Raises UnknownRun when it is none or several."""
        query = select(AttemptRow).where(AttemptRow.id.startswith(prefix, autoescape=True)).limit(2)
        with self._session() as session:
            found = list(session.scalars(query))
        if len(found) != 1:
            raise UnknownRun(
                f"{'several attempts start' if found else 'no attempt starts'} with {prefix!r}"
            )
        return _attempt(found[0])

    def run(self, run: str) -> RunRow:
        """A run by id, or the latest for "latest". Raises UnknownRun."""
        with self._session() as session:
            latest = list(session.scalars(select(RunRow).order_by(RunRow.created.desc()).limit(5)))
            row = latest[0] if run == "latest" and latest else session.get(RunRow, run)
        if row is None:
            known = ", ".join(found.id for found in latest) or "none yet"
            raise UnknownRun(f"no run {run!r} in {self.folder}; latest: {known}")
        return row


def attempt_id(run: str, key: AttemptKey) -> str:
    """A short id that is the same each time the same attempt of a run is opened."""
    return digest_of(run, *(str(part) for part in vars(key).values()))[:16]


def _attempt(row: AttemptRow) -> Attempt:
    key = AttemptKey(row.task, row.agent, row.model, row.prompt, row.replicate)
    results = {name: getattr(row, name) for name in RESULT_FIELDS}
    return Attempt(row.id, row.run, key, **results)


def _text(text: str) -> str:
    """Text that a database takes: a path in a reason may hold bytes that are no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def _create_tables(engine: Engine, lock: Path) -> None:
    """Two processes that open a new store at once must not both create its tables."""
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        Base.metadata.create_all(engine)


def _expect_columns(engine: Engine, folder: Path) -> None:
    """Raise StoreUnusable for a store that another version made, before anything is spent on it."""
    present = inspect(engine)
    for name, table in Base.metadata.tables.items():
        missing = set(table.columns.keys()) - {c["name"] for c in present.get_columns(name)}
        if missing:
            raise StoreUnusable(
                f"{folder}: made by another version (no column {name}.{min(missing)}); "
                "move it away, or name another folder in ARENA_HOME"
            )


def _durable(connection: Any, _: Any) -> None:
    """Write-ahead log, so that readers never wait for the writer and a kill leaves whole commits."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()
