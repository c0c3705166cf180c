"""A scratch directory with plain copies of the files of both sides, and the way back to their names.

Nothing in it can make a scanner look away: names are harmless, there are no links, no ignore
files and no version control, and each C or C++ file ends in a canary.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from harness.grade.sast import canary
from harness.grade.sast.languages import EXTENSION, LanguageKind

# Goes up when the same files would be staged in another way.
VERSION = "2"

# Names of a patch may be options, ignored folders or byte strings that a tool cannot print.
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}", re.ASCII)
_SPACE = b" \t\r\n\v\f"
_MAX_FOLDERS = 24


class StagedSide(StrEnum):
    """The two states of the repository, and the directories that they are staged in."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class StagedEntry:
    """A staged file; `lines` is the number of its lines, without the canary.

    For a piece of a file, `first` is the number in the file of the piece's first line, and `visible_lines`
    says which lines of the piece are there and not blanked out.
    """

    side: StagedSide
    path: str
    kind: LanguageKind
    name: str
    content: bytes
    lines: int
    first: int = 1
    visible_lines: tuple[bool, ...] = ()


@dataclass
class Staging:
    """The files to be scanned, by staged name (relative to the scratch directory)."""

    marked: bool
    entries: dict[str, StagedEntry] = field(default_factory=dict)

    def add(
        self,
        side: StagedSide,
        path: str,
        content: bytes,
        kind: LanguageKind,
        first: int = 1,
        visible_lines: tuple[bool, ...] = (),
    ) -> StagedEntry:
        """Put a file, or a piece of it, on the list; when `marked`, C and C++ get a canary."""
        name = self._free_name(f"{side}/{safe_name(path, kind)}")
        lines = content.count(b"\n") + (not content.endswith(b"\n"))
        if kind is not LanguageKind.NOT_C_FAMILY:
            content = splice_lines(content) + (canary.TEXT if self.marked else b"")
        entry = StagedEntry(side, path, kind, name, content, lines, first, visible_lines)
        self.entries[name] = entry
        return entry

    def write(self, root: Path, names: Iterable[str] | None = None) -> None:
        """Write all files, or the named ones, under `root`."""
        for name in self.entries if names is None else names:
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self.entries[name].content)

    def _free_name(self, name: str) -> str:
        stem, extension = posixpath.splitext(name)
        number = 0
        while name in self.entries:
            number += 1
            name = f"{stem}~{number}{extension}"
        return name


def safe_name(path: str, kind: LanguageKind) -> str:
    """A harmless relative name with an extension that scanners know; for plain names it is `path`.

    An invented name has a `~`, which no plain name has, so that it equals no file or directory of the patch.
    """
    parts = path.split("/")
    if len(parts) > _MAX_FOLDERS or not all(map(_PLAIN.fullmatch, parts)):
        extension = posixpath.splitext(path)[1]
        parts = ["~", "file" + (extension if _PLAIN.fullmatch(extension[1:]) else "")]
    extension = EXTENSION[kind]
    if extension and not parts[-1].endswith(extension):
        parts[-1] += "~" + extension
    return "/".join(parts)


def splice_lines(content: bytes) -> bytes:
    r"""Join lines that a backslash splits inside a word (`str\` + `cpy`), which scanners do not see.

    Only where both neighbours are no white space: ordinary macros keep their lines. The lines that go
    come back empty behind the logical line, so that the numbers of the lines after it stay.
    """
    if b"\\" not in content:
        return content
    out: list[bytes] = []
    parts: list[bytes] = []
    owed = 0
    lines = content.split(b"\n")
    for line, follower in zip(lines, [*lines[1:], b""], strict=True):
        body = line.rstrip(_SPACE)
        goes_on = body.endswith(b"\\")
        head = body[:-1] if goes_on else body
        glued = bool(head and head[-1:] not in b" \t\\") or (not head and bool(parts))
        if goes_on and glued and follower and follower[:1] not in _SPACE:
            parts.append(head)
            owed += 1
            continue
        out.append(b"".join([*parts, line]))
        parts = []
        if not goes_on:
            out += [b""] * owed
            owed = 0
    return b"\n".join(out + [b""] * owed)
