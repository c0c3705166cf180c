"""The version of a store's tables: they are created, upgraded or refused."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, select, text
from sqlalchemy.exc import DBAPIError

from arena.store.faults import StoreUnusable, cause_of, passing
from arena.store.location import StoreLocation
from arena.store.tables import Base

# All versions of the tables, oldest first; the scripts in `migrations/versions` have the same names.
REVISIONS = ("0001", "0002", "0003", "0004", "0005")

HEAD = REVISIONS[-1]
_LOCK = 0x41_52_45_4E_41  # any number that other programs of the same database do not use
_VERSION = "alembic_version"
_VERSION_QUERY = f"SELECT version_num FROM {_VERSION}"  # noqa: S608 - no foreign words
_VERSION_TABLE = (
    f"CREATE TABLE {_VERSION} (version_num VARCHAR(32) NOT NULL,"
    f" CONSTRAINT {_VERSION}_pkc PRIMARY KEY (version_num))"
)


def prepare(engine: Engine, location: StoreLocation) -> None:
    """Create the tables of a new store, or upgrade those of an older store, with its data.

    Of processes that open a store at once, only the first does it. Raises StoreUnusable for a store of a
    newer version, and for a store whose tables are not as expected.
    """
    with engine.connect() as connection:
        version = _version(connection)
    if version != HEAD:
        with _exclusive_transaction(engine, location) as connection:
            _bring_up(connection, location.display)
    with engine.connect() as connection:
        _expect_columns(connection, location.display)


def _version(connection: Connection) -> str:
    """The version of the tables; "" for a new store."""
    present = inspect(connection)
    if present.has_table(_VERSION):
        return str(connection.scalar(text(_VERSION_QUERY)) or "")
    return REVISIONS[0] if present.has_table("runs") else ""


@contextmanager
def _exclusive_transaction(engine: Engine, location: StoreLocation) -> Iterator[Connection]:
    """A transaction that excludes every process that would do the same; all of it takes effect or nothing."""
    if not location.is_file:
        with engine.begin() as connection:
            connection.execute(text("SET LOCAL lock_timeout = 0"))  # a large store takes its time
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            yield connection
        return
    with (
        Path(location.folder / "setup.lock").open("w") as lock_file,
        engine.execution_options(writing=True).connect() as connection,
    ):
        # SQLite's own lock is waited for `patience` seconds only, and the upgrade of a large store may take
        # longer.
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        with connection.begin():
            yield connection


def _bring_up(connection: Connection, shown: str) -> None:
    version = _version(connection)  # another process may have done it meanwhile
    if version == HEAD:
        return
    if version and version not in REVISIONS:
        raise StoreUnusable(
            f"{shown}: made by a newer version of arena (tables {version[:32]!r}, known here: up to {HEAD}); "
            "use that version, or another store"
        )
    if version:
        _upgrade(connection, shown)
        return
    Base.metadata.create_all(connection)
    connection.execute(text(_VERSION_TABLE))
    _stamp(connection, HEAD)


def _upgrade(connection: Connection, shown: str) -> None:
    try:
        upgrade(connection)
    except DBAPIError as error:
        if passing(error) and "no such" not in cause_of(error):
            raise
        raise StoreUnusable(
            f"{shown}: made by another version, and cannot be brought up to date ({cause_of(error)}); "
            "move it away, or name another store"
        ) from error


def upgrade(connection: Connection) -> None:
    """Run the steps that are missing, in the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    if not inspect(connection).has_table(_VERSION):
        connection.execute(text(_VERSION_TABLE))
        _stamp(connection, REVISIONS[0])
    config = Config()
    folder = str(Path(__file__).parent / "migrations")
    # Alembic interpolates its options: a percent sign in a path is doubled.
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _stamp(connection: Connection, version: str) -> None:
    connection.execute(text(f"INSERT INTO {_VERSION} VALUES (:version)"), {"version": version})  # noqa: S608


def _expect_columns(connection: Connection, shown: str) -> None:
    """Raise StoreUnusable for tables that something else changed, before anything is spent on them."""
    for name, table in Base.metadata.tables.items():
        try:
            connection.execute(select(table).limit(0))
        except DBAPIError as error:
            connection.rollback()
            present = inspect(connection)
            columns = present.get_columns(name) if present.has_table(name) else []
            missing = set(table.columns.keys()) - {column["name"] for column in columns}
            if not missing:
                raise
            raise StoreUnusable(
                f"{shown}: made by another version (no column {name}.{min(missing)}); "
                "move it away, or name another folder in ARENA_HOME"
            ) from error
