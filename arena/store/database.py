"""The database of a store: connections that survive what happens to it, and sessions that read or write."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session, sessionmaker

from arena.store.faults import faults_as_store_errors
from arena.store.location import StoreLocation

_POOL = {"pool_size": 2, "max_overflow": 30, "pool_timeout": 30}
# For libpq: a server whose machine vanished is given up within half a minute.
ALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

_PAUSE = 0.02

_open: weakref.WeakSet[Engine] = weakref.WeakSet()


class Database:
    """Sessions on a database. patience: seconds to wait for a lock, or for a server to answer."""

    def __init__(self, location: StoreLocation, patience: float) -> None:
        self.display = location.display
        self.engine = (
            _file_engine(location, patience) if location.is_file else _server(location, patience)
        )
        _open.add(self.engine)
        # Rows are used after their session has ended; expired ones would be read again, on a closed session.
        self._read = sessionmaker(self.engine, expire_on_commit=False)
        writing = self.engine.execution_options(writing=True)
        self._write = sessionmaker(writing, expire_on_commit=False)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that reads a consistent snapshot. Raises StoreBusy."""
        with faults_as_store_errors(self.display), self._read() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that is a single transaction, with SQLite's write lock from its start.

        Raises StoreBusy, and OSError (ENOSPC) on a full disk.
        """
        with faults_as_store_errors(self.display), self._write.begin() as session:
            yield session


def insert_into(session: Session, table: Any) -> sqlite.Insert:
    """An INSERT with `on_conflict_...` in the words of the session's database."""
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # half as long to import as all of sqlite's way

    return cast(sqlite.Insert, postgresql.insert(table))  # both have the same methods


def _file_engine(location: StoreLocation, patience: float) -> Engine:
    arguments = {"timeout": patience}
    engine = create_engine(location.database, connect_args=arguments, **_JSON, **_POOL)
    event.listen(engine, "connect", lambda connection, _: _durable(connection, patience))
    event.listen(engine, "begin", _begin)
    return engine


def _server(location: StoreLocation, patience: float) -> Engine:
    # libpq takes whole seconds, and before version 17 no fewer than 2.
    arguments = {"connect_timeout": max(2, round(patience)), **ALIVE}
    engine = create_engine(
        location.database,
        connect_args=arguments,
        # A server that restarted has closed pooled connections: the ping replaces them before a statement
        # fails.
        pool_pre_ping=True,
        pool_recycle=1800,
        **_JSON,
        **_POOL,
    )
    event.listen(engine, "connect", lambda connection, _: _bound_lock_wait(connection, patience))
    return engine


def _bound_lock_wait(connection: Any, patience: float) -> None:
    """Limit the wait for a lock that another session holds to `patience` seconds, as with SQLite."""
    connection.execute(f"SET lock_timeout = {max(1, round(1000 * patience))}")
    connection.commit()  # or the first rollback would take it back


def _durable(connection: Any, patience: float) -> None:
    """Use a write-ahead log, so that readers never wait for the writer and a kill leaves whole commits.

    Transactions start in `_begin`: sqlite3's default would leave changes of tables outside of them.
    """
    connection.isolation_level = None
    cursor = connection.cursor()
    _write_ahead(cursor, time.monotonic() + patience)
    # With a write-ahead log a power failure loses the last commits at most and never damages the file; FULL
    # would wait for the disk at every commit.
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()


def _write_ahead(cursor: Any, latest: float) -> None:
    """Switch to the write-ahead log, with retries: SQLite refuses concurrent openers without a wait."""
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() >= latest:
                raise
            time.sleep(_PAUSE)


def _begin(connection: Connection) -> None:
    """Begin a transaction; a writer takes the lock first.

    SQLite refuses the lock without a wait to a transaction that has already read.

    """
    writing = connection.get_execution_options().get("writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


_ENCODED = json.JSONEncoder(allow_nan=False).encode


def _dumps(value: Any) -> str:
    """JSON that PostgreSQL takes too: numbers that are none are written as words, which float() reads."""
    try:
        return _ENCODED(value)
    except ValueError:
        return json.dumps(_spell_non_finite(value))


def _spell_non_finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _spell_non_finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_spell_non_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _loads(text: str) -> Any:
    """Parse JSON; the frequent empty list takes a short cut."""
    return [] if text == "[]" else json.loads(text)


_JSON = {"json_serializer": _dumps, "json_deserializer": _loads}


def _forget_connections() -> None:
    """A process that was forked must not speak on its parent's connections."""
    for engine in list(_open):
        # `close=False`, because the parent still speaks on these sockets.
        engine.dispose(close=False)


os.register_at_fork(after_in_child=_forget_connections)
