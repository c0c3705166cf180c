"""Folders that are whole or not there: the mark that is written last, and modes for any user."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

MAX_MARK = 16 << 20
CLOSED_IN_IMAGES = Path("/root")
"""In nearly every image only root may enter it, also to get at what is mounted below."""


def read_mark(path: Path) -> dict[str, Any] | None:
    """The facts in a mark; None when the folder is not whole, or was moved since."""
    try:
        with path.open("rb") as file:
            facts = json.loads(file.read(MAX_MARK))
    except (OSError, ValueError):
        return None
    whole = isinstance(facts, dict) and facts.get("path") == str(path.parent)
    return facts if whole else None


def write_mark(folder: Path, name: str, facts: Mapping[str, Any]) -> None:
    """Say that a folder is whole: first its files reach the disk's order, then the mark appears at once."""
    open_up(folder)
    part = folder / f".{name}.part"
    with part.open("w", encoding="utf-8") as file:
        json.dump({**facts, "path": str(folder)}, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    part.chmod(0o644)
    part.replace(folder / name)


def clear(folder: Path, mark: str) -> None:
    """Remove a folder; it stops being whole before it loses its first file."""
    (folder / mark).unlink(missing_ok=True)
    if folder.exists():
        shutil.rmtree(folder)


def open_up(folder: Path) -> None:
    """Let any user read a folder, whatever the umask was."""
    for parent, _, names in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in names)):
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                continue
            wanted = mode | 0o444 | (0o111 if mode & 0o100 else 0)
            if wanted != mode:
                path.chmod(stat.S_IMODE(wanted))


def size(folder: Path) -> int:
    """Bytes of the files below a folder, those of several names once."""
    seen: dict[tuple[int, int], int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            found = Path(parent, name).lstat()
            seen[found.st_dev, found.st_ino] = found.st_size
    return sum(seen.values())


@contextlib.contextmanager
def locked(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold a folder against other processes; the lock ends with the process that holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{folder}: another process installs there; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def hidden(folder: Path) -> list[str]:
    """Why another user than root would not see a folder, on this machine or in a container."""
    found = []
    if folder.is_relative_to(CLOSED_IN_IMAGES):
        found.append(f"{folder}: below {CLOSED_IN_IMAGES}, which images close to all but root")
    for parent, _, names in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in names)):
            mode = path.lstat().st_mode
            needed = 0o005 if stat.S_ISDIR(mode) else 0o004
            if not stat.S_ISLNK(mode) and mode & needed != needed:
                return [*found, f"{path}: other users may not read it (mode {mode & 0o777:03o})"]
    return found
