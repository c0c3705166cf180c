"""Rows of a SQLite fixture, read without trust: nothing is written, and no longer than is sensible."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

TABLES, ROWS, TEXT = 10, 50, 1_000
# Of ten thousand instructions each, after which a query is given up.
STEPS = 200


def first_rows(path: Path) -> dict[str, list[list[Any]]]:
    """Table -> its first rows, of plain tables with plain values; {} for a file that is no sound database."""
    left = STEPS

    def give_up() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        # `immutable` also keeps SQLite from writing beside the file, as it does to recover a journal.
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error:
        return {}
    try:
        # A crafted file can make a query run without end.
        connection.set_progress_handler(give_up, 10_000)
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "AND sql NOT LIKE '%VIRTUAL%' ORDER BY name LIMIT ?",
            (TABLES,),
        ).fetchall()
        rows_by_table = {str(name): _rows(connection, str(name)) for (name,) in names}
    except (sqlite3.Error, UnicodeDecodeError):
        return {}
    finally:
        connection.close()
    return {name: rows for name, rows in rows_by_table.items() if _plain(rows)}


def _rows(connection: sqlite3.Connection, table: str) -> list[list[Any]]:
    name = table.replace('"', '""')
    return [list(row) for row in connection.execute(f'SELECT * FROM "{name}" LIMIT {ROWS}')]  # noqa: S608


def _plain(rows: list[list[Any]]) -> bool:
    return all(
        not isinstance(item, bytes) and not (isinstance(item, str) and len(item) > TEXT)
        for row in rows
        for item in row
    )
