"""Copies all runs of a store into a second store, such as from SQLite into PostgreSQL."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.exchange.formats.run import write
from arena.exchange.importing import import_run
from arena.exchange.source import Source

if TYPE_CHECKING:
    from arena.store.store import Store


@dataclass(frozen=True)
class CopiedRun:
    """is_new: False where the target had the same run already."""

    run: str
    attempts: int
    is_new: bool


def copy_runs(source: Store, target: Store) -> Iterator[CopiedRun]:
    """Copy each run, the oldest first, as `export --to run` and `import` do: checked, whole or not at all.

    What is there already is left as it is, so that a copy that was interrupted goes on. Raises ImportRefused
    where the target has a different run of that id, ValueError where both are the same store, and OSError.
    """
    if source.url == target.url:
        raise ValueError(f"{source.display}: is the store to copy into")
    with tempfile.TemporaryDirectory(prefix="arena-copy-") as scratch:
        file = Path(scratch, "run.arena.zip")
        for run in reversed(source.runs()):
            write(Source.open(source, run.id, (), False), file, lambda text: None)
            name, attempts, is_new = import_run(target, file)
            file.unlink()
            yield CopiedRun(name, attempts, is_new)
