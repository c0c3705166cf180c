"""The database `db`: SQLite in memory, with the tables and the observable state of SecMutBench's mock.

A statement that SQLite refuses returns no rows and is stored in `last_error`, where `sqlite3` itself raises:
the paper's tests look at `last_params` after a call that was attacked, whatever the attack did to it.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Callable
from types import ModuleType
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import Observed, cut
from arena.tracks.mutation.runner.mocks._sql import CHANGES, Rows, SqlRow, Tables
from arena.tracks.mutation.runner.mocks._text import SQL, record_statement

# bcrypt, four rounds, of `test_password_<name>`.
HASHES = {
    "alice": "$2b$04$4Nt6rseNivouK7uCrlkGtu14oEx4YdwN6gogfVf50vpVB.8DVSQKq",
    "bob": "$2b$04$In.zsHWkv6SCIRu8eCsvKOmhVEAzJUpgsKEbFphkQF68/oqb.WWXK",
    "charlie": "$2b$04$TeKKFxEWxYrLnp9DRi14pOlWhCkVUgQwmuRgt2z47g/pNl10cHvsy",
}

# As in SecMutBench's MockDatabase.
CONTENT: dict[str, list[dict[str, Any]]] = {
    "users": [
        {
            "id": number,
            "name": name,
            "username": name,
            "email": f"{name}@example.com",
            "password": f"test_password_{name}",
            "password_hash": HASHES[name],
        }
        for number, name in enumerate(HASHES, 1)
    ],
    "passwords": [{"user_id": 1, "hash": "hash1"}, {"user_id": 2, "hash": "hash2"}],
    "sessions": [{"session_id": "valid_session_123", "user_id": 1, "expires": "2099-12-31"}],
    "products": [],
    "orders": [],
    "customers": [],
    "employees": [],
    "secrets": [{"id": 1, "key": "secret_api_key", "value": "supersecret123"}],
}

STATE: dict[str, Any] = {"last_query": None, "last_params": None, "query_count": 0}
MORE: dict[str, Any] = {"queries": [], "last_error": None}

VERB = re.compile(
    r"(get|find|fetch|load|read|list|query|search|delete|remove|update|set|save|create|add|insert)"
    r"(?:_all)?_(\w+)\Z"
)
READING = {"get", "find", "fetch", "load", "read", "list", "query", "search"}


RowsByTable = dict[str, list[SqlRow]]
# Tables as a test got them, and as they were then.
Handed = tuple[RowsByTable, RowsByTable]


class MockDatabase(Observed):
    """A connection and a cursor at once, as programs use `db`."""

    def __init__(self, log: Log) -> None:
        self._observe(log, "db", {**STATE, **MORE})
        self._tables = Tables(CONTENT)
        self._rows = Rows()
        self._handed: Handed | None = None
        # A name that comes from an attack must not become a table or column: the statement is to fail.
        self._tables.foreign = lambda word: any(word in a for a in log.arguments())

    def reset(self) -> None:
        """Forget the queries, and restore the initial tables."""
        self._restart()
        self._tables.fill()
        self._handed, self._rows = None, Rows()

    # statements

    def execute(self, query: str, params: Any = None) -> Rows:
        """Run a statement (or several); its rows, which are a cursor as well."""
        # Before the statement runs: what SQLite refuses was asked all the same.
        self._note(last_query=query, last_params=params, last_error=None)
        self._note(query_count=self._read_internally("query_count") + 1)
        self._keep("queries", (query, params))
        log: Log = vars(self)["_log"]
        record_statement(log, "sql", str(query), SQL, params)
        if CHANGES.match(str(query)):
            log.event("stored", cut(query))
        self._take_back()
        try:
            rows = self._tables.run(str(query), params)
        # `sqlite3.Warning` is no `sqlite3.Error`: older Pythons raise it for several statements at once.
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            self._note(last_error=error)
            rows = Rows()
        self._rows = rows
        return rows

    def executemany(self, query: str, params: Any) -> Rows:
        """Run a statement once for each of `params`; what the last gave."""
        rows = Rows()
        for values in params:
            rows = self.execute(query, values)
        return rows

    def executescript(self, script: str) -> Rows:
        return self.execute(script)

    def fetchone(self) -> SqlRow | None:
        return self._rows.fetchone()

    def fetchall(self) -> list[SqlRow]:
        return self._rows.fetchall()

    def fetchmany(self, size: int = 1) -> list[SqlRow]:
        return self._rows.fetchmany(size)

    @property
    def rowcount(self) -> int:
        return self._rows.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._rows.lastrowid

    # a connection

    def cursor(self, *args: Any, **kwargs: Any) -> MockDatabase:
        return self

    def connection(self) -> MockDatabase:
        return self

    def commit(self) -> None:
        """All statements are committed at once."""

    def close(self) -> None:
        """Stays open for the next program."""

    def rollback(self) -> None:
        self.reset()

    def __enter__(self) -> MockDatabase:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    # tables, for tests

    @property
    def tables(self) -> dict[str, list[SqlRow]]:
        """Tables as lists of rows; changes to them count from the next statement on."""
        self._take_back()
        held = {name: self._tables.rows(name) for name in self._tables.names()}
        self._handed = (held, {name: [SqlRow(r) for r in rows] for name, rows in held.items()})
        return held

    def _take_back(self) -> None:
        if self._handed is None:
            return
        now, then = self._handed
        for name in now:
            if now[name] != then.get(name):
                self._tables.replace(name, now[name])
        self._handed = None

    def add_row(self, table: str, row: dict[str, Any]) -> None:
        self.tables.setdefault(table, []).append(SqlRow(row))
        self._take_back()

    def update_row(self, table: str, column: str, value: Any, updates: dict[str, Any]) -> int:
        """Change the rows whose column has the value; how many."""
        matching = [row for row in self.tables.get(table, []) if row.get(column) == value]
        for row in matching:
            row.update(updates)
        self._take_back()
        return len(matching)

    def delete_row(self, table: str, column: str, value: Any) -> int:
        """Delete the rows whose column has the value; how many."""
        rows = self.tables.get(table, [])
        remaining = [row for row in rows if row.get(column) != value]
        gone = len(rows) - len(remaining)
        rows[:] = remaining
        self._take_back()
        return gone

    def clear_table(self, table: str) -> None:
        self.tables.get(table, []).clear()
        self._take_back()

    def get_table(self, table: str) -> list[SqlRow]:
        return self.tables.get(table, [])

    def get_row(self, table: str, column: str, value: Any) -> SqlRow | None:
        return next((row for row in self.get_table(table) if row.get(column) == value), None)

    def get_user(self, username: Any) -> SqlRow | None:
        users = self.get_table("users")
        return next((r for r in users if username in (r.get("username"), r.get("name"))), None)

    def table_exists(self, table: str) -> bool:
        return table in self._tables.names()

    def count_rows(self, table: str) -> int:
        return len(self.get_table(table))

    # other methods that programs expect of a data layer: get_resource(7), delete_user(7), ...

    def __getattr__(self, name: str) -> Any:
        named = VERB.match(name)
        if named is None or name in vars(self).get("_state", {}):
            return super().__getattr__(name)
        return functools.partial(self._ask, named[1], named[2])

    def _ask(self, verb: str, noun: str, key: Any = None, *values: Any, **fields: Any) -> Any:
        table = noun.partition("_by_")[0]
        if table not in self._tables.names():
            table = table if table.endswith("s") else f"{table}s"
        if verb in READING:
            return self._read(table, noun, key)
        vars(self)["_log"].event("stored", cut(f"{verb} {noun} {key!r}"))
        if verb in {"delete", "remove"}:
            return bool(self.delete_row(table, "id", key))
        if verb in {"update", "set", "save"} and key is not None:
            values_of = fields or _fields(noun, values)
            held = (table, "users")  # set_password(7, ...) is about a user
            return any(self.update_row(name, "id", key, values_of) for name in held)
        self.add_row(table, fields or (key if isinstance(key, dict) else {"value": str(key)}))
        return True

    def _read(self, table: str, noun: str, key: Any) -> Any:
        rows = self.get_table(table)
        if key is None or noun.endswith("s"):
            return rows
        matching = next((row for row in rows if str(row.get("id")) == str(key)), None)
        # A record for every id, which belongs to user 1: a program's check of the owner has something to
        # refuse.
        return matching or SqlRow(id=key, owner_id=1, user_id=1)


def _fields(noun: str, values: tuple[Any, ...]) -> dict[str, Any]:
    if len(values) == 1 and isinstance(values[0], dict):
        return values[0]
    return {noun: str(values[0])} if values else {}


def real_sqlite(log: Log) -> ModuleType:
    """sqlite3 itself, whose cursors record their statements; connections run statements through cursors."""

    def record(sql: object, parameters: Any) -> None:
        record_statement(log, "sql", str(sql), SQL, parameters)
        if CHANGES.match(str(sql)):
            log.event("stored", cut(sql))

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            record(sql, parameters)
            return super().execute(sql, parameters)

        def executemany(self, sql: str, parameters: Any, /) -> Any:
            record(sql, ())
            return super().executemany(sql, parameters)

        def executescript(self, sql_script: str, /) -> Any:
            record(sql_script, ())
            return super().executescript(sql_script)

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            return self.cursor().execute(sql, parameters)

        def executemany(self, sql: str, parameters: Any, /) -> Any:
            return self.cursor().executemany(sql, parameters)

        def executescript(self, sql_script: str, /) -> Any:
            return self.cursor().executescript(sql_script)

    module = ModuleType("sqlite3", sqlite3.__doc__)
    vars(module).update(vars(sqlite3))
    vars(module).update(connect=_connecting(Connection), Connection=Connection, Cursor=Cursor)
    return module


def _connecting(connection: type[sqlite3.Connection]) -> Callable[..., Any]:
    @functools.wraps(sqlite3.connect)
    def connect(database: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) < 5:  # the sixth positional parameter is the factory
            kwargs.setdefault("factory", connection)
        return sqlite3.connect(database, *args, **kwargs)

    return connect


# The database of this process under the name `db`: other mocks run their statements in it.
SHARED: dict[str, MockDatabase] = {}


def PLUGIN(log: Log) -> Supplied:
    """`db` under its names, and `sqlite3`."""
    database = SHARED["db"] = MockDatabase(log)
    module = real_sqlite(log)
    return Supplied(
        modules={"sqlite3": module},
        names=dict.fromkeys(("db", "database", "mock_db"), database),
    )


_F = "def find(name):\n    return db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\n"
_P = 'def find(name):\n    return db.execute("SELECT * FROM users WHERE name = ?", (name,))\n'
_S = (
    "import sqlite3\ndef find(name):\n    c = sqlite3.connect(':memory:')\n"
    "    c.execute('CREATE TABLE t (n)')\n    c.execute('INSERT INTO t VALUES (1)')\n"
    "    return len(c.cursor().execute(f\"SELECT * FROM t WHERE n = '{name}'\").fetchall())\n"
)
_A = "\"x' OR '1'='1\""
EXAMPLES = (
    MockExample(_F, f"len(find({_A}))", ("sql.interpolated", "sql.injected"), result=3),
    MockExample(_F, "len(find('alice'))", ("sql.interpolated",), ("sql.injected",), result=1),
    MockExample(
        _P,
        f"len(find({_A}))",
        absent=("sql.interpolated", "sql.injected"),
        state={"db.last_params": ("x' OR '1'='1",), "db.query_count": 1},
        result=0,
    ),
    MockExample(_S, f"find({_A})", ("sql.injected", "stored"), result=1),
)
