"""The lines that a patch adds, file by file, with what becomes of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from parsers.patch import FileChange, parse_patch

MAX_BYTES = 16 << 20
_HUNK = re.compile(rb"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")


@dataclass(frozen=True)
class ChangedFiles:
    """A file of a patch, with the text that is added to it."""

    path: str
    change: FileChange
    added: str

    @property
    def is_new(self) -> bool:
        return self.change.status == "added"


def changed_files(patch: bytes) -> list[ChangedFiles]:
    """The files of a patch, in its order. Raises nothing; a patch beyond MAX_BYTES is read so far."""
    patch = patch[:MAX_BYTES]
    added = list(_added_lines(patch))
    files = parse_patch(patch).files
    # Where the two readings disagree about the files, all that is added counts as the first one's, and is
    # looked at all the same.
    texts = added if len(added) == len(files) else [b"\n".join(added)] * min(1, len(files))
    texts += [b""] * (len(files) - len(texts))
    return [
        ChangedFiles(path.new or path.old or "", path, text.decode("utf-8", "replace"))
        for path, text in zip(files, texts, strict=True)
    ]


def _added_lines(patch: bytes) -> Iterator[bytes]:
    """The added lines of each file."""
    lines: list[bytes] | None = None
    for line, content in _lines(patch):
        if content:
            if lines is not None and line[:1] == b"+":
                lines.append(line[1:])
        elif line.startswith(b"diff --git ") or (lines is None and line.startswith(b"--- ")):
            if lines is not None:
                yield b"\n".join(lines)
            lines = []
    if lines is not None:
        yield b"\n".join(lines)


def _lines(patch: bytes) -> Iterator[tuple[bytes, bool]]:
    """Each line, and whether it is a file's: counts of the hunks separate `+++` in a file from a header."""
    old = new = 0
    for line in patch.split(b"\n"):
        content = old > 0 or new > 0
        yield line, content
        if content:
            start = line[:1]
            old -= start in (b" ", b"-", b"")
            new -= start in (b" ", b"+", b"")
        elif (hunk := _HUNK.match(line)) is not None:
            old, new = (int(count or 1) for count in hunk.groups())


def headers(patch: bytes) -> Iterator[str]:
    """The lines of a patch that are no file's."""
    return (line.decode("utf-8", "replace") for line, content in _lines(patch) if not content)
