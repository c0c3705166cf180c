"""The lock that admits a single driver per run: it ends with the process that holds it, and uses no clock."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import quote

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from arena.store.database import ALIVE
from arena.store.faults import RunBusy, faults_as_store_errors

# Somebody who only asks whether a run is driven holds its lock for an instant.
_TRIES, _PAUSE = 3, 0.02
# Looks at whether the server has ended an old session.
_ENDINGS = 100

# The server gives up a driver whose machine vanished after a minute.
_KEEP_ALIVE = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)

_HOLDERS = (
    "FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND classid::bigint = :high AND objid::bigint = :low"
)
_TRY = text("SELECT pg_try_advisory_lock(:key)")
_UNLOCK = text("SELECT pg_advisory_unlock_all()")
_DRIVEN = text(f"SELECT count(*) {_HOLDERS}")
_ITSELF = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
# For a session of one's own that the server has not given up, though its connection is gone.
_END_OLD = text(
    f"SELECT count(pg_terminate_backend(pid)) {_HOLDERS} AND pid = :pid AND :began ="  # noqa: S608
    " (SELECT backend_start FROM pg_stat_activity AS known WHERE known.pid = pg_locks.pid)"
)

# Descriptors of the locks that this process holds.
_held: set[int] = set()


class Lease(Protocol):
    """The exclusive right of a driver to a run."""

    def renew(self) -> None:
        """Take it again if the server of the database was away. Raises RunBusy, StoreBusy."""
        ...


def _forget_locks() -> None:
    """A process that was forked must not hold its parent's locks when the parent is gone."""
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


# A lock of flock belongs to the open file, which a child shares with its parent.
os.register_at_fork(after_in_child=_forget_locks)


def _busy(run: str) -> RunBusy:
    return RunBusy(
        f"run {run}: another driver is at work on it; stop that one with: arena sweep stop {run}"
    )


class FileLeases:
    """Locks of files (flock) in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "leases"

    @contextlib.contextmanager
    def hold(self, run: str) -> Iterator[Lease]:
        with self._file(run) as lock_file:
            for _ in range(_TRIES):
                if _try_lock(lock_file):
                    break
                time.sleep(_PAUSE)
            else:
                raise _busy(run)
            _held.add(lock_file.fileno())
            try:
                yield _Lasting()
            finally:
                _held.discard(lock_file.fileno())

    def has_driver(self, run: str) -> bool:
        if not self._path(run).exists():
            return False
        with self._file(run) as lease_file:
            # two that ask at once do not take each other for a driver
            return not _try_lock(lease_file, fcntl.LOCK_SH)

    def _path(self, run: str) -> Path:
        return self._folder / f"{quote(run, safe='')}.lock"

    def _file(self, run: str) -> IO[str]:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._path(run).open("w")


class _Lasting:
    """A lock of a file is held until the file is closed."""

    def renew(self) -> None:
        return


def _try_lock(lock_file: IO[str], operation: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(lock_file, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class ServerLeases:
    """Advisory locks of PostgreSQL, each on a separate connection."""

    def __init__(self, engine: Engine, shown: str) -> None:
        self._engine, self._shown = engine, shown

    @contextlib.contextmanager
    def hold(self, run: str) -> Iterator[Lease]:
        lease = _Session(self._engine, self._shown, run)
        try:
            lease.renew()
            yield lease
        finally:
            lease.end()

    def has_driver(self, run: str) -> bool:
        with faults_as_store_errors(self._shown), self._engine.connect() as connection:
            return bool(connection.scalar(_DRIVEN, _parts(run)))


class _Session:
    """A connection that holds the lock of a run as long as it lives."""

    def __init__(self, engine: Engine, shown: str, run: str) -> None:
        self._engine, self._shown, self._run = engine, shown, run
        self._connection: Connection | None = None
        self._descriptor = -1
        # What the server calls the session that last held the lock.
        self._session: dict[str, Any] = {"pid": 0, "began": None}

    def renew(self) -> None:
        if self._connection is not None and self._alive(self._connection):
            return
        self.end()
        with faults_as_store_errors(self._shown):
            # Outside of the pool: the lock lives as long as its session, and the pool would hand that on.
            connection = _open_connection(self._engine)
            if not self._try_take(connection):
                connection.close()
                raise _busy(self._run)
            pid, began = connection.execute(_ITSELF).one()
            self._session = {"pid": pid, "began": began}
        self._connection = connection
        self._descriptor = connection.connection.driver_connection.fileno()  # type: ignore[union-attr]
        _held.add(self._descriptor)

    def _try_take(self, connection: Connection) -> bool:
        for _ in range(_ENDINGS):
            if connection.scalar(_TRY, {"key": _key(self._run)}):
                return True
            # Nothing was ended, so the lock is held by somebody else.
            if not connection.scalar(_END_OLD, _parts(self._run) | self._session):
                return False
            time.sleep(_PAUSE)
        return False

    def _alive(self, connection: Connection) -> bool:
        try:
            connection.execute(text("SELECT 1"))
        except DBAPIError:
            return False
        return True

    def end(self) -> None:
        _held.discard(self._descriptor)
        if self._connection is not None:
            with contextlib.suppress(DBAPIError):  # it is gone, and the lock with it
                if not self._connection.invalidated:  # or the server keeps it for a moment longer
                    self._connection.execute(_UNLOCK)
                self._connection.close()
        self._connection = None


def _open_connection(engine: Engine) -> Connection:
    """A connection outside of the pool, which is really closed when it is closed."""
    from sqlalchemy import create_engine

    new_engine = create_engine(
        engine.url,
        poolclass=NullPool,
        connect_args={"connect_timeout": 10, **ALIVE},
        # An open transaction would keep the server from cleaning up old rows for as long as the run lasts.
        isolation_level="AUTOCOMMIT",
    )
    connection = new_engine.connect()
    connection.exec_driver_sql(_KEEP_ALIVE)
    return connection


def _key(run: str) -> int:
    """A signed number of 64 bits."""
    # PostgreSQL's advisory locks are numbers: 64 bits of a digest, which other programs of the database do
    # not hit.
    digest = hashlib.sha256(f"arena run {run}".encode("utf-8", "backslashreplace")).digest()
    # PostgreSQL's advisory locks are numbered by a bigint.
    return int.from_bytes(digest[:8], "big", signed=True)


def _parts(run: str) -> dict[str, int]:
    """The same number as `pg_locks` shows it."""
    key = _key(run) % (1 << 64)
    return {"high": key >> 32, "low": key & 0xFFFFFFFF}
