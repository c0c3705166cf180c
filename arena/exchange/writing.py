"""A file that is written whole or not at all, however large."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tasks import writing

STDOUT = Path("/dev/stdout")


@contextmanager
def write_output(path: Path) -> Iterator[IO[bytes]]:
    """As `tasks.writing.replace_file`, with the folders above, and "-" for the standard output.

    Raises ValueError for a folder, and OSError.
    """
    if path.is_dir():
        raise ValueError(f"{path}: is a folder; name a file in --out")
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing.replace_file(STDOUT if str(path) == "-" else path) as stream:
        yield stream


def empty_folder(path: Path) -> Path:
    """The folder, created where it is missing. Raises ValueError for a path that holds something."""
    if str(path) == "-":
        raise ValueError("--out -: this form is a folder of files; name a new one")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(f"{path}: is there already; name a new folder in --out")
    path.mkdir(parents=True, exist_ok=True)
    return path
