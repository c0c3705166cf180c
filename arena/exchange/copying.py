"""Copies all runs of a store into a second store, such as in PostgreSQL, and facts into an empty store."""

from __future__ import annotations

import json
import re
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


FACTS_PER_READ = 500
DIGEST = re.compile(r'"([0-9a-f]{64})"')


@dataclass(frozen=True)
class CopiedRun:
    """is_new: False where the target had the same run already."""

    run: str
    attempts: int
    is_new: bool


def copy_runs(source: Store, target: Store) -> Iterator[CopiedRun]:
    """Copy each run, the oldest first, as `export --to run` and `import` do: checked, whole or not at all.

    What is there already is left as it is, so that a copy that was interrupted goes on. Facts come first, and
    only where the target has no run: a store in use takes no verdict or reply of another. Raises
    ImportRefused where the target has a different run of that id, ValueError where both are the same
    store, and OSError.
    """
    if source.url == target.url:
        raise ValueError(f"{source.display}: is the store to copy into")
    if not target.runs():
        _copy_facts(source, target)
    with tempfile.TemporaryDirectory(prefix="arena-copy-") as scratch:
        file = Path(scratch, "run.arena.zip")
        # `runs` has the newest first.
        for run in reversed(source.runs()):
            write(Source.open(source, run.id, (), False), file, lambda text: None)
            name, attempts, is_new = import_run(target, file)
            file.unlink()
            yield CopiedRun(name, attempts, is_new)


def _copy_facts(source: Store, target: Store) -> None:
    """Copy what is stored by content (verdicts, paid replies, outcomes of gold) and its artefacts."""
    key = ""
    while facts := source.facts_after(key, FACTS_PER_READ):
        # Facts name artefacts anywhere in their values; what only looks like a digest is not there to copy.
        for digest in DIGEST.findall(json.dumps(facts)):
            if source.has(digest):
                target.keep(source.blob(digest))
        target.put_facts(facts)
        key = max(facts)
