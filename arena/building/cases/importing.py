"""Put a source's cases into a store."""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena.building.cases.importers import Imported, Importer, Rejected, recognise
from arena.building.cases.recipes import keep_recipe, recipe_files
from arena.building.cases.store import RESERVED, keep_rejected, save
from parsers.cwe import is_read_beyond_buffer
from tasks.history import materialise
from tasks.loader import TaskError
from tasks.schema import NAME

MAX_SIMILAR_IDS = 5


@dataclass
class ImportOutcome:
    """The result of an import.

    imported: the ids accepted; already_stored: those of them that the store had, whose files were left as
    they are. reads: how many of them crash in a read and have the CWE of the buffer.
    """

    imported: list[str] = field(default_factory=list)
    already_stored: list[str] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    reads: int = 0


Progress = Callable[[ImportOutcome], None]


def import_cases(
    source: Path, store: Path, replace: bool = False, progress: Progress = lambda _outcome: None
) -> ImportOutcome:
    """Import all that `source` holds into the folder `store`, and record what was rejected.

    A case that the store has is left as it is, with whatever a user added, unless `replace`.
    `progress` is called after each record. Raises TaskError when the source cannot be read at all, or
    the store cannot be written.
    """
    importer = recognise(source)
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TaskError(f"{store}: {error.strerror}") from error
    outcome = ImportOutcome()
    try:
        _import_all(importer, source, store, replace, progress, outcome)
    finally:
        entries = [
            {"id": rejection.id, "reason": rejection.reason} for rejection in outcome.rejected
        ]
        keep_rejected(store, entries, str(source), set(outcome.imported))
    return outcome


def import_record(source: Path, store: Path, id_: str) -> None:
    """Import only the record of that id, which the store does not have yet.

    Raises TaskError where the source has no such record, where it is no case, and as `import_cases`.
    """
    if not re.fullmatch(NAME, id_) or id_ in RESERVED:
        raise TaskError(f"{id_[:100]!r} is no id of a case")
    ids: list[str] = []
    for record in recognise(source).read_one(source, id_):
        name = record.case.id if isinstance(record, Imported) else record.id
        if name == id_:
            _import_single(record, store)
            return
        ids.append(name)
    similar_ids = ", ".join(difflib.get_close_matches(id_, ids, MAX_SIMILAR_IDS, 0.4))
    hint = f", such as {similar_ids}" if similar_ids else ""
    raise TaskError(f"{source}: no record {id_!r} among {len(ids)}{hint}")


def _import_single(record: Imported | Rejected, store: Path) -> None:
    """Store a record. Raises TaskError where it is no case."""
    outcome = ImportOutcome()
    if isinstance(record, Rejected):
        outcome.rejected.append(record)
    else:
        try:
            store.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TaskError(f"{store}: {error.strerror}") from error
        if record.history is not None:
            place_history(record.history, store, False, record.clone)
        _store_imported(record, store, False, outcome)
    for rejected in outcome.rejected:
        raise TaskError(f"{rejected.id}: the record is no case: {rejected.reason}")


def _import_all(
    importer: Importer,
    source: Path,
    store: Path,
    replace: bool,
    progress: Progress,
    outcome: ImportOutcome,
) -> None:
    imported_ids: set[str] = set()
    histories: set[Path] = set()
    for record in importer.read(source):
        if isinstance(record, Imported) and (
            record.case.id in imported_ids or record.case.id in RESERVED
        ):
            is_repeated = record.case.id in imported_ids
            reason = (
                "the id is given twice; the first is taken" if is_repeated else "the id is reserved"
            )
            record = Rejected(record.case.id, reason)
        if isinstance(record, Rejected):
            outcome.rejected.append(record)
        else:
            imported_ids.add(record.case.id)
            if record.history is not None and record.history not in histories:
                histories.add(record.history)
                place_history(record.history, store, replace, record.clone)
            _store_imported(record, store, replace, outcome)
        progress(outcome)


def _store_imported(imported: Imported, store: Path, replace: bool, outcome: ImportOutcome) -> None:
    environment = imported.case.environment
    if imported.recipe and environment is not None:
        # The name stands for the content (a git tree's digest): two contents under one name is a forged pack.
        stored_files = recipe_files(store, environment.recipe)
        if stored_files and stored_files != imported.recipe:
            reason = f"the store has another recipe of the name {environment.recipe}"
            outcome.rejected.append(Rejected(imported.case.id, reason))
            return
        keep_recipe(store, environment.recipe, imported.recipe)
    outcome.imported.append(imported.case.id)
    outcome.reads += is_read_beyond_buffer(imported.case.crash.type)
    if not save(store, imported.case, imported.files, replace):
        outcome.already_stored.append(imported.case.id)


def place_history(history: Path, store: Path, replace: bool, clone: str) -> None:
    """Make `<store>/repositories/<clone>` from a pack's history, whole; once unless `replace`.

    Raises TaskError when a patch does not apply or the store cannot be written.
    """
    target = store / "repositories" / clone
    if target.is_symlink() or (target.is_dir() and not replace):
        return  # a mirror of the user's, or what was made before
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(partial, ignore_errors=True)
        materialise(history, partial)
        if target.is_dir():
            shutil.rmtree(target)
        partial.rename(target)
    except OSError as error:
        raise TaskError(f"{target}: {error.strerror}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
