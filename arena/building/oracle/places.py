"""Maps the names that a compiler gives to sources to files of the repository."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator


class CoveredPlaces:
    """The files of a repository at `workdir`, identified by absolute paths."""

    def __init__(self, workdir: str, files: Iterable[str]) -> None:
        self._workdir = workdir.rstrip("/")
        self._files = frozenset(files)

    def find(self, name: str, folder: str, notes: str) -> str:
        """The path in the repository of a source, or "" when it is not there.

        `folder` is where the compiler ran; without it ("", as by LLVM), the folders from the
        object's (`notes`) outwards are tried: the compiler ran in any of them, and the nearest in which
        the name exists is taken.
        """
        for base in [folder] if folder else self._outwards(notes):
            path = posixpath.normpath(posixpath.join(base, name))
            if path in self._files and path.startswith(self._workdir + "/"):
                return path[len(self._workdir) + 1 :]
        return ""

    def _outwards(self, notes: str) -> Iterator[str]:
        at = posixpath.dirname(notes)
        while at.startswith(self._workdir + "/"):
            yield at
            at = posixpath.dirname(at)
        yield self._workdir
