"""Folders that are whole or not there: the mark that is written last, and modes for any user."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

MAX_MARK = 16 << 20
CACHE = ".cache"
UNSAFE = re.compile(r"[^A-Za-z0-9.+_-]+")
# In nearly every image only root may enter it, also to get at what is mounted below.
CLOSED_IN_IMAGES = Path("/root")


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
        # Without it a power failure may leave a mark whose content, and folder, never reached the disk.
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
            # In a container the agent's user is not the user who installs.
            wanted = mode | 0o444 | (0o111 if mode & 0o100 else 0)
            if wanted != mode:
                path.chmod(stat.S_IMODE(wanted))


def size(folder: Path) -> int:
    """Bytes of the files below a folder, those of several names once."""
    sizes: dict[tuple[int, int], int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            status = Path(parent, name).lstat()
            sizes[status.st_dev, status.st_ino] = status.st_size
    return sum(sizes.values())


def cache_of(toolbox: Path) -> Path:
    """What the toolboxes beside a toolbox share; on the same file system, for hard links."""
    return toolbox.parent / CACHE


def share(folder: Path, pool: Path, pattern: str) -> None:
    """Join all files of the same content, across folders, by hard links into `pool`.

    Where a file system has none, or has enough of them, a file stays as it is.
    """
    pool.mkdir(parents=True, exist_ok=True)
    for path in folder.rglob(pattern):
        with path.open("rb") as file:
            pooled = pool / hashlib.file_digest(file, "sha256").hexdigest()
        # By a second name that replaces the first: at no moment is the file missing.
        part = path.with_name(f".{path.name}.part")
        with contextlib.suppress(OSError):
            if pooled.exists():
                os.link(pooled, part)
                part.replace(path)
            else:
                os.link(path, pooled)


def forget_unshared(pool: Path) -> None:
    """Remove from a pool what no folder has any more."""
    for path in pool.iterdir() if pool.is_dir() else ():
        if path.stat().st_nlink == 1:
            path.unlink()


@contextlib.contextmanager
def lock_part(folder: Path, name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Lock a named part of a folder against concurrent processes; the lock ends with the process that has it.

    A process that has to wait reports what it waits for (`name`), and which process has it.
    """
    locks = folder / ".locks"
    locks.mkdir(parents=True, exist_ok=True)
    # `a+`: opening must not empty the file that names the process which has the lock.
    with (locks / UNSAFE.sub("_", name)).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read(80).strip() or "?"
            say(f"{name}: process {holder} is at it; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def find_hidden_files(folder: Path) -> list[str]:
    """Why another user than root would not see a folder, on this machine or in a container."""
    hidden = []
    if folder.is_relative_to(CLOSED_IN_IMAGES):
        hidden.append(f"{folder}: below {CLOSED_IN_IMAGES}, which images close to all but root")
    for parent, _, names in os.walk(folder):
        for path in (Path(parent), *(Path(parent, name) for name in names)):
            mode = path.lstat().st_mode
            needed = 0o005 if stat.S_ISDIR(mode) else 0o004
            if not stat.S_ISLNK(mode) and mode & needed != needed:
                return [*hidden, f"{path}: other users may not read it (mode {mode & 0o777:03o})"]
    return hidden
