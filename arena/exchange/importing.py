"""The file of a whole run -> a run of a store: all of it, or nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.exchange.attestation import FileContents, read_contents, statement_problems
from arena.exchange.opening import ImportRefused, WholeArchive, open_archive
from arena.exchange.whole import RUN_FIELDS, STATEMENT
from arena.store.faults import RunBusy
from arena.store.model import Attempt, AttemptKey, attempt_id

if TYPE_CHECKING:
    from arena.store.store import Store


def import_run(store: Store, path: Path, name: str = "") -> tuple[str, int, bool]:
    """Put a run into the store, by default under its id; returns (id, attempts, whether it is new).

    An identical run under that id is left as it is. Raises OSError, and
    ImportRefused for a different run, or a file that is not right or not what its statement says. Artefacts
    come first, then all rows at once: a run is never there in part.
    """
    with open_archive(path) as whole:
        keys, contents = _looked_over(whole)
        for problem in statement_problems(whole, contents):
            raise ImportRefused(f"{path}: {STATEMENT}: {problem}")
        run = {**whole.run, "id": name or whole.run["id"]}
        # All has been read and checked by now: nothing of a bad file is ever stored.
        if not _is_there(store, run["id"]):
            for digest in whole.artefacts:
                store.keep(whole.blob(digest))
            with suppress(RunBusy):  # another process has just put one there
                store.put_run(run, whole.tasks(), keys, _attempts_under_run(whole, run["id"]))
                return run["id"], len(keys), True
        if not _same(store, whole, run["id"]):
            raise ImportRefused(
                f"{path}: run {run['id']!r} is in the store and another one; name a new id in --as"
            )
        return run["id"], len(keys), False


def has_statement(path: Path) -> bool:
    """Whether a run's file says by a statement what it should hold. Raises ImportRefused, and OSError."""
    with open_archive(path) as whole:
        return STATEMENT in whole.archive.namelist()


def _looked_over(whole: WholeArchive) -> tuple[list[AttemptKey], FileContents]:
    """The keys of all attempts, when every line and every artefact that is named is there."""
    there = {bytes.fromhex(digest) for digest in (*whole.artefacts, *whole.missing)}
    keys = []

    def look(attempt: Attempt) -> None:
        for name, digest in attempt.artefacts().items():
            if bytes.fromhex(digest) not in there:
                raise ImportRefused(
                    f"{whole.path}: attempt {attempt.id}: artefact {name[:40]!r} is not in the file"
                )
        keys.append(attempt.key)

    return keys, read_contents(whole, look)


def _attempts_under_run(whole: WholeArchive, run: str) -> Iterator[Attempt]:
    """The attempts as those of a run that may have another id."""
    for attempt in whole.attempts():
        yield replace(attempt, run=run, id=attempt_id(run, attempt.key))


def _is_there(store: Store, run: str) -> bool:
    return any(row.id == run for row in store.runs())


def _same(store: Store, whole: WholeArchive, run: str) -> bool:
    """Whether the store's run is what the file holds."""
    row = store.run(run)
    if any(getattr(row, name) != whole.run[name] for name in RUN_FIELDS if name != "id"):
        return False
    if store.tasks(run) != {facts.task: facts for facts in whole.tasks()}:
        return False
    # Digests, since the attempts of both would not fit into memory.
    digests = {attempt.id: _digest(attempt) for attempt in _attempts_under_run(whole, run)}
    return all(
        digests.pop(attempt.id, b"") == _digest(attempt) for attempt in store.each_attempt(run)
    ) and (not digests)


def _digest(attempt: Attempt) -> bytes:
    text = json.dumps(attempt.to_json(), sort_keys=True)
    return hashlib.sha256(text.encode()).digest()
