"""A file that is written whole or not at all, however large."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open for writing; the name appears when the block ends without an exception. Raises OSError."""
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; name a file in --out")
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name[:200]}.{os.getpid()}.half")
    try:
        with half.open("w+b") as stream:
            yield stream
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def empty_folder(path: Path) -> Path:
    """The folder, made where it is missing. Raises ValueError for one that holds something."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(f"{path}: is there already; name a new folder in --out")
    path.mkdir(parents=True, exist_ok=True)
    return path
