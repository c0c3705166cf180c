"""The rows of SQLite files that a program may have made into anything.

A file is copied with its write-ahead log to a folder of ours and opened there (so that nothing is changed,
and what is in the log is seen), with time and rows bounded.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from harness.stand import tree
from harness.stand.seen import Rows

SECONDS = 2.0
MAX_ROWS, MAX_CELL, MAX_TABLES = 20_000, 4000, 200
_HEAP = 128 << 20
_BROKEN = "!"
_STEPS = 1000


def rows(path: str, scratch: str) -> Rows:
    """Table -> rows, sorted; {"!": ((reason,),)} of what cannot be read. `scratch`: a folder of ours."""
    content = tree.fetched(path)
    if content is None:
        return {_BROKEN: (("no file, or too large",),)}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        copy = Path(folder) / "copy.db"
        copy.write_bytes(content)
        log = tree.fetched(f"{path}-wal")
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
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA hard_heap_limit = {_HEAP}")
        asked = "SELECT name FROM sqlite_master WHERE type = 'table'"
        all_names = [str(name) for (name,) in connection.execute(asked).fetchmany(MAX_TABLES)]
        names = [name for name in all_names if not name.startswith("sqlite_")]
        found: dict[str, tuple[tuple[Any, ...], ...]] = {}
        left = MAX_ROWS
        for name in sorted(names):
            quoted = name.replace('"', '""')
            cursor = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - quoted
            taken = [tuple(_cell(value) for value in row) for row in cursor.fetchmany(left)]
            left -= len(taken)
            found[name] = tuple(sorted(taken, key=repr))
        return found


def _cell(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"$hex": value[:MAX_CELL].hex()}
    return value[:MAX_CELL] if isinstance(value, str) else value
