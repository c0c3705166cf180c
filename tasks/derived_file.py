"""Files of a task that differ from another of its files in a few lines: weak variants of a reference.

Such a file is stored whole, or as a unified diff of its base beside where it would be: `variants/weak.py` as
`variants/weak.py.patch`. Loaders read both alike, and digests are taken over the text, never over the diff.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parsers.exact_diff import DiffDoesNotApply, apply_diff, make_diff
from tasks.loader import TaskError
from tasks.writing import write_whole

SUFFIX = ".patch"


@dataclass(frozen=True)
class DerivedFile:
    """A file and its base, as paths inside a task's folder.

    base: "" where there is no file to differ from. read_file: reads a file within the limits of the track;
    raises TaskError.
    """

    folder: Path
    name: str
    base: str
    read_file: Callable[[Path], bytes]

    @property
    def path(self) -> Path:
        """Where it is, or would be, whole."""
        return self.folder / self.name

    @property
    def diff_path(self) -> Path:
        return self.folder / f"{self.name}{SUFFIX}"

    @property
    def is_diff(self) -> bool:
        """Whether it is stored as a diff. Raises TaskError where it is stored both ways."""
        if not self.diff_path.is_file():
            return False
        if self.path.exists():
            raise TaskError(f"{self.path}: is stored twice, whole and as {self.diff_path.name}")
        return True

    def read(self) -> bytes:
        """Its content. Raises TaskError where it is missing, or its diff does not apply exactly."""
        if not self.is_diff:
            return self.read_file(self.path)
        if not self.base:
            raise TaskError(f"{self.diff_path}: there is no file that it could be a diff of")
        diff, base = self.read_file(self.diff_path), self.read_file(self.folder / self.base)
        try:
            return apply_diff(diff, base, self.base)
        except DiffDoesNotApply as error:
            raise TaskError(f"{self.diff_path}: does not apply to {self.base}: {error}") from error

    def store_as_diff(self) -> bool:
        """Store it as a diff where that has fewer lines; returns whether anything changed.

        Raises TaskError, and OSError where it cannot be written.
        """
        if self.is_diff or not self.base:
            return False
        content, base = self.read_file(self.path), self.read_file(self.folder / self.base)
        diff = make_diff(base, content, self.base)
        # Equal files have an empty diff, which no loader takes: an empty file is rather a mistake.
        if not diff or diff.count(b"\n") >= content.count(b"\n"):
            return False
        if apply_diff(diff, base, self.base) != content:
            raise TaskError(f"{self.path}: its diff does not give it back")
        write_whole(self.diff_path, diff)
        self.path.unlink()
        return True

    def store_whole(self) -> bool:
        """Store it whole; returns whether anything changed. Raises TaskError and OSError as above."""
        if not self.is_diff:
            return False
        write_whole(self.path, self.read())
        self.diff_path.unlink()
        return True
