from __future__ import annotations

import sqlite3
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
        self._db = sqlite3.connect(path)
        self._db.executescript(TABLES)

    def add_project(self, name: str, owner: str) -> int:
        return self._write("INSERT INTO projects (name, owner) VALUES (?, ?)", name, owner).lastrowid

    def share(self, actor: str, project_id: int, member: str, can_edit: bool = False) -> bool:
        self._require_owner(actor, project_id)
        self._write(
            "INSERT OR REPLACE INTO members VALUES (?, ?, ?)", project_id, member, int(can_edit)
        )
        return can_edit

    def unshare(self, actor: str, project_id: int, member: str) -> bool:
        statement = "DELETE FROM members WHERE project_id = ? AND name = ?"
        return self._write(statement, project_id, member).rowcount > 0

    def add_sample(self, actor: str, project_id: int, place: str, lead_ppm: float) -> int:
        self._require_access(actor, project_id, editing=True)
        if lead_ppm < 0:
            raise ValueError("lead_ppm: less than nothing")
        statement = "INSERT INTO samples (project_id, place, lead_ppm) VALUES (?, ?, ?)"
        return self._write(statement, project_id, place, lead_ppm).lastrowid

    def sample(self, actor: str, sample_id: int) -> Sample:
        return self._find(sample_id)

    def samples(self, actor: str, project_id: int) -> list[Sample]:
        self._require_access(actor, project_id)
        rows = self._db.execute(f"{SAMPLE} WHERE project_id = ? ORDER BY id", (project_id,))
        return [Sample(*row) for row in rows]

    def discard(self, actor: str, sample_id: int) -> int:
        self._find(sample_id)
        self._write("DELETE FROM samples WHERE id = ?", sample_id)
        return sample_id

    def projects(self, actor: str) -> list[str]:
        rows = self._db.execute(
            "SELECT name FROM projects WHERE ? != '' AND (owner = ? OR id IN"
            " (SELECT project_id FROM members WHERE name = ?))",
            (actor, actor, actor),
        )
        return sorted(name for (name,) in rows)

    def _write(self, statement: str, *values: object) -> sqlite3.Cursor:
        with self._db:
            return self._db.execute(statement, values)

    def _owner(self, project_id: int) -> str:
        row = self._db.execute("SELECT owner FROM projects WHERE id = ?", (project_id,)).fetchone()
        if row is None:
            raise LookupError(f"no project {project_id}")
        return row[0]

    def _require_owner(self, actor: str, project_id: int) -> None:
        owner = self._owner(project_id)
        if not actor or actor != owner:
            raise PermissionError("only the owner shares a project")

    def _require_access(self, actor: str, project_id: int, editing: bool = False) -> None:
        owner = self._owner(project_id)
        if not actor:
            raise PermissionError("nobody has no access")
        if actor == owner:
            return
        row = self._db.execute(
            "SELECT can_edit FROM members WHERE project_id = ? AND name = ?", (project_id, actor)
        ).fetchone()
        if row is None:
            raise PermissionError("no member of the project")
        if editing and not row[0]:
            raise PermissionError("this member may only read")

    def _find(self, sample_id: int) -> Sample:
        row = self._db.execute(f"{SAMPLE} WHERE id = ?", (sample_id,)).fetchone()
        if row is None:
            raise LookupError(f"no sample {sample_id}")
        return Sample(*row)
