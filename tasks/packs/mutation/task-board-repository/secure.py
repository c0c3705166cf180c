from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

CHANGEABLE = frozenset({"title", "state", "owner", "points"})
COUNTABLE = frozenset({"state", "owner"})
TABLES = (
    "CREATE TABLE IF NOT EXISTS task (id INTEGER PRIMARY KEY, title TEXT NOT NULL,"
    " state TEXT NOT NULL DEFAULT 'open', owner TEXT, points INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS tag (task INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (task, name))",
)


@dataclass(frozen=True)
class Task:
    id: int
    title: str
    state: str
    owner: str | None
    points: int


SELECT = f"SELECT {', '.join(field.name for field in fields(Task))} FROM task"


def marks(values: list[object]) -> str:
    """Return one placeholder for each value, for use inside IN (...)."""
    return ", ".join("?" for _ in values)


class TaskBoard:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        with self._transaction() as cursor:
            for table in TABLES:
                cursor.execute(table)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        cursor = self._connection.cursor()
        try:
            yield cursor
        except BaseException:
            self._connection.rollback()
            raise
        else:
            self._connection.commit()
        finally:
            cursor.close()

    def _tasks(self, rest: str, values: Iterable[object]) -> list[Task]:
        return [Task(*row) for row in self._connection.execute(f"{SELECT} {rest}", tuple(values))]

    def add(self, title: str, tags: Iterable[str] = ()) -> Task:
        with self._transaction() as cursor:
            cursor.execute("INSERT INTO task (title) VALUES (?)", (title,))
            number = cursor.lastrowid
            cursor.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?)", [(number, tag) for tag in tags])
        return Task(number, title, "open", None, 0)

    def get(self, task_id: int) -> Task | None:
        return next(iter(self._tasks("WHERE id = ?", (task_id,))), None)

    def update(self, task_id: int, **changes: object) -> Task:
        if not changes or not changes.keys() <= CHANGEABLE:
            raise ValueError(f"changes: some of {', '.join(sorted(CHANGEABLE))}")
        assignments = ", ".join(f"{name} = ?" for name in changes)
        with self._transaction() as cursor:
            cursor.execute(f"UPDATE task SET {assignments} WHERE id = ?", (*changes.values(), task_id))
        task = self.get(task_id)
        if task is None:
            raise LookupError(f"no task {task_id}")
        return task

    def tagged(self, *tags: str) -> list[Task]:
        rest = f"WHERE id IN (SELECT task FROM tag WHERE name IN ({marks(list(tags))})) ORDER BY id"
        return self._tasks(rest, tags)

    def owned(self, owner: str, states: Iterable[str] = ("open", "done")) -> list[Task]:
        wanted = list(states)
        return self._tasks(f"WHERE owner = ? AND state IN ({marks(wanted)}) ORDER BY id", (owner, *wanted))

    def count_by(self, field: str) -> dict[str | None, int]:
        if field not in COUNTABLE:
            raise ValueError(f"field: one of {', '.join(sorted(COUNTABLE))}")
        return dict(self._connection.execute(f"SELECT {field}, count(*) FROM task GROUP BY {field}"))

    def remove(self, task_ids: Iterable[int]) -> int:
        numbers = list(task_ids)
        with self._transaction() as cursor:
            cursor.execute(f"DELETE FROM tag WHERE task IN ({marks(numbers)})", numbers)
            return cursor.execute(f"DELETE FROM task WHERE id IN ({marks(numbers)})", numbers).rowcount

    def search(self, text: str) -> list[Task]:
        return self._tasks("WHERE instr(title, ?) > 0 ORDER BY id", (text,))
