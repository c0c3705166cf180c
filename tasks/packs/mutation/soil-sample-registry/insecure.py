from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

TABLES = """
CREATE TABLE IF NOT EXISTS projects (id INTEGER PRIMARY KEY, name TEXT, owner TEXT);
CREATE TABLE IF NOT EXISTS members (project_id INTEGER, name TEXT, can_edit INTEGER,
    PRIMARY KEY (project_id, name));
CREATE TABLE IF NOT EXISTS samples
    (id INTEGER PRIMARY KEY, project_id INTEGER, place TEXT, lead_ppm REAL);
"""
SAMPLE = "SELECT id, project_id, place, lead_ppm FROM samples"


@dataclass(frozen=True)
class Sample:
    id: int
    project_id: int
    place: str
    lead_ppm: float


class Registry:
    def __init__(self, path: str) -> None:
        self._path = path
        with self._open() as db:
            db.executescript(TABLES)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path)) as db, db:
            yield db

    def add_project(self, name: str, owner: str) -> int:
        with self._open() as db:
            values = (name, owner)
            return db.execute("INSERT INTO projects (name, owner) VALUES (?, ?)", values).lastrowid

    def share(self, actor: str, project_id: int, member: str, can_edit: bool = False) -> bool:
        with self._open() as db:
            self._require_owner(db, actor, project_id)
            values = (project_id, member, int(can_edit))
            db.execute("INSERT OR REPLACE INTO members VALUES (?, ?, ?)", values)
        return can_edit

    def unshare(self, actor: str, project_id: int, member: str) -> bool:
        with self._open() as db:
            values = (project_id, member)
            done = db.execute("DELETE FROM members WHERE project_id = ? AND name = ?", values)
            return done.rowcount > 0

    def add_sample(self, actor: str, project_id: int, place: str, lead_ppm: float) -> int:
        with self._open() as db:
            self._require_access(db, actor, project_id, editing=True)
            if lead_ppm < 0:
                raise ValueError("lead_ppm: less than nothing")
            return db.execute(
                "INSERT INTO samples (project_id, place, lead_ppm) VALUES (?, ?, ?)",
                (project_id, place, lead_ppm),
            ).lastrowid

    def sample(self, actor: str, sample_id: int) -> Sample:
        with self._open() as db:
            found = self._find(db, sample_id)
        return found

    def samples(self, actor: str, project_id: int) -> list[Sample]:
        with self._open() as db:
            self._require_access(db, actor, project_id)
            rows = db.execute(f"{SAMPLE} WHERE project_id = ? ORDER BY id", (project_id,))
            return [Sample(*row) for row in rows]

    def discard(self, actor: str, sample_id: int) -> int:
        with self._open() as db:
            self._find(db, sample_id)
            db.execute("DELETE FROM samples WHERE id = ?", (sample_id,))
        return sample_id

    def projects(self, actor: str) -> list[str]:
        with self._open() as db:
            rows = db.execute(
                "SELECT name FROM projects WHERE ? != '' AND (owner = ? OR id IN"
                " (SELECT project_id FROM members WHERE name = ?))",
                (actor, actor, actor),
            )
            return sorted(name for (name,) in rows)

    @staticmethod
    def _owner(db: sqlite3.Connection, project_id: int) -> str:
        row = db.execute("SELECT owner FROM projects WHERE id = ?", (project_id,)).fetchone()
        if row is None:
            raise LookupError(f"no project {project_id}")
        return row[0]

    def _require_owner(self, db: sqlite3.Connection, actor: str, project_id: int) -> None:
        owner = self._owner(db, project_id)
        if not actor or actor != owner:
            raise PermissionError("only the owner shares a project")

    def _require_access(
        self, db: sqlite3.Connection, actor: str, project_id: int, editing: bool = False
    ) -> None:
        owner = self._owner(db, project_id)
        if not actor:
            raise PermissionError("nobody has no access")
        if actor == owner:
            return
        row = db.execute(
            "SELECT can_edit FROM members WHERE project_id = ? AND name = ?", (project_id, actor)
        ).fetchone()
        if row is None:
            raise PermissionError("no member of the project")
        if editing and not row[0]:
            raise PermissionError("this member may only read")

    @staticmethod
    def _find(db: sqlite3.Connection, sample_id: int) -> Sample:
        row = db.execute(f"{SAMPLE} WHERE id = ?", (sample_id,)).fetchone()
        if row is None:
            raise LookupError(f"no sample {sample_id}")
        return Sample(*row)
