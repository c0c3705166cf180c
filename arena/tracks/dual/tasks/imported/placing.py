"""Put an imported pack in its place: all of it, or nothing."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tomli_w

from arena.tracks.dual.tasks.imported.report import ImportedTask
from arena.tracks.dual.tasks.pack import load_dual
from tasks.loader import TaskError

Prove = Callable[[Path, ImportedTask], ImportedTask]
# At the pack's top: what was found wrong, and which rule each oracle came from.
REPORT = "import.json"


def expect_room(out: Path, force: bool) -> None:
    """Raises TaskError where no pack can be put: only a pack is replaced, and only with `force`."""
    if out.is_symlink() or (out.exists() and not force):
        raise TaskError(f"{out}: exists already; --force replaces it")
    if out.exists() and not (out / "pack.toml").is_file():
        raise TaskError(f"{out}: is no pack, and is not replaced")


def put_pack(
    out: Path,
    named: tuple[str, str],
    write: Callable[[Path], ImportedTask],
    prove: Prove | None = None,
) -> ImportedTask:
    """Create a pack beside `out` and rename it; returns what was imported, and proven.

    named: the pack's name, and its source. write: creates the tasks in a folder that is not there yet.
    prove: receives the pack before it is in place, and reports what its tasks are worth. Raises TaskError.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # Beside `out`, not in the system's folder: only within a file system is the last step one rename.
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as beside:
            folder = Path(beside, "pack")
            imported = write(folder)
            _write_facts(folder, named, imported)
            if prove is not None:
                imported = prove(folder, imported)
            write_json(folder / REPORT, imported.as_json())
            # The whole pack as a later command will load it, before the old one is moved away.
            load_dual(folder)
            if out.exists():
                # A folder that is not empty cannot be replaced by a rename; the old one goes with the
                # temporary folder.
                out.rename(Path(beside, "old"))
            folder.rename(out)
    except OSError as error:
        raise TaskError(f"{out}: {error.strerror}") from error
    return imported


def _write_facts(folder: Path, named: tuple[str, str], imported: ImportedTask) -> None:
    name, origin = named
    facts = {
        "schema": 1,
        "name": name,
        "version": "1",
        "licence": "see the dataset",
        "track": "dual",
        "description": f"Imported from {origin}: {imported.tasks} tasks",
    }
    (folder / "pack.toml").write_bytes(tomli_w.dumps(facts).encode())


def write_json(path: Path, content: Any) -> None:
    """As ASCII: texts may hold halves of surrogate pairs, which UTF-8 cannot."""
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="ascii")
