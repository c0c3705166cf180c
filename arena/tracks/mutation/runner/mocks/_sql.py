"""SQLite behind `db` and `mysql`: rows that are dicts and tuples, tables that appear when first named."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

MAX_STATEMENTS = 20
MAX_REPAIRS = 24
MAX_STATEMENT = 100_000
# Of SQLite's progress handler, each a thousand of its instructions: what takes longer is stopped.
MAX_STEPS = 2_000

MISSING = re.compile(r"no such (table|column): (?:main\.)?([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?\Z")
LACKING = re.compile(r"table (\w+) has no column named (\w+)\Z")
NAMED_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN)\s+[\"`\[]?([A-Za-z_]\w*)", re.IGNORECASE)
PLACEHOLDER = re.compile(r"'(?:[^']|'')*(?:'|\Z)|%s|%\((\w+)\)s")
READS = re.compile(r"\s*SELECT\b", re.IGNORECASE)
CHANGES = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|REPLACE)\b", re.IGNORECASE)


class SqlRow(dict[str, Any]):
    """A row by column name; by position too, as `sqlite3.Row`; and by attribute."""

    def __missing__(self, key: object) -> Any:
        if isinstance(key, int):
            return list(self.values())[key]
        raise KeyError(key)

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"no column {name!r}")


class Rows(list[SqlRow]):
    """A statement's rows: a list, and a cursor over it as in PEP 249."""

    def __init__(
        self, rows: Iterable[SqlRow] = (), rowcount: int = -1, lastrowid: int | None = None
    ):
        super().__init__(rows)
        self.rowcount, self.lastrowid, self._next = rowcount, lastrowid, 0

    @property
    def description(self) -> tuple[tuple[Any, ...], ...] | None:
        return tuple((name, *[None] * 6) for name in self[0]) if self else None

    def fetchone(self) -> SqlRow | None:
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int = 1) -> list[SqlRow]:
        result = list(self[self._next : self._next + size])
        self._next += len(result)
        return result

    def fetchall(self) -> list[SqlRow]:
        return self.fetchmany(len(self))

    def close(self) -> None:
        self._next = len(self)


def adapt_placeholders(statement: str, values: Any) -> str:
    """The statement with SQLite's placeholders for those of further drivers (`%s`, `%(name)s`)."""
    if not values or "%" not in statement:
        return statement

    def one(match: re.Match[str]) -> str:
        if match[1]:
            return f":{match[1]}"
        return "?" if match[0] == "%s" else match[0]

    return PLACEHOLDER.sub(one, statement)


def statements(text: str) -> list[str]:
    """The statements of a text that `;` parts, outside of strings and comments."""
    pieces, begin = [], 0
    for at in [i for i, c in enumerate(text[:MAX_STATEMENT]) if c == ";"][:MAX_STATEMENTS]:
        if sqlite3.complete_statement(text[begin : at + 1]):
            pieces.append(text[begin : at + 1])
            begin = at + 1
    rest = text[begin:]
    return [*pieces, rest] if rest.strip() or not pieces else pieces


class Tables:
    """An SQLite database in memory whose tables and columns appear when a statement first names them.

    A dropped table stays dropped. `foreign` answers whether a word came from an argument: such a word is
    no column.
    """

    def __init__(self, content: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.foreign: Callable[[str], bool] = lambda word: False
        self.dropped: set[str] = set()
        self._steps = 0
        self._first = self.base = self._open_database()
        for table, rows in content.items():
            self.replace(table, rows)
        self.changed = True
        self.fill()

    def _open_database(self) -> sqlite3.Connection:
        base = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        base.row_factory = lambda cursor, row: SqlRow(
            zip((column[0] for column in cursor.description), row, strict=True)
        )
        # An injected statement can join a table with itself a dozen times: SQLite has no limit of time of its
        # own.
        base.set_progress_handler(self._step, 1_000)
        return base

    def fill(self) -> None:
        """Start again from the content at first."""
        if not self.changed:
            return
        self.dropped, self.changed = set(), False
        self.base = self._open_database()
        self._first.backup(self.base)

    def _step(self) -> int:
        self._steps += 1
        return self._steps > MAX_STEPS

    def names(self) -> list[str]:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
        return [row["name"] for row in self.base.execute(query)]

    def columns(self, table: str) -> list[str]:
        return [row["name"] for row in self.base.execute(f"PRAGMA table_info({quote_name(table)})")]

    def rows(self, table: str) -> list[SqlRow]:
        if table not in self.names():
            return []
        return list(self.base.execute(f"SELECT * FROM {quote_name(table)}"))  # noqa: S608 - quoted

    def replace(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Let `table` hold exactly `rows`."""
        self.changed = True
        columns = list(dict.fromkeys(name for row in rows for name in row)) or ["id"]
        self.base.execute(f"DROP TABLE IF EXISTS {quote_name(table)}")
        self.create(table, columns)
        for row in rows:
            self.insert(table, row)

    def create(self, table: str, columns: Sequence[str]) -> None:
        listed = [f"{quote_name(c)}{' NUMERIC' if c == 'id' else ''}" for c in columns]
        self.base.execute(f"CREATE TABLE {quote_name(table)} ({', '.join(listed)})")
        self.dropped.discard(table)

    def insert(self, table: str, row: Mapping[str, Any]) -> None:
        if table not in self.names():
            self.create(table, list(row) or ["id"])
        for column in set(row) - set(self.columns(table)):
            self.base.execute(f"ALTER TABLE {quote_name(table)} ADD COLUMN {quote_name(column)}")
        names = ", ".join(quote_name(name) for name in row)
        marks = ", ".join("?" for _ in row)
        values = [value if _storable(value) else str(value) for value in row.values()]
        self.base.execute(f"INSERT INTO {quote_name(table)} ({names}) VALUES ({marks})", values)  # noqa: S608 - quoted

    def run(self, text: str, values: Any = None) -> Rows:
        """Run statements, all with the same values; the rows of the first that has some.

        Raises sqlite3.Error, as SQLite does.
        """
        self._steps = 0
        text = adapt_placeholders(text, values)
        parts = statements(text)
        results = [self._one(part, values if len(parts) == 1 else None) for part in parts]
        return next((rows for rows in results if rows), results[0])

    def _one(self, statement: str, values: Any) -> Rows:
        self.changed |= READS.match(statement) is None
        before = set(self.names()) if self.changed else set()
        for _ in range(MAX_REPAIRS):
            try:
                cursor = self.base.execute(statement, bindable(values))
                break
            except sqlite3.OperationalError as error:
                if not self._repair_schema(statement, str(error)):
                    raise
        else:
            raise sqlite3.OperationalError("too many unknown names")
        rows = Rows(cursor.fetchmany(10_000), cursor.rowcount, cursor.lastrowid)
        self.dropped |= before - set(self.names()) if before else before
        return rows

    def _repair_schema(self, statement: str, message: str) -> bool:
        """Make the table or column that a statement of the program names and SQLite does not know."""
        self.changed = True
        if lacking := LACKING.match(message):
            return self._add_column(lacking[1], lacking[2])
        missing = MISSING.match(message)
        # A word of an attack must not become a column: then `' OR evil = 1` would be valid SQL.
        if missing is None or self.foreign(missing[2]):
            return False
        if missing[1] == "table":
            if missing[2] in self.dropped or missing[2].startswith("sqlite_"):
                return False
            self.create(missing[2], ["id"])
            return True
        named = NAMED_TABLE.search(statement)
        if named is None:
            return False
        return self._add_column(named[1], missing[3] or missing[2])

    def _add_column(self, table: str, column: str) -> bool:
        if self.foreign(column) or column in self.columns(table) or table not in self.names():
            return False
        self.base.execute(f"ALTER TABLE {quote_name(table)} ADD COLUMN {quote_name(column)}")
        return True


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _storable(value: object) -> bool:
    return value is None or isinstance(value, str | bytes | float | int)


def bindable(values: Any) -> Any:
    """Values as SQLite takes them; a single value need not stand in a tuple."""
    if values is None:
        return ()
    if isinstance(values, Mapping | list | tuple):
        return values
    return (values,)
