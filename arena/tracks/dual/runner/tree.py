"""The files of a jail as they lie there: no link is followed, no pipe opened, all is bounded."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable

from arena.tracks.dual.runner.observation import FileObservation
from arena.tracks.dual.runner.order import MIB

MAX_FILES = 10_000
# A folder below is listed, its content is not.
MAX_DEPTH = 100
MAX_CONTENT = 64 << 10
MAX_HASHED = 64 * MIB
MAX_ALL = 256 * MIB
# Of all contents together; beyond it files have no content (their hash shows that they differ).
MAX_TEXTS = 16 * MIB
# Characters of all paths together; beyond it, as beyond MAX_FILES, nothing more is listed.
MAX_NAMES = 8 * MIB
MAX_FETCHED = 64 * MIB
_CHUNK = 1 << 20
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


class Tree:
    """A look at a number of folders. Files on a different file system than the first folder are skipped."""

    def __init__(self) -> None:
        self.files: dict[str, FileObservation] = {}
        self._hashed = self._texts = self._names = 0

    def look(self, tops: Iterable[str]) -> dict[str, FileObservation]:
        for top in tops:
            try:
                descriptor = _folder(top)
            except OSError:  # it is gone, or no folder any more
                self._note_lost(top)
                continue
            try:
                self._walk(top, descriptor, 0)
            finally:
                os.close(descriptor)
        return self.files

    def _note_lost(self, top: str) -> None:
        try:
            status = os.lstat(top)
        except OSError:
            return
        self.files[top] = FileObservation(_KINDS.get(stat.S_IFMT(status.st_mode), "other"))

    def _walk(self, path: str, folder: int, depth: int) -> None:
        """What is in an open folder, and in those in it; `path` is its name."""
        device = os.fstat(folder).st_dev
        folders = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(self.files) >= MAX_FILES or self._names > MAX_NAMES:
                    return
                self._names += len(path) + len(entry.name)
                # By the open folder: a path would be resolved again, through links that the program may have
                # set.
                status = os.lstat(entry.name, dir_fd=folder)
                if status.st_dev == device:
                    self.files[f"{path}/{entry.name}"] = self._file(folder, entry.name, status)
                if status.st_dev == device and stat.S_ISDIR(status.st_mode):
                    folders.append(entry.name)
        # Each level holds a descriptor open, and Python's stack ends as well.
        if depth == MAX_DEPTH:
            return
        for name in folders:
            below = _folder(name, folder)
            try:
                self._walk(f"{path}/{name}", below, depth + 1)
            finally:
                os.close(below)

    def _file(self, folder: int, name: str, status: os.stat_result) -> FileObservation:
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
        mode = stat.S_IMODE(status.st_mode)
        if kind == "link":
            return FileObservation(kind, mode, target=os.readlink(name, dir_fd=folder))
        if kind != "file":
            return FileObservation(kind, mode)
        digest, content = self._read(folder, name, status)
        return FileObservation(kind, mode, status.st_size, digest, content)

    def _read(self, folder: int, name: str, status: os.stat_result) -> tuple[str, str]:
        """Hash and start of a file. A file that is too large or sparse has its size for a hash."""
        if status.st_size > MAX_HASHED or self._hashed + status.st_size > MAX_ALL:
            return f"size:{status.st_size}", ""
        self._hashed += status.st_size
        digest, start = hashlib.sha256(), b""
        # O_NONBLOCK: the open of a FIFO that took a file's place would wait for a writer without end.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor
            while data := file.read(_CHUNK):
                start = start or data[:MAX_CONTENT]
                digest.update(data)
        if self._texts + len(start) > MAX_TEXTS:
            start = b""
        self._texts += len(start)
        return digest.hexdigest(), start.decode("utf-8", "replace")


def fetch_file(path: str) -> bytes | None:
    """The content of a regular file; None when there is none, or when it is too large."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    # Of what was opened, not of the path, which may lead elsewhere by now.
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FETCHED:
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        return file.read(MAX_FETCHED)


def _folder(path: str, where: int | None = None) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=where)
