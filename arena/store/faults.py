"""Faults of a store, each a line of text, and the translation of database errors to them."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout


class StoreUnusable(Exception):
    """The location cannot be used as a store; the message says which and why."""


class StoreDamaged(Exception):
    """The file of the database is damaged: only a copy of it helps."""


class ArtefactMissing(KeyError):
    """The store lacks an artefact that an attempt names."""

    def __str__(self) -> str:
        return f"the store lacks artefact {self.args[0]}: take it from a copy of the store"


class ArtefactDamaged(OSError):
    """The file of an artefact does not hold what its name says."""


class StoreBusy(Exception):
    """The database is locked, down or unreachable just now: the same may go well later."""


class DiskFull(StoreBusy, OSError):
    """The disk of the store is full: the same may go well once there is space."""

    def __init__(self, message: str) -> None:
        super().__init__(errno.ENOSPC, message)

    def __str__(self) -> str:
        return f"the disk of the store is full ({self.strerror})"


class UnknownRun(LookupError):
    """No run or attempt of that name; the message lists the latest."""


class RunBusy(ValueError):
    """Another driver is at work on the run."""


# Seconds for which results wait for space on a full disk, as for a database that is away: some were paid.
DISK_PATIENCE_S = 900.0
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_SQLITE_FULL = "SQLITE_FULL"
_SQLITE_DAMAGED = "SQLITE_CORRUPT"
_SQLITE_PASSING = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_PROTOCOL",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
)
_POSTGRES_FULL = "53100"
# In what PostgreSQL says when it is there but takes no connection now; its other refusals stay.
_PASSING_FATAL = ("starting up", "shutting down", "recovery", "too many", "remaining connection")


def cause_of(error: Exception) -> str:
    """The first line of the database's message: never the statement with its parameters."""
    # SQLAlchemy's own text shows the parameters, which may be secrets or whole solutions.
    message = str(error.orig if isinstance(error, DBAPIError) else error)
    return message.strip().partition("\n")[0] or type(error).__name__


def is_refused(error: Exception) -> bool:
    """Whether a server was there and refused for good (password, unknown database)."""
    message = str(error.orig) if isinstance(error, DBAPIError) else ""
    return "FATAL" in message and not any(part in message for part in _PASSING_FATAL)


def passing(error: DBAPIError | PoolTimeout) -> bool:
    """Whether the error says that the database is locked or down, and not that the question was wrong."""
    # Raised by SQLAlchemy itself, so it wraps no error of a database.
    if isinstance(error, PoolTimeout):
        return True
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return str(name).startswith(_SQLITE_PASSING)
    return error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)


def full(error: Exception) -> bool:
    """Whether the disk of the database is full."""
    cause = getattr(error, "orig", None)
    name = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None)
    return name in {_SQLITE_FULL, _POSTGRES_FULL}


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a store could not write for want of space, in the database or among the artefacts."""
    return isinstance(error, OSError) and error.errno in _NO_SPACE


def as_disk_full(error: BaseException) -> BaseException:
    """A fault of a full disk as DiskFull; the rest unchanged."""
    if isinstance(error, OSError) and not isinstance(error, DiskFull) and is_disk_full(error):
        reason = error.strerror or "no space"
        return DiskFull(f"{error.filename}: {reason}" if error.filename else reason)
    return error


def is_damaged(error: Exception) -> bool:
    """Whether SQLite says that its file is damaged."""
    name = getattr(getattr(error, "orig", None), "sqlite_errorname", None)
    return str(name).startswith(_SQLITE_DAMAGED)


def damaged_store(shown: str, error: Exception) -> StoreDamaged:
    """The exception for a damaged store, with what to do about it."""
    return StoreDamaged(
        f"{shown}: the store is damaged ({cause_of(error)}): restore a copy, see docs/store.md#backup"
    )


@contextmanager
def faults_as_store_errors(shown: str) -> Iterator[None]:
    """Raise StoreBusy, DiskFull or StoreDamaged for what the database cannot do; others pass."""
    try:
        yield
    except (
        UnicodeDecodeError,
        json.JSONDecodeError,
    ) as error:  # what it returns is not what was written
        raise damaged_store(shown, error) from error
    except (DBAPIError, PoolTimeout) as error:
        # First: PostgreSQL reports a full disk as an OperationalError, which `passing` takes for an outage.
        if full(error):
            raise DiskFull(f"{shown}: {cause_of(error)}") from error
        if is_damaged(error):
            raise damaged_store(shown, error) from error
        if passing(error):
            raise StoreBusy(
                f"{shown}: the database cannot be used now: {cause_of(error)}"
            ) from error
        raise
