"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_whole(path: Path, content: bytes) -> None:
    """Write by renaming: readers see either the old content or the new. Raises OSError."""
    with replace_file(path) as stream:
        stream.write(content)


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Open for writing; the name appears when the block ends without an exception. Raises OSError.

    Where a pipe or a device is, it is written into, at the end; a link stays, and what it names is replaced.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with tempfile.TemporaryFile() as stream:
            yield stream
            stream.seek(0)
            with path.open("wb") as target:
                shutil.copyfileobj(stream, target)
        return
    path = path.resolve() if path.is_symlink() else path
    partial = path.with_name(f".{path.name[:200]}.{os.getpid()}.part")
    try:
        with partial.open("w+b") as stream:
            yield stream
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
