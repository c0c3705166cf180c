"""The store that a user names, looked for before a database library is imported for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.store.store import Store


def known_store(location: str) -> Store:
    """The store that `--store` names, for a command that only reads. Raises ValueError for none.

    SQLAlchemy alone takes half a second of a processor, which a misspelt folder need not cost.
    """
    if location and "://" not in location and not Path(location, "arena.sqlite").is_file():
        raise ValueError(f"--store: {location}: no store is there")
    from arena.store.store import Store

    return Store(location or None)
