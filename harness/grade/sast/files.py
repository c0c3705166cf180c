"""The files that a patch touches, and their facts before any scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from harness.grade.sast.languages import LanguageKind, kinds
from harness.grade.sast.stage import StagedSide

# A larger file is not scanned, and reported so: Semgrep needs 10 s and 800 MB for 1 MB of plain C.
MAX_BYTES = 750_000


class ScanFiles:
    """The touched files of both sides; `renames` maps old paths to new ones."""

    def __init__(
        self,
        before: Mapping[str, bytes],
        after: Mapping[str, bytes],
        renames: Mapping[str, str],
        added: Mapping[str, frozenset[int]],
    ) -> None:
        self.sides = {StagedSide.BEFORE: before, StagedSide.AFTER: after}
        self.after = after
        self.renames = renames
        self._old = {new: old for old, new in renames.items()}
        self._kinds = {side: kinds(files) for side, files in self.sides.items()}
        self.added = {
            path: added.get(path, frozenset())
            # A line that was not there is added, whatever the patch's sections say.
            | added_lines(self._old_content(path), content)
            for path, content in after.items()
        }
        self.lines = cache(self._lines)

    def __getstate__(self) -> dict[str, object]:
        """For a worker process: without the split lines, which take longer to copy than to split."""
        return {name: value for name, value in vars(self).items() if name != "lines"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self.lines = cache(self._lines)

    def kind(self, path: str, side: StagedSide = StagedSide.AFTER) -> LanguageKind:
        return self._kinds[side][path]

    def old_path(self, path: str) -> str | None:
        """The path at PVIC of a file that there is after the patch."""
        old = self._old.get(path, path)
        return old if old in self.sides[StagedSide.BEFORE] else None

    def too_large(self, path: str, side: StagedSide) -> bool:
        return len(self.sides[side][path]) > MAX_BYTES

    def added_code(self, path: str, first: int = 1, last: int | None = None) -> tuple[int, ...]:
        """Lines that the patch added between two lines of a file, without the blank ones."""
        lines = self.lines(path, StagedSide.AFTER)
        last = len(lines) if last is None else min(last, len(lines))
        added = self.added[path]
        return tuple(n for n in range(first, last + 1) if n in added and lines[n - 1].strip())

    def _lines(self, path: str, side: StagedSide) -> list[bytes]:
        return self.sides[side][path].split(b"\n")

    def _old_content(self, path: str) -> bytes:
        old = self.old_path(path)
        return b"" if old is None else self.sides[StagedSide.BEFORE][old]


def added_lines(before: bytes, after: bytes) -> frozenset[int]:
    """Numbers of the lines of `after` that `before` has not, or not as often; a moved line is not new."""
    left = Counter(line.rstrip() for line in before.split(b"\n"))
    added = []
    for number, line in enumerate(after.split(b"\n"), 1):
        text = line.rstrip()
        if left[text] > 0:
            left[text] -= 1
        else:
            added.append(number)
    return frozenset(added)
