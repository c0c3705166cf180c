"""Where a store is: a folder with an SQLite database, or the URL of a database."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from arena.store.faults import StoreUnusable

SQLITE = "sqlite:///"
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")
_DATABASE = "arena.sqlite"


def home() -> Path:
    """The folder of this machine's store: `$ARENA_HOME`, else (also where that is empty) `.arena` here."""
    return Path(os.environ.get("ARENA_HOME") or ".arena").resolve()


@dataclass(frozen=True)
class StoreLocation:
    """database: for SQLAlchemy. folder: for files, reports and locks on this machine.

    url opens the same store in another process, with its password; display is for people.
    """

    database: URL
    folder: Path
    url: str
    display: str

    @property
    def is_file(self) -> bool:
        return self.database.get_backend_name() == "sqlite"


def location_of(name: Path | str | None) -> StoreLocation:
    """The location that a folder or a URL names; None: `$ARENA_STORE`, else `home()`.

    Raises StoreUnusable for a URL that is none, or of another kind of database.
    """
    name = name or os.environ.get("ARENA_STORE") or home()
    if isinstance(name, Path) or "://" not in name:
        return _file(Path(name).absolute() / _DATABASE)
    if name.startswith("sqlite:"):
        return _named_file(name)
    try:
        url = make_url(name)
    except (ArgumentError, ValueError) as error:
        raise StoreUnusable("the URL of the store cannot be read") from error
    if url.drivername not in _POSTGRES:
        raise StoreUnusable(
            f"a store at {url.drivername}:// is not known; known: a folder, sqlite:///FILE, "
            "postgresql://USER@HOST/DATABASE"
        )
    url = url.set(drivername="postgresql+psycopg")
    full = url.render_as_string(hide_password=False)
    people = url.set(drivername="postgresql")._replace(password=None)
    # A password may also stand among the parameters of the URL.
    people = people.difference_update_query(["password", "sslpassword"])
    return StoreLocation(url, home(), full, people.render_as_string())


def _named_file(url: str) -> StoreLocation:
    # As bytes, because a folder's name need not be UTF-8.
    name = os.fsdecode(unquote_to_bytes(url.removeprefix(SQLITE)))
    if not url.startswith(SQLITE) or not name or name == ":memory:":
        raise StoreUnusable(f"{url}: a store in SQLite is named by its file: sqlite:///FILE")
    path = Path(name).absolute()
    return _file(path / _DATABASE if path.is_dir() else path)


def _file(path: Path) -> StoreLocation:
    shown = str(path.parent if path.name == _DATABASE else path)
    url = SQLITE + quote(os.fsencode(path))
    return StoreLocation(URL.create("sqlite", database=str(path)), path.parent, url, shown)
