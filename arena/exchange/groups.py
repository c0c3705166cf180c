"""Attempts by column and replicate, for formats with a file for each."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

LONGEST = 100
# Files that are written at the same time.
MAX_FILES = 500


def file_name(*parts: str) -> str:
    """A plain name for a file: parts joined, special characters replaced; a digest keeps names distinct."""
    joined = "__".join(part for part in parts if part)
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", joined).strip("-.")[:LONGEST] or "unnamed"
    if plain == joined:
        return plain
    return f"{plain}-{hashlib.sha256(joined.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}"


def _unfinished_path(path: Path) -> Path:
    """Where this process writes what is to become a file."""
    return path.with_name(f".{path.name}.{os.getpid()}.half")


@dataclass
class GroupFiles:
    """Text files by name, opened when they are first written to, each whole or not there at all."""

    folder: Path
    _open: dict[Path, IO[str]] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> GroupFiles:
        return self

    def file(self, path: Path) -> IO[str]:
        """Raises ValueError when there would be too many at a time."""
        if path not in self._open:
            # A process may usually have about a thousand files open.
            if len(self._open) >= MAX_FILES:
                raise ValueError(
                    f"more than {MAX_FILES} columns and replicates; choose some with --where"
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = _unfinished_path(path)
            self._open[path] = self._stack.enter_context(unfinished.open("w", encoding="utf-8"))
        return self._open[path]

    def list_paths(self) -> Iterator[Path]:
        return iter(sorted(self._open))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stack.close()
        for path in self._open:
            unfinished = _unfinished_path(path)
            if kind is None:
                unfinished.replace(path)
            else:
                unfinished.unlink(missing_ok=True)
