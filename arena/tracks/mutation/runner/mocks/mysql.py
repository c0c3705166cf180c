"""`mysql.connector` over the database `db`: no server, real statements, the library's exceptions."""

from __future__ import annotations

import hashlib
import sqlite3
from types import ModuleType
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import ObservedModule, cut, observed_module
from arena.tracks.mutation.runner.mocks._sql import Rows, SqlRow
from arena.tracks.mutation.runner.mocks.database import SHARED

STATE: dict[str, Any] = {
    "last_host": None,
    "last_user": None,
    "last_password": None,
    "last_database": None,
    "connect_called": False,
}


class _OwnError(Exception):
    """Stands for `mysql.connector.Error` where the library is not installed."""


def real_connector() -> ModuleType:
    """The library, or a module with the same names of exceptions."""
    try:
        import mysql.connector as real  # no part of what this project needs
    except ImportError:
        module = ModuleType("mysql.connector", "stands for the library, which is not installed")
        vars(module)["Error"] = _OwnError
        for name in ("DatabaseError", "InterfaceError"):
            vars(module)[name] = type(name, (_OwnError,), {})
        for name in ("ProgrammingError", "IntegrityError", "OperationalError", "DataError"):
            vars(module)[name] = type(name, (vars(module)["DatabaseError"],), {})
        return module
    return real


class MysqlCursor:
    """A cursor as in PEP 249; rows are tuples, or dicts with `dictionary=True`, as the library's."""

    def __init__(self, connector: ModuleType, dictionary: bool = False) -> None:
        self._connector, self._dictionary, self._rows = connector, dictionary, Rows()
        self.statement: str | None = None

    def execute(self, operation: str, params: Any = (), multi: bool = False) -> None:
        """Run a statement. Raises mysql.connector.ProgrammingError where SQLite refuses it."""
        self.statement = operation
        database = SHARED["db"]
        self._rows = database.execute(operation, params or None)
        error = vars(database)["_state"]["last_error"]
        if isinstance(error, sqlite3.Error | sqlite3.Warning):
            raise self._connector.ProgrammingError(str(error)) from error

    def executemany(self, operation: str, seq_params: Any) -> None:
        for params in seq_params:
            self.execute(operation, params)

    def _to_row(self, row: SqlRow) -> Any:
        return dict(row) if self._dictionary else tuple(row.values())

    def fetchone(self) -> Any:
        row = self._rows.fetchone()
        return None if row is None else self._to_row(row)

    def fetchall(self) -> list[Any]:
        return [self._to_row(row) for row in self._rows.fetchall()]

    def fetchmany(self, size: int = 1) -> list[Any]:
        return [self._to_row(row) for row in self._rows.fetchmany(size)]

    def __iter__(self) -> Any:
        return iter(self.fetchall())

    @property
    def rowcount(self) -> int:
        return len(self._rows) if self._rows else self._rows.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self._rows.lastrowid

    @property
    def description(self) -> Any:
        return self._rows.description

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column[0] for column in self.description or ())

    def close(self) -> bool:
        return True

    def __enter__(self) -> MysqlCursor:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class MysqlConnection:
    """An open connection; `host`, `user`, `password` and `database` are those of its arguments."""

    def __init__(self, connector: ModuleType, options: dict[str, Any]) -> None:
        self._connector, self.connected, self.autocommit = connector, True, False
        self.host, self.user = options.get("host"), options.get("user")
        self.password, self.database = options.get("password"), options.get("database")

    def cursor(self, *args: Any, dictionary: bool | None = None, **kwargs: Any) -> MysqlCursor:
        return MysqlCursor(self._connector, bool(dictionary))

    def is_connected(self) -> bool:
        return self.connected

    def ping(self, *args: Any, **kwargs: Any) -> None:
        self.connected = True

    def commit(self) -> None:
        """All statements are committed at once."""

    def rollback(self) -> None:
        """All statements are committed at once."""

    def start_transaction(self, *args: Any, **kwargs: Any) -> None:
        """All statements are committed at once."""

    def close(self) -> None:
        self.connected = False

    disconnect = close

    def __enter__(self) -> MysqlConnection:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def record_credential(log: Log, parameter: str, value: object) -> None:
    """Record a credential by its digest, so that two runs can be compared and none is shown."""
    if value:
        digest = hashlib.sha256(str(value).encode("utf-8", "replace")).hexdigest()
        log.event("credential.used", cut(f"{parameter} {digest}"))


def connector(log: Log, real: ModuleType) -> ObservedModule:
    """`mysql.connector` whose `connect` opens no connection."""

    def connect(*args: Any, **kwargs: Any) -> MysqlConnection:
        options = dict(zip(("host", "user", "password", "database"), args, strict=False)) | kwargs
        # `passwd` and `db` are the names of MySQLdb, which the library takes too.
        options.setdefault("password", kwargs.get("passwd"))
        options.setdefault("database", kwargs.get("db"))
        module._note(connect_called=True)
        for name in ("host", "user", "password", "database"):
            module._note(**{f"last_{name}": options.get(name)})
        record_credential(log, "password", options.get("password"))
        return MysqlConnection(module, options)

    module = observed_module(real, log, "mysql", STATE, connect=connect)
    return module


def PLUGIN(log: Log) -> Supplied:
    """`mysql` (with `connect`, as SecMutBench's programs use it) and `mysql.connector`."""
    inner = connector(log, real_connector())
    outer = ModuleType("mysql", "holds mysql.connector")
    vars(outer).update(
        __path__=[], connector=inner, connect=inner.connect, reset=inner.reset, Error=inner.Error
    )
    return Supplied(modules={"mysql": outer, "mysql.connector": inner}, names={"mysql": outer})


_C = (
    "import mysql.connector\ndef find(name):\n    c = mysql.connector.connect(password='p')\n"
    "    k = c.cursor()\n    k.execute('SELECT id FROM users WHERE name = %s', (name,))\n"
    "    return k.fetchall()\n"
)
EXAMPLES = (
    MockExample(
        _C,
        "find('bob')",
        ("credential.used",),
        ("sql.injected",),
        {"mysql.connector.last_password": "p", "db.last_params": ("bob",)},
        [(2,)],
    ),
    MockExample(
        "def f(x):\n    return mysql.connect().cursor().execute(x)\n",
        "f('SELECT nonsense FROM')",
        raises="ProgrammingError",
    ),
)
