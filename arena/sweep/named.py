"""The files that a sweep names: all attempts of a run are made with the same content of each."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.store.store import UnknownRun
from arena.sweep.reading import FILES_OF_MODELS, SweepError

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.sweep.file import Sweep
    from arena.sweep.schema import SweepSpec


def files_of(spec: SweepSpec) -> dict[str, str]:
    """Path and SHA-256 of each prompt, script of a model and rules of a scanner; a folder: all that is in it.

    One that is not there, or cannot be read, is left out: whoever needs it tells.
    """
    found = {}
    for path in _paths(spec):
        try:
            found[str(path)] = _digest(path)
        except OSError:
            continue
    return found


def _paths(spec: SweepSpec) -> Iterator[Path]:
    models = (m.removeprefix(kind) for m in spec.matrix.models for kind in FILES_OF_MODELS)
    for name in (*spec.matrix.prompts, *models, spec.sast):
        if (path := Path(name)).is_absolute():
            yield path


def _digest(path: Path) -> str:
    whole = hashlib.sha256()
    inside = sorted(file for file in path.rglob("*") if file.is_file())
    for file in inside if path.is_dir() else [path]:
        with file.open("rb") as content:
            whole.update(hashlib.file_digest(content, "sha256").digest())
        whole.update(os.fsencode(file.relative_to(path)) + b"\0")
    return whole.hexdigest()


def settings_for(store: Store, run: str, sweep: Sweep) -> dict[str, Any]:
    """The settings to store with a run: the sweep's, and all files that the run has known so far.

    Raises SweepError for a file that is another than when the run last named it.
    """
    told = sweep.settings
    before, now = _known(store, run), told["sweep"]["files"]
    for path in sorted(before.keys() & now.keys()):
        if before[path] != now[path]:
            raise SweepError(
                f"{sweep.where}: {path} has changed since run {run} was made with it; give the new one "
                "another file name, or the sweep another name"
            )
    told["sweep"]["files"] = {**before, **now}
    return told


def _known(store: Store, run: str) -> dict[str, str]:
    """What the run says; nothing for one that is new, or of a version that did not say it."""
    try:
        sweep = store.run(run).settings.get("sweep")
    except UnknownRun:
        return {}
    files = sweep.get("files") if isinstance(sweep, dict) else None
    return dict(files) if isinstance(files, dict) else {}
