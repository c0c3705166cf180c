"""ARVO-Meta's later release: a SQLite database with a single table `arvo`, a row for each case.

Its columns are those of ARVO's `db_init`, with `repo_addr` and `submodule_bug` added later; any of them
may be missing here. The file is opened read-only and immutable, and nothing of its schema is trusted.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from arena.building.cases.importers import Imported, ImporterExample, Rejected
from arena.building.cases.importers._arvo import from_record
from arena.building.cases.importers._report_text import Report, read_report
from tasks.loader import TaskError

MAGIC = b"SQLite format 3\0"
TABLE = "arvo"
COLUMNS = (
    *("localId", "project", "reproducer_vul", "patch_url", "fuzz_target", "fuzz_engine"),
    *("sanitizer", "crash_type", "crash_output", "severity", "report", "fix_commit"),
    *("language", "repo_addr"),
)
# The same bound as for a JSON record: crash outputs are kilobytes, a hostile row may claim gigabytes.
MAX_VALUE = 16 << 20
MAX_ROWS = 1_000_000
SECONDS = 10.0  # for one statement: an ordinary row takes microseconds
STEPS = 10_000


def _example(folder: Path) -> Path:
    path = folder / "arvo.db"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(
            "CREATE TABLE arvo (localId INTEGER PRIMARY KEY, project TEXT, sanitizer TEXT, "
            "crash_type TEXT, fix_commit TEXT, language TEXT, repo_addr TEXT)"
        )
        row = (
            "brook",
            "asan",
            "Heap-buffer-overflow READ 1",
            "c++",
            "https://example.org/brook.git",
        )
        insert = (
            "INSERT INTO arvo (localId, project, sanitizer, crash_type, language, repo_addr, fix_commit)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        base.execute(insert, (1, *row, "a" * 40))
        base.execute(insert, (2, *row, "a" * 40 + "\n" + "b" * 40))
        base.execute(insert, (3, *row, None))
    return path


class ArvoSqlite:
    """See `Importer`."""

    what = "ARVO's SQLite database"
    examples = (ImporterExample(_example, ("1", "2"), {"3": "fix commit: missing"}),)

    def recognises(self, path: Path) -> bool:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        unwritten = path.with_name(f"{path.name}-wal")
        if unwritten.is_file() and unwritten.stat().st_size:
            yield Rejected(unwritten.name, "changes that are not in the database yet are not read")
        try:
            with closing(_open(path)) as base:
                yield from _rows(base, path)
        except sqlite3.Error as error:
            raise TaskError(f"{path}: {error}") from error

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        return self.read(path)


def _open(path: Path) -> sqlite3.Connection:
    # Immutable, so SQLite takes no lock and writes no journal beside somebody's file; `-wal` was reported
    # above.
    address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    base = sqlite3.connect(address, uri=True)
    base.text_factory = lambda data: data.decode("utf-8", "replace")
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    # A view or trigger in a foreign schema can call functions of SQLite; the pages may be forged as well.
    base.execute("PRAGMA trusted_schema = OFF")
    base.execute("PRAGMA cell_size_check = ON")
    return base


def _bound_statement_time(base: sqlite3.Connection) -> None:
    """End a statement that takes too long (pages of a hostile file can form a loop)."""
    end = time.monotonic() + SECONDS
    base.set_progress_handler(lambda: time.monotonic() > end, STEPS)


def _rows(base: sqlite3.Connection, path: Path) -> Iterator[Imported | Rejected]:
    _bound_statement_time(base)
    columns = _columns(base, path)
    # Ids first and rows one by one: a damaged row is one rejection and does not end the import.
    ids = base.execute(f"SELECT rowid FROM {TABLE} LIMIT {MAX_ROWS + 1}").fetchall()  # noqa: S608
    if len(ids) > MAX_ROWS:
        raise TaskError(f"{path}: more than {MAX_ROWS} rows")
    listed = ", ".join(f'"{name}"' for name in columns)
    statement = f"SELECT {listed} FROM {TABLE} WHERE rowid = ?"  # noqa: S608
    for (number,) in ids:
        row_name = f"{path.name}[{number}]"
        _bound_statement_time(base)
        try:
            row = base.execute(statement, (number,)).fetchone()
        except sqlite3.Error as error:
            yield Rejected(row_name, f"row {number}: {error}")
            continue
        record = dict(zip(columns, row or (), strict=False))
        yield from_record(record, _report(record.get("report")), row_name)


def _columns(base: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    """The columns that there are of those wanted. Raises TaskError when there is no such table."""
    rows = base.execute(
        "SELECT type, sql FROM sqlite_master WHERE lower(name) = ? AND type <> 'index'", (TABLE,)
    ).fetchone()
    # A virtual table or a view would run code of an extension or a statement of the file's author.
    plain_table = rows and rows[0] == "table" and "virtual" not in str(rows[1])[:40].lower()
    if not plain_table:
        raise TaskError(f"{path}: no table {TABLE!r} in the database")
    # table_info leaves out columns that are computed
    present_columns = {str(row[1]).lower() for row in base.execute(f"PRAGMA table_info({TABLE})")}
    columns = tuple(name for name in COLUMNS if name.lower() in present_columns)
    if "localId" not in columns:
        raise TaskError(f"{path}: table {TABLE!r} has no column localId")
    return columns


def _report(value: object) -> Report:
    """The report's facts; the column holds its address, or its text."""
    if not isinstance(value, str):
        return Report()
    if "\n" not in value.strip() and "://" in value:
        return Report(report=value.strip()[:1000])
    return read_report(value)


PLUGIN = ArvoSqlite()
