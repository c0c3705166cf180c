"""Unified diffs, as git writes them and as models imitate them, to facts: those of `git apply -p1`.

Nothing here applies a patch. `parse_patch` says which files it names and which lines it changes,
`hazards` why it must not be applied, `fold_crlf` repairs a patch whose line ends a transport changed.

Bounds: up to `_patch_reader.MAX_BYTES` bytes, MAX_LINES lines and
MAX_FILES files are read; a patch beyond that
is marked as not whole, which `hazards` reports as well. The time is linear in what is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from parsers import _patch_names as names
from parsers._patch_binary import MAX_UNPACKED
from parsers._patch_hazards import mode_hazard, path_hazards, printable
from parsers._patch_reader import PatchReader, Section
from parsers._patch_shapes import misshapen

__all__ = [
    "TWO_WAYS",
    "FileChange",
    "Hunk",
    "Patch",
    "commands",
    "fold_crlf",
    "hazards",
    "misshapen",
    "parse_patch",
]

Status = Literal["added", "deleted", "modified", "renamed", "copied", "mode"]
MAX_HAZARDS = 200
# Paths are compared with those that a patch must not touch. A second reading by git would escape that.
TWO_WAYS = "its lines can be read in two ways"
# Folders that the paths of a patch name, each path for itself: so many take seconds to make.
MAX_FOLDERS = 500_000
MAX_WORDS = 64
_COMMANDS = re.compile(r"[;&|<>$`\"'\\()=]|(?:^|[/ ])[-@]")


@dataclass(frozen=True)
class Hunk:
    """Where a hunk is: the line of its header in the patch (from 1), the number of lines after it that are
    its content, and the numbers of its first lines in the old and in the new file."""

    at: int
    lines: int
    old: int
    new: int


@dataclass(frozen=True)
class FileChange:
    """A file of a patch. Paths are without their first folder (`a/`, `b/`); bytes that are no UTF-8
    are surrogates.

    old: None when the file is created; new: None when it is deleted.
    added: line numbers in the new file; deleted: line numbers in the old.
    unclear: its lines are in an order, or hold quotes or a broken binary part, from which git derives
    different changes than they say. unpacked: bytes that its binary part takes.
    named: every path that the patch's lines give this file, as written and without the first folder.
    """

    old: str | None
    new: str | None
    status: Status
    old_mode: str | None
    new_mode: str | None
    binary: bool
    added: tuple[int, ...]
    deleted: tuple[int, ...]
    named: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    unclear: bool = False
    unpacked: int = 0

    @property
    def idle(self) -> bool:
        """Whether nothing follows the line that names the file."""
        return self.status == "modified" and not (self.hunks or self.binary)


@dataclass(frozen=True)
class Patch:
    """A patch's files in its order. `whole` is False when it was too large to be read to its end."""

    files: tuple[FileChange, ...]
    problems: tuple[str, ...]
    whole: bool = True

    @property
    def renames(self) -> dict[str, str]:
        """Old path to new path of the renamed files."""
        renamed = (change for change in self.files if change.status == "renamed")
        return {change.old: change.new for change in renamed if change.old and change.new}

    @property
    def touched_paths(self) -> frozenset[str]:
        """The new paths of all files (a deleted file has none)."""
        return frozenset(change.new for change in self.files if change.new is not None)

    @property
    def changed_paths(self) -> frozenset[str]:
        """Every path that git creates, changes or removes when it applies the patch."""
        left = {c.old for c in self.files if c.status in ("deleted", "renamed") and c.old}
        return frozenset(left | {c.new for c in self.files if c.new and not c.idle})

    @property
    def empty(self) -> bool:
        """True when nothing would change."""
        return not any(
            change.status != "modified" or change.binary or change.added or change.deleted
            for change in self.files
        )


def parse_patch(data: bytes) -> Patch:
    """The facts of `data`; what is malformed is in `problems`. Raises nothing, whatever the bytes."""
    reader = PatchReader(data).read()
    files = tuple(_change(section, reader) for section in reader.sections)
    if reader.crlf:
        reader.problems.append("the patch's own lines end in CR LF")
    if not reader.whole:
        reader.problems.append("the patch is too large to be read whole")
    return Patch(files, tuple(reader.problems), reader.whole)


def hazards(patch: Patch) -> tuple[str, ...]:
    """Why `patch` must not be applied, a line for each reason; empty when nothing speaks against it.

    All paths count that the patch names for a file, even where its lines disagree about the name.
    """
    reasons = [] if patch.whole else ["the patch is too large to be checked whole"]
    if (size := sum(change.unpacked for change in patch.files)) > MAX_UNPACKED:
        reasons.append(f"its binary parts unpack to {size} bytes; at most {MAX_UNPACKED} are taken")
    paths = (change.new or change.old or "" for change in patch.files)
    if (folders := sum(path.count("/") for path in paths)) > MAX_FOLDERS:
        reasons.append(f"its paths name {folders} folders; at most {MAX_FOLDERS} are taken")
    for change in patch.files[:-1]:
        if change.idle:  # git keeps its path for the next section
            reasons.append(
                f"{printable(change.new or '?')}: nothing follows the line that names it"
            )
    for change in patch.files:
        if change.unclear:
            reasons.append(f"{printable(change.new or change.old or '?')}: {TWO_WAYS}")
        for path in change.named:
            reasons += [f"{printable(path)}: {reason}" for reason in path_hazards(path)]
        special = mode_hazard(change.new_mode)
        if special:
            reasons.append(f"{printable(change.new or change.old or '?')}: {special}")
    distinct = tuple(dict.fromkeys(reasons))
    more = len(distinct) - MAX_HAZARDS
    return distinct if more <= 0 else (*distinct[:MAX_HAZARDS], f"and {more} more")


def commands(path: str) -> bool:
    """Whether a shell, make or a compiler would read more in a file's name than a name.

    Build files that list sources by wildcards hand names on as they are; so do a compiler's lists of what a
    file depends on. `CC=x.h` there is a variable, `-specs=x` and `@x` are options.
    """
    return _COMMANDS.search(path) is not None


def fold_crlf(data: bytes) -> bytes | None:
    """`data` with LF, when it is a patch of which all header lines (headers, hunk headers) end in CR LF.

    None otherwise: with LF in the headers, CR LF in content lines belongs to the files.
    """
    reader = PatchReader(data).read()
    if not reader.crlf or reader.lf or not reader.whole:
        return None
    return data.replace(b"\r\n", b"\n")


def _change(section: Section, reader: PatchReader) -> FileChange:
    created, removed, old, new = (
        _names_by_git(section) if section.header is not None else _plain(section)
    )
    pair = names.header_names(section.header) if section.header is not None else None
    status = _status(section, created, removed, (old, new))
    if pair and not _agree(pair, (old, new)):
        reader.problem(section.line, "the lines that name the file disagree")
    nameless = (not old and status != "added") or (not new and status != "deleted")
    if nameless:
        reader.problem(section.line, "the file's name cannot be read")
    return FileChange(
        old=None if status == "added" else old or None,
        new=None if status == "deleted" else new or None,
        status=status,
        old_mode=None if status == "added" else section.old_mode,
        new_mode=None if status == "deleted" and not section.created else section.new_mode,
        binary=section.binary,
        added=tuple(section.added),
        deleted=tuple(section.deleted),
        named=_possible_names(section, pair),
        hunks=tuple(Hunk(*span) for span in section.hunks),
        unclear=nameless or _unclear(section),
        unpacked=section.unpacked,
    )


# Whether a file is created, whether it is removed, and its old and new path.
_Names = tuple[bool, bool, str | None, str | None]


def _names_by_git(section: Section) -> _Names:
    """As git reads the headers of `diff --git`: renames first, then `---` and `+++`, then the line itself."""
    header = names.header_name(section.header or b"")

    def path(moved: bytes | None, line: bytes | None) -> str | None:
        if moved is not None:
            return names.text(names.name_as_written(moved))
        return header if line is None else names.one_name(line, names.HEADED)

    old = None if section.created else path(section.moved_from, section.minus)
    new = None if section.removed else path(section.moved_to, section.plus)
    return section.created, section.removed, old, new


def _plain(section: Section) -> _Names:
    """The path as git reads it from `---` and `+++` alone: the first where the second only adds to it."""
    first, second = (
        names.one_name(raw or b"", names.DATED) for raw in (section.minus, section.plus)
    )
    if names.is_null(section.minus):
        return True, False, None, second
    if names.is_null(section.plus):
        return False, True, first, None
    # diff puts suffixes such as `.orig` behind a name; git then takes the shorter name.
    adds = first and second.startswith(first) and not (section.plus or b"").startswith(b'"')
    name = first if adds or not second else second
    return False, False, name, name


def _unclear(section: Section) -> bool:
    lines = (section.minus, section.plus, section.moved_from, section.moved_to)
    is_open = names.header_is_open(section.header or b"") or any(
        map(names.is_open, filter(None, lines))
    )
    return section.unclear or is_open or (section.created and section.removed)


def _status(
    section: Section, created: bool, removed: bool, paths: tuple[str | None, str | None]
) -> Status:
    if section.copied:
        return "copied"
    if created and not removed:
        return "added"
    if removed:
        return "deleted"
    if section.moved_from is not None or paths[0] != paths[1]:
        return "renamed"
    changes_mode = section.old_mode != section.new_mode
    return "mode" if changes_mode and not (section.hunks or section.binary) else "modified"


def _possible_names(section: Section, pair: tuple[str, str] | None) -> tuple[str, ...]:
    """Each name as written and without its first folder, which `git apply -p1` takes off."""
    ends = names.DATED if section.header is None else names.HEADED
    moved = [
        names.text(names.name_as_written(raw))
        for raw in (section.moved_from, section.moved_to)
        if raw
    ]
    lines = [
        names.text(names.name_as_written(raw, ends))
        for raw in (section.minus, section.plus)
        if raw and not names.is_null(raw)
    ]
    every: dict[str, None] = {}
    for name in (*(pair or _pieces(section, moved)), *lines, *moved):
        # git takes the first folder off, but models leave it out: both readings are checked.
        every |= dict.fromkeys(filter(None, (name, name.partition("/")[2])))
    return tuple(every)


def _pieces(section: Section, moved: list[str]) -> tuple[str, ...]:
    """Words of a `diff --git` line whose names cannot be separated, unless renames explain it."""
    if section.header is None:
        return ()
    header = names.text(section.header)
    explained = {"a/{} b/{}".format(*moved), "{} {}".format(*moved)} if len(moved) == 2 else set()
    return () if header in explained else (header.replace(" ", "/"), *header.split(" ", MAX_WORDS))


def _agree(pair: tuple[str, str], paths: tuple[str | None, str | None]) -> bool:
    """Whether the names of `diff --git` are the paths, with or without a first folder."""
    names_of_pair = ((name, name.partition("/")[2]) for name in pair)
    return all(
        path is None or path in stated_names
        for path, stated_names in zip(paths, names_of_pair, strict=True)
    )
