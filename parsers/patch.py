"""Unified diffs, as git writes them and as models imitate them, to facts.

Nothing here applies a patch. `parse_patch` says which files it names and which lines it changes,
`hazards` why it must not be applied, `fold_crlf` repairs one whose line ends a transport changed.

Bounds: at most `_patch_reader.MAX_BYTES` bytes, MAX_LINES lines and
MAX_FILES files are read; a patch beyond that
is marked as not whole, which `hazards` reports as well. The time is linear in what is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from parsers import _patch_names as names
from parsers._patch_hazards import mode_hazard, path_hazards, shown
from parsers._patch_reader import Reader, Section

Status = Literal["added", "deleted", "modified", "renamed", "copied", "mode"]
MAX_HAZARDS = 200
MAX_WORDS = 64


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
    """One file of a patch. Paths are without `a/` and `b/`; bytes that are no UTF-8 are surrogates.

    old: None when the file is created; new: None when it is deleted.
    added: line numbers in the new file; deleted: line numbers in the old.
    named: every path that the patch's lines give this file, as written and without the first component.
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
    def touched(self) -> frozenset[str]:
        """The new paths of all files (a deleted file has none)."""
        return frozenset(change.new for change in self.files if change.new is not None)

    @property
    def empty(self) -> bool:
        """True when nothing would change."""
        return not any(
            change.status != "modified" or change.binary or change.added or change.deleted
            for change in self.files
        )


def parse_patch(data: bytes) -> Patch:
    """The facts of `data`; what is malformed is in `problems`. Raises nothing, whatever the bytes."""
    reader = Reader(data).read()
    files = tuple(_change(section, reader) for section in reader.sections)
    if reader.crlf:
        reader.problems.append("the patch's own lines end in CR LF")
    if not reader.whole:
        reader.problems.append("the patch is too large to be read whole")
    return Patch(files, tuple(reader.problems), reader.whole)


def hazards(patch: Patch) -> tuple[str, ...]:
    """Why `patch` must not be applied, one line each; empty when nothing speaks against it.

    All paths count that the patch names for a file, even where its lines disagree about the name.
    """
    found = [] if patch.whole else ["the patch is too large to be checked whole"]
    for change in patch.files:
        for path in change.named:
            found += [f"{shown(path)}: {reason}" for reason in path_hazards(path)]
        special = mode_hazard(change.new_mode)
        if special:
            found.append(f"{shown(change.new or change.old or '?')}: {special}")
    distinct = tuple(dict.fromkeys(found))
    more = len(distinct) - MAX_HAZARDS
    return distinct if more <= 0 else (*distinct[:MAX_HAZARDS], f"and {more} more")


def fold_crlf(data: bytes) -> bytes | None:
    """`data` with LF, when it is a patch of which all own lines (headers, hunk headers) end in CR LF.

    None otherwise: with LF in the headers, CR LF in content lines belongs to the files.
    """
    reader = Reader(data).read()
    if not reader.crlf or reader.lf or not reader.whole:
        return None
    return data.replace(b"\r\n", b"\n")


def _change(section: Section, reader: Reader) -> FileChange:
    pair = names.header_names(section.header) if section.header is not None else None
    minus, plus = _or_none(section.minus), _or_none(section.plus)
    moved = (_or_none(section.moved_from), _or_none(section.moved_to))
    created = section.created or minus == names.DEV_NULL
    removed = section.removed or plus == names.DEV_NULL
    old, new = _old_and_new(pair, minus, plus)
    if moved[0] and moved[1]:
        old, new = moved
    status = _status(section, created, removed, moved[0] is not None)
    written = (*(pair or _pieces(section, moved)), minus, plus, *moved)
    if pair and not _agree(pair, (minus, plus), moved):
        reader.problem(section.line, "the lines that name the file disagree")
    if (old is None and status != "added") or (new is None and status != "deleted"):
        reader.problem(section.line, "the file's name cannot be read")
    return FileChange(
        old=None if status == "added" else old,
        new=None if status == "deleted" else new,
        status=status,
        old_mode=None if status == "added" else section.old_mode,
        new_mode=None if status == "deleted" and not section.created else section.new_mode,
        binary=section.binary,
        added=tuple(section.added),
        deleted=tuple(section.deleted),
        named=_named(written),
        hunks=tuple(Hunk(*span) for span in section.hunks),
    )


def _or_none(raw: bytes | None) -> str | None:
    return None if raw is None else names.one_name(raw)


def _real(name: str | None) -> str | None:
    return None if name == names.DEV_NULL else name


def _old_and_new(
    pair: tuple[str, str] | None, minus: str | None, plus: str | None
) -> tuple[str | None, str | None]:
    """Both paths without prefix; the lines `---` and `+++` go first."""
    prefixed = names.has_prefix(*(pair or (_real(minus), _real(plus))))
    old = _real(minus) or (pair[0] if pair else _real(plus))
    new = _real(plus) or (pair[1] if pair else _real(minus))
    if prefixed:
        old, new = (name and names.strip_prefix(name) for name in (old, new))
    return old or None, new or None


def _status(section: Section, created: bool, removed: bool, moved: bool) -> Status:
    if moved:
        return "copied" if section.copied else "renamed"
    if created and not removed:
        return "added"
    if removed:
        return "deleted"
    changes_mode = section.old_mode != section.new_mode
    return "mode" if changes_mode and not (section.hunks or section.binary) else "modified"


def _pieces(section: Section, moved: tuple[str | None, str | None]) -> tuple[str, ...]:
    """Words of a `diff --git` line whose names cannot be told apart, unless renames explain it."""
    if section.header is None:
        return ()
    header = names.text(section.header)
    explained = {f"a/{moved[0]} b/{moved[1]}", f"{moved[0]} {moved[1]}"}
    return () if header in explained else (header.replace(" ", "/"), *header.split(" ", MAX_WORDS))


def _named(written: Iterable[str | None]) -> tuple[str, ...]:
    """Each name as written and without its first component, which `git apply` takes off by default."""
    every: dict[str, None] = {}
    for name in written:
        if name and name != names.DEV_NULL:
            every |= dict.fromkeys(filter(None, (name, names.strip_prefix(name))))
    return tuple(every)


def _agree(
    pair: tuple[str, str],
    lines: tuple[str | None, str | None],
    moved: tuple[str | None, str | None],
) -> bool:
    """True when the names of `diff --git` are those of `---` and `+++`, and of the rename's lines."""
    for stated, line, plain in zip(pair, lines, moved, strict=True):
        if line not in {None, names.DEV_NULL, stated}:
            return False
        if plain not in {None, stated, names.strip_prefix(stated)}:
            return False
    return True
