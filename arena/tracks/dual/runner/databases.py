"""The rows of SQLite files, which a hostile program may have written.

A file is copied with its write-ahead log to the runner's folder and opened there (so that nothing is changed,
and the content of the log is included), with time and rows bounded.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from arena.tracks.dual.runner import tree
from arena.tracks.dual.runner.observation import Rows

SECONDS = 2.0
MAX_ROWS, MAX_CELL, MAX_TABLES = 20_000, 4000, 200
# Characters of all cells together.
MAX_TOLD = 16 << 20
_HEAP = 128 << 20
_BROKEN = "!"
_STEPS = 1000
_COMPUTED = 2  # of table_xinfo's `hidden`: a generated column that is not stored
_VIRTUAL = (("a virtual table, which is not read",),)


def rows(path: str, scratch: str) -> Rows:
    """Table -> rows, sorted; {"!": ((reason,),)} of what cannot be read. `scratch`: a folder of ours."""
    content = tree.fetch_file(path)
    if content is None:
        return {_BROKEN: (("no file, or too large",),)}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        copy = Path(folder) / "copy.db"
        copy.write_bytes(content)
        # Without the log, rows that a service has committed and not yet written through would be absent.
        log = tree.fetch_file(f"{path}-wal")
        if log:
            Path(f"{copy}-wal").write_bytes(log)
        try:
            return _read(copy)
        except (sqlite3.Error, MemoryError, OverflowError, ValueError) as error:
            return {_BROKEN: ((f"{type(error).__name__}: {error}"[:300],),)}


def _read(path: Path) -> Rows:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    deadline = time.monotonic() + SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
    with contextlib.closing(connection):
        # Views, triggers and defaults of the program's own schema may call functions here.
        connection.execute("PRAGMA trusted_schema = OFF")
        # One value of a row can be as large as SQLite allows (1 GB): the limit ends the query instead of the
        # supervisor.
        connection.execute(f"PRAGMA hard_heap_limit = {_HEAP}")
        query = "SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"
        tables = [(str(n), p) for n, p in connection.execute(query).fetchmany(MAX_TABLES)]
        result: dict[str, tuple[tuple[Any, ...], ...]] = {}
        room = [MAX_ROWS, MAX_TOLD]
        for name, page in sorted(tables):
            if name.startswith("sqlite_"):
                continue
            result[name] = _table(connection, name, room) if page else _VIRTUAL
        return result


def _table(connection: sqlite3.Connection, name: str, room: list[int]) -> tuple[Any, ...]:
    """The rows of a table, each cut when read; `room` (rows, characters) is the rest of the budget."""
    taken: list[tuple[Any, ...]] = []
    cursor = connection.execute(f"SELECT {_columns(connection, name)} FROM {_quote_name(name)}")  # noqa: S608
    for row in cursor:
        if min(room) <= 0:
            break
        taken.append(tuple(_cell(value) for value in row))
        room[0] -= 1
        room[1] -= sum(len(str(value)) for value in taken[-1])
    # A table has no order, and two runs of one program must compare equal.
    return tuple(sorted(taken, key=repr))


def _columns(connection: sqlite3.Connection, name: str) -> str:
    """Columns that are stored. A column that is computed when it is read would run an expression of the
    program's here, and SQLite never calls the progress handler within a single function.
    """
    columns = connection.execute(f"PRAGMA table_xinfo({_quote_name(name)})").fetchall()
    return ", ".join(_quote_name(str(row[1])) for row in columns if row[6] != _COMPUTED)


def _quote_name(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _cell(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"$hex": value[:MAX_CELL].hex()}
    return value[:MAX_CELL] if isinstance(value, str) else value
