"""Where a store's artefacts are: decided when the store is created, and recorded in it."""

from __future__ import annotations

import os
from pathlib import Path

from arena.store.artefacts import local_folder, shown_url
from arena.store.database import Database, insert_into
from arena.store.faults import StoreUnusable
from arena.store.location import StoreLocation
from arena.store.tables import NoteRow

_NAME = "artefacts"
# The database is a file, and the artefacts are in a folder next to it, wherever both are moved.
_BESIDE = "beside"


def artefacts_url(database: Database, location: StoreLocation) -> str:
    """The URL of the artefacts of a store; at first use that of `$ARENA_ARTEFACTS`, else of a folder.

    Raises StoreUnusable when the variable names a different URL now, or when a folder is missing or
    cannot be created.
    """
    local_url = (location.folder / "artefacts").as_uri()
    wanted_url = _url(os.environ.get("ARENA_ARTEFACTS", ""))
    with database.reading() as session:
        note = session.get(NoteRow, _NAME)
    recorded = note.value if note else _record(database, location, wanted_url)
    url = local_url if recorded == _BESIDE else recorded
    # Artefacts at two places would be half a store at each.
    if wanted_url and wanted_url != url:
        raise StoreUnusable(
            f"{location.display}: its artefacts are at {shown_url(url)}, not at {shown_url(wanted_url)} "
            "(ARENA_ARTEFACTS)"
        )
    if url.startswith("file://"):
        folder = local_folder(url)
        if recorded == _BESIDE:
            _make(folder, location)
        elif not folder.is_dir():
            raise StoreUnusable(
                f"{location.display}: its artefacts are at {shown_url(url)}, which is not here"
            )
    return url


def _url(text: str) -> str:
    """A URL without a slash at its end; a folder becomes a file URL."""
    if text and "://" not in text:
        return Path(text).absolute().as_uri()
    return text.rstrip("/")


def _record(database: Database, location: StoreLocation, wanted_url: str) -> str:
    """Record the URL unless another process just did; returns the recorded value.

    A folder is created first, so that it exists for whoever reads the note.
    """
    folder = location.folder / "artefacts"
    value = wanted_url or (_BESIDE if location.is_file else folder.as_uri())
    if value.startswith("file://"):
        _make(local_folder(value), location)
    with database.writing() as session:
        row = insert_into(session, NoteRow).values(name=_NAME, value=value)
        # The first process decides; whoever loses the race reads its value below.
        session.execute(row.on_conflict_do_nothing())
    with database.reading() as session:
        return session.get_one(NoteRow, _NAME).value


def _make(folder: Path, location: StoreLocation) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnusable(
            f"{location.display}: no folder for artefacts at {folder}: {error.strerror}"
        ) from error
