"""A revision's files as a tar archive: its files, its submodules', and those carried from the fix."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

from arena.building.revisions.objects import EXECUTABLE, SUBMODULE, SYMLINK, Objects, TreeEntry
from harness.grade.oracle import matches_any
from harness.grade.ports import digest_of
from harness.sandbox.archive import SOURCE_MTIME
from tasks.lacking import too_many
from tasks.loader import TaskError

MAX_FILES = 1_000_000
# Below Linux's 4,096 with room for the working folder.
MAX_PATH = 4000
MAX_NAME = 255
MAX_DEPTH = 5
SHOWN = 3
NAMES_AS_THEY_ARE: dict[str, Any] = {
    "format": tarfile.GNU_FORMAT,  # which, unlike pax, has no rule that names be UTF-8
    "encoding": "utf-8",
    "errors": "surrogateescape",
}
RESERVED = frozenset({"", ".", "..", ".git"})


class UnfitSource(Exception):
    """A revision that no file system or no sandbox of this size could hold; why, in a line."""


@dataclass(frozen=True)
class SourcePart:
    """Files of an object store; `path` of each entry counts from the revision's root."""

    objects: Objects
    entries: tuple[TreeEntry, ...]


@dataclass(frozen=True)
class Revision:
    """All files of a revision, not yet read.

    `identity` names the content. `carried`, `absent` and `lacking` list files taken from the fix,
    submodules whose commit is in no repository here (their folders are empty), and files whose content
    the repository lacks (they are left out).
    """

    commit: str
    identity: str
    parts: tuple[SourcePart, ...]
    carried: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the gaps of a revision, a line each."""
        lacking = {"submodules not here": self.absent, "files not in the repository": self.lacking}
        return tuple(
            f"{what}: {', '.join(ascii(path)[1:-1] for path in paths[:SHOWN])}"
            for what, paths in lacking.items()
            if paths
        )

    def write(self, target: IO[bytes], workdir: str, uid: int, limit: int) -> None:
        """Write the files below `workdir` as a tar archive.

        Raises TaskError, and UnfitSource when their content has more than `limit` bytes.
        """
        root = workdir.strip("/")
        with tarfile.open(fileobj=target, mode="w", **NAMES_AS_THEY_ARE) as tar:
            for folder in self._folders():
                tar.addfile(_header(f"{root}/{folder}", uid, tarfile.DIRTYPE, 0o755))
            for part in self.parts:
                limit -= _write_part(tar, part, root, uid, limit)

    def _folders(self) -> list[str]:
        """Every folder above a file, and those of absent submodules, outermost first."""
        paths = [entry.path for part in self.parts for entry in part.entries]
        return sorted(
            {folder for path in paths for folder in _parent_folders(path)} | set(self.absent)
        )


def revision(
    objects: Objects,
    commit: str,
    fix: str = "",
    carry: Sequence[str] = (),
    over: frozenset[str] = frozenset(),
) -> Revision:
    """The files of `commit`; those of `fix` that `carry` (globs) names are added where it lacks them.

    over: paths of `carry` at which files of `fix` replace those of `commit`. Raises TaskError when an object
    is missing, UnfitSource when a path is no path of a plain file.
    """
    tree = objects.tree_of(commit)
    own_entries = list(_bound_entries(objects.entries(tree)))
    parts, absent = _with_submodules(objects, own_entries, "", MAX_DEPTH)
    carried: list[TreeEntry] = []
    if carry and fix and fix != commit:
        entries = list(_bound_entries(objects.entries(objects.tree_of(fix))))
        # Only the paths in `over` are replaced; every other file of the revision goes before the fix's.
        theirs = {entry.path: entry for entry in entries if entry.path in over}
        kept_entries = tuple(e for e in parts[0].entries if theirs.get(e.path, e).oid == e.oid)
        parts[0] = replace(parts[0], entries=kept_entries)
        taken = {entry.path for part in parts for entry in part.entries} | set(absent)
        carried = list(_carried_entries(entries, carry, taken))
        parts.append(SourcePart(objects, tuple(carried)))
    _check([entry.path for part in parts for entry in part.entries])
    others = [f"{e.mode} {e.oid} {e.path}" for part in parts[1:] for e in part.entries]
    parts, left_out = _drop_lacking(parts)
    # The tree's own id stands for all files of the revision; only what comes from elsewhere is listed.
    identity = digest_of(tree, *others, *(f"lacking {path}" for path in left_out))
    names = tuple(entry.path for entry in carried)
    return Revision(commit, identity, tuple(parts), names, tuple(absent), left_out)


def _drop_lacking(parts: Sequence[SourcePart]) -> tuple[list[SourcePart], tuple[str, ...]]:
    """The parts without files whose content is missing, and these; raises TaskError when they are many."""
    complete: list[SourcePart] = []
    left_out: list[str] = []
    for part in parts:
        missing = part.objects.lacking([entry.oid for entry in part.entries])
        paths = [entry.path for entry in part.entries if entry.oid in missing]
        if too_many(len(paths), len(part.entries)):
            what = (
                f"{len(paths)} files of {len(part.entries)}, such as {paths[0]!a}, cannot be read"
            )
            raise TaskError(f"{part.objects.repository}: {what} {part.objects.kind()}")
        left_out += paths
        complete.append(
            replace(part, entries=tuple(e for e in part.entries if e.oid not in missing))
        )
    return complete, tuple(left_out)


def submodules(objects: Objects, commit: str) -> dict[str, Revision]:
    """Commit of each submodule of a commit -> its files, with those of submodules within; what is here.

    Raises TaskError, UnfitSource.
    """
    entries = list(_bound_entries(objects.entries(objects.tree_of(commit))))
    stated = next((e.oid for e in entries if e.path == ".gitmodules"), "")
    links = [e for e in entries if e.mode == SUBMODULE]
    names = objects.submodules(stated) if links and stated else {}
    revisions: dict[str, Revision] = {}
    for link in links:
        module = objects.submodule(link.path, *names.get(link.path, (link.path, "")))
        if module is not None and module.has(link.oid):
            revisions[link.oid] = revision(module, link.oid)
    return revisions


def _bound_entries(entries: Iterator[TreeEntry]) -> Iterator[TreeEntry]:
    for count, entry in enumerate(entries):
        if count >= MAX_FILES:
            raise UnfitSource(f"its tree has more than {MAX_FILES} files")
        yield entry


def _with_submodules(
    objects: Objects, entries: list[TreeEntry], prefix: str, depth: int
) -> tuple[list[SourcePart], list[str]]:
    """The files of a tree and of the submodules in it that are here, and the paths of those that are not."""
    plain = [e for e in entries if e.mode != SUBMODULE]
    parts = [SourcePart(objects, tuple(TreeEntry(prefix + e.path, e.mode, e.oid) for e in plain))]
    absent: list[str] = []
    links = [e for e in entries if e.mode == SUBMODULE]
    stated = next((e.oid for e in plain if e.path == ".gitmodules"), "")
    names = objects.submodules(stated) if links and stated else {}
    for link in links:
        path = f"{prefix}{link.path}"
        _check([path])
        stated_as = names.get(link.path, (link.path, ""))
        submodule_objects = objects.submodule(link.path, *stated_as) if depth else None
        if submodule_objects is None or not submodule_objects.has(link.oid):
            absent.append(path)
            continue
        inner = list(_bound_entries(submodule_objects.entries(submodule_objects.tree_of(link.oid))))
        more, lacking = _with_submodules(submodule_objects, inner, f"{path}/", depth - 1)
        parts += more
        absent += lacking
    return parts, absent


def _carried_entries(
    fixed: Sequence[TreeEntry], carry: Sequence[str], taken: set[str]
) -> Iterator[TreeEntry]:
    """Entries of the fix that `carry` names and that fit beside the files at `taken`."""
    folders = {folder for path in taken for folder in _parent_folders(path)}
    for entry in fixed:
        # A file cannot lie where the revision has a folder, or below one of its files.
        free = (
            entry.path not in taken
            and entry.path not in folders
            and not taken & set(_parent_folders(entry.path))
        )
        if entry.mode != SUBMODULE and matches_any(entry.path, carry) and free:
            yield entry


def _parent_folders(path: str) -> list[str]:
    """Every folder that contains `path`, outermost first."""
    return [path[:index] for index, letter in enumerate(path) if letter == "/"]


def _check(paths: Sequence[str]) -> None:
    """Raise Unfit for paths that git would not check out, or that no file system holds."""
    for path in paths:
        names = path.split("/")
        has_bad_name = any(name.lower() in RESERVED or len(_raw(name)) > MAX_NAME for name in names)
        if has_bad_name or len(_raw(path)) > MAX_PATH:
            raise UnfitSource(f"its tree holds a path that cannot be checked out: {path[:80]!a}")
    files = set(paths)
    if len(files) < len(paths) or any(
        not files.isdisjoint(_parent_folders(path)) for path in files
    ):
        raise UnfitSource("its tree holds one path twice")


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _header(path: str, uid: int, kind: bytes, mode: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.type, info.mode, info.mtime = kind, mode, SOURCE_MTIME
    info.uid = info.gid = uid
    return info


def _write_part(tar: tarfile.TarFile, part: SourcePart, root: str, uid: int, limit: int) -> int:
    """Write the files of an object store; returns how many bytes of content they have."""
    written = 0
    blobs = part.objects.blobs([entry.oid for entry in part.entries])
    for entry, (size, stream) in zip(part.entries, blobs, strict=True):
        written += size
        if written > limit:
            raise UnfitSource("its tree has more bytes than limits.disk allows")
        mode = 0o755 if entry.mode == EXECUTABLE else 0o644
        info = _header(f"{root}/{entry.path}", uid, tarfile.REGTYPE, mode)
        if entry.mode == SYMLINK:
            _link(info, stream.read(min(size, MAX_PATH + 1)), entry.path)
            tar.addfile(info)
        else:
            info.size = size
            tar.addfile(info, stream)
    return written


def _link(info: tarfile.TarInfo, content: bytes, path: str) -> None:
    """Turn a header into that of a symbolic link, which is stored as data: nothing here follows it."""
    if not content or len(content) > MAX_PATH or b"\0" in content:
        raise UnfitSource(f"its tree holds a symbolic link to nowhere: {path[:80]!a}")
    info.type, info.linkname = tarfile.SYMTYPE, content.decode("utf-8", "surrogateescape")
