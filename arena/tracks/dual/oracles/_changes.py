"""What a run changed: files, rows of databases; and globs that say what may."""

from __future__ import annotations

import base64
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from arena.tracks.dual.runner.observation import FileObservation, Rows, RunObservation
from arena.tracks.dual.runner.order import HOME

UNREADABLE = "!"
# SQLite's own files beside a database.
_BESIDE = ("", "-journal", "-wal", "-shm")
_PARTS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
# The longest mark first: `**/` would otherwise be read as two stars and a slash.
_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")


class Rowed(NamedTuple):
    """Rows of a table that were added and removed, as JSON, with their counts."""

    added: Counter[str]
    removed: Counter[str]


def absolute(path: str) -> str:
    """A path of a task, relative to the working folder or absolute, as the runner names it."""
    return posixpath.normpath(posixpath.join(HOME, path))


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    pieces = (_PARTS.get(piece) or re.escape(piece) for piece in _GLOB.findall(glob))
    return re.compile("".join(pieces), re.DOTALL)


def fits(path: str, globs: Iterable[str]) -> bool:
    """Whether an absolute path fits a glob, relative to the working folder or absolute: `*` stays within a
    folder, `**` does not; `name/**` is the folder itself as well.
    """
    for glob in globs:
        whole = posixpath.join(HOME, glob)
        if _pattern(whole).fullmatch(path) or whole.removesuffix("/**") == path:
            return True
    return False


def database_files(observation: RunObservation) -> set[str]:
    names = {*observation.databases_before, *observation.databases_after}
    return {absolute(name) + beside for name in names for beside in _BESIDE}


def _identity(entry: FileObservation | None) -> tuple[str, int, str, str] | None:
    if entry is None:
        return None
    # Without the size, which the hash implies; a folder's own size changes with each entry.
    return entry.kind, entry.mode & 0o7777, entry.sha256, entry.target


def list_changes(
    observation: RunObservation,
) -> Iterator[tuple[str, FileObservation | None, FileObservation | None]]:
    """Path, and what was there before and after, of each entry that is not as it was."""
    for path in sorted({*observation.before, *observation.after}):
        before, after = observation.before.get(path), observation.after.get(path)
        if _identity(before) != _identity(after):
            yield path, before, after


def how(before: FileObservation | None, after: FileObservation | None) -> str:
    """What happened to an entry, in words."""
    if before is None:
        return "was made"
    if after is None:
        return "was removed"
    if before.kind != after.kind:
        return f"is now a {after.kind}"
    if before.mode != after.mode:
        return f"has mode {after.mode & 0o7777:04o} instead of {before.mode & 0o7777:04o}"
    return "was changed"


def database_of(databases: Mapping[str, Rows], name: str) -> Rows | None:
    """The rows of a database named by its path, relative or absolute; None where none is there."""
    return next(
        (rows for path, rows in databases.items() if absolute(path) == absolute(name)), None
    )


def cell(value: Any) -> Any:
    """A database's cell as a value with tags; the runner writes blobs in hexadecimal."""
    if isinstance(value, dict):
        return {"$bytes": base64.b64encode(bytes.fromhex(value.get("$hex", ""))).decode()}
    # Beyond it JSON numbers lose digits in readers that take them as floats, as JavaScript does.
    if isinstance(value, int) and abs(value) > 2**53:
        return {"$int": str(value)}
    return value


def row(values: Iterable[Any]) -> list[Any]:
    return [cell(value) for value in values]


def _count_rows(rows: Iterable[Iterable[Any]]) -> Counter[str]:
    # Counted, not a set: tables without a key may hold the same row several times.
    return Counter(json.dumps(row(values), default=str) for values in rows)


def row_changes(before: Rows, after: Rows) -> dict[str, Rowed]:
    """Table -> what came and went, of tables that are not as they were (a table that is new or gone too)."""
    changes = {}
    for table in sorted({*before, *after}):
        old, new = _count_rows(before.get(table, ())), _count_rows(after.get(table, ()))
        if old != new or (table in before) != (table in after):
            changes[table] = Rowed(new - old, old - new)
    return changes


def new_rows(observation: RunObservation) -> Iterator[tuple[str, str]]:
    """Database and table, and the text of its new rows, blobs too."""
    for path, rows in observation.databases_after.items():
        for table, change in row_changes(observation.databases_before.get(path, {}), rows).items():
            if change.added:
                yield f"{path}: {table}", "\n".join(map(_row_text, change.added))


def _row_text(row: str) -> str:
    return "\t".join(_cell_text(value) for value in json.loads(row))


def _cell_text(value: Any) -> str:
    if isinstance(value, dict) and "$bytes" in value:
        return base64.b64decode(value["$bytes"]).decode("utf-8", "replace")
    return str(value)
