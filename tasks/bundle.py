"""`history.bundle`: the history that a pack's tasks need, taken from a clone, in git's bundle format.

A bundle keeps real ids, merges and size. It is written from a scratch repository that borrows the clone's
objects, so nothing in the clone is written, and its configuration, replacements and grafts have no effect.
It is read into a private mirror, from which only what a single commit reaches is fetched.
(Format: gitformat-bundle(5), version 2.)
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tasks import lacking
from tasks.loader import TaskError
from tasks.plumbing import forget, git, git_into, has_commit, init

BUNDLE = "history.bundle"
HEADER = "# v2 git bundle\n"
COMMIT = re.compile(r"[0-9a-f]{40}")
# Nothing depends on how the clone happens to be packed, nor on timing: same commits, same bytes.
PACK = (
    *("-c", "pack.useBitmaps=false", "-c", "core.commitGraph=false"),
    "pack-objects",
    "-q",
    "--revs",
    "--stdout",
    "--delta-base-offset",
    "--no-reuse-delta",
    "--no-reuse-object",
    "--threads=1",
)
REPACK = ("pack-objects", "-q", "--revs", "--stdout", "--delta-base-offset")


class UnknownCommit(TaskError):
    """A commit that a task names is not in the history it names."""


def find_bundle(history: Path) -> Path | None:
    """The bundle of a history, or None. Raises TaskError when it is no plain file, or not alone."""
    path = history / BUNDLE
    if not path.exists() and not path.is_symlink():
        return None
    if path.is_symlink() or not path.is_file():
        raise TaskError(f"{path}: a plain file is expected")
    if any(history.glob("[0-9]*.patch")):
        raise TaskError(f"{history}: holds both {BUNDLE} and patches; keep one of the two")
    return path


def unbundle(bundle: Path, target: Path, until: str | None) -> list[str]:
    """Make a fresh repository at `target` of what `until` reaches, or of all of the bundle.

    Returns the ids, parents before children. Raises TaskError, UnknownCommit.
    """
    with tempfile.TemporaryDirectory(prefix="arena-bundle-") as scratch:
        mirror = Path(scratch, "mirror")
        init(mirror, "--bare")
        try:
            listed = git(mirror, "bundle", "unbundle", str(bundle.resolve()))
        except TaskError as error:
            raise TaskError(f"{bundle}: not a whole bundle: {error}") from error
        tips = _tips(mirror, bundle, listed) if until is None else [until]
        if not has_commit(mirror, tips[0]):
            raise UnknownCommit(f"{bundle}: commit {until} is not in this history")
        init(target)
        absent = lacking.load_lacking(bundle.parent)
        try:
            _move(mirror, target, tips, bool(absent))
        except TaskError as error:
            raise TaskError(f"{bundle}: objects are missing in it: {error}") from error
    if absent:
        lacking.promise(target)
        lacking.check_out(target, absent)
    else:
        git(target, "checkout", "-q", "-f", "main", "--")
    forget(target)
    return git(target, "rev-list", "--reverse", "--topo-order", "--branches").split()


def _move(mirror: Path, target: Path, tips: Sequence[str], partial: bool) -> None:
    """Put what `wanted` reaches, and nothing else, into `target`, with a branch for each."""
    packs = target.resolve() / ".git/objects/pack"  # git runs in `target`
    half = packs / "half.pack"
    with half.open("wb") as pack:
        more = [lacking.ALLOWING] if partial else []
        git_into(pack, mirror, *REPACK, *more, stdin="".join(f"{w}\n" for w in tips).encode())
    name = git(target, "index-pack", str(half)).strip()
    for part in packs.glob("half.*"):
        part.rename(packs / f"pack-{name}{part.suffix}")
    for number, id_ in enumerate(tips):
        git(target, "update-ref", f"refs/heads/tip-{number}" if number else "refs/heads/main", id_)


def _tips(mirror: Path, bundle: Path, listed: str) -> list[str]:
    """The commits that a bundle's refs stand for; HEAD or `main` first."""
    refs = [line.partition(" ") for line in listed.splitlines()]
    refs.sort(key=lambda ref: (ref[2] not in ("HEAD", "refs/heads/main"), ref[2]))
    peeled = [git(mirror, "rev-parse", "--verify", f"{id_}^{{}}").strip() for id_, _, _ in refs]
    commits = [id_ for id_ in dict.fromkeys(peeled) if has_commit(mirror, id_)]
    if not commits:
        raise TaskError(f"{bundle}: names no commit")
    return commits


def write_bundle(repository: Path, commits: Sequence[str], folder: Path) -> Path:
    """Write `folder`/history.bundle with `commits` and all that comes before them; returns its path.

    `repository` is a local clone: bare, with a working tree, or a linked working tree. It is only read. The
    same commits give the same bytes (with the same version of git and zlib). A few blobs that the clone lacks
    are left out and recorded (`tasks.lacking`). Raises TaskError when it lacks a commit or more than that.
    """
    clone = _common_folder(repository)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("[0-9]*.patch")):
        raise TaskError(f"{folder}: holds a history as patches already")
    with tempfile.TemporaryDirectory(prefix="arena-bundle-") as scratch:
        borrowing = Path(scratch, "borrowing")
        init(borrowing, "--bare")
        (borrowing / "objects/info").mkdir(exist_ok=True)
        (borrowing / "objects/info/alternates").write_bytes(os.fsencode(clone / "objects") + b"\n")
        try:
            tips = _independent(borrowing, commits)
            absent = lacking.find(borrowing, tips)  # packing takes long and stops at the first one
            written = _write(borrowing, tips, folder, bool(absent))
            lacking.keep(folder, absent)
            return written
        except TaskError as error:
            reason = str(error).replace(str(borrowing), str(repository))
            raise TaskError(f"{repository}: {_shortcoming(clone)}{reason}") from error


def _write(borrowing: Path, tips: Sequence[str], folder: Path, partial: bool) -> Path:
    names = ["main", *(f"tip-{number}" for number in range(1, len(tips)))]
    heads = "".join(f"{t} refs/heads/{n}\n" for t, n in zip(tips, names, strict=True))
    half = tempfile.NamedTemporaryFile(dir=folder, prefix=".half-", delete=False)  # noqa: SIM115
    try:
        with half:
            half.write((HEADER + heads + "\n").encode())
            more = [lacking.ALLOWING] if partial else []
            git_into(half, borrowing, *PACK, *more, stdin="".join(f"{t}\n" for t in tips).encode())
        Path(half.name).chmod(0o644)
        return Path(half.name).replace(folder / BUNDLE)
    except BaseException:
        Path(half.name).unlink()
        raise


def _independent(repository: Path, commits: Sequence[str]) -> list[str]:
    """Those of `commits` that none of the others reaches, the latest first."""
    if not commits:
        raise TaskError("no commit is asked for")
    for commit in commits:
        if not COMMIT.fullmatch(commit):
            raise TaskError(f"{commit!r} is not a full commit id")
        if not has_commit(repository, commit):
            raise UnknownCommit(f"commit {commit} is not in it")
    tips = git(repository, "merge-base", "--independent", *dict.fromkeys(commits)).split()
    dated = git(repository, "log", "--no-walk=unsorted", "--format=%ct %H", *tips).splitlines()
    parted = (line.split() for line in dated)
    return [id_ for _, id_ in sorted((-int(when), id_) for when, id_ in parted)]


def _common_folder(repository: Path) -> Path:
    """The folder with the clone's objects, under any owner. Raises TaskError."""
    if not repository.is_dir():
        raise TaskError(f"{repository}: no such folder")
    arguments = ("rev-parse", "--path-format=absolute", "--git-common-dir")
    try:
        folder = git(repository, "-c", "safe.directory=*", *arguments)
    except TaskError as error:
        raise TaskError(f"{repository}: not a git repository that can be read: {error}") from error
    return Path(folder.removesuffix("\n"))


def _shortcoming(clone: Path) -> str:
    """Why a clone lacks objects, where that shows, with the command that completes it; "" elsewhere."""
    if (clone / "shallow").exists():
        return "a shallow clone (git fetch --unshallow completes it): "
    if any((clone / "objects/pack").glob("*.promisor")):
        return "a partial clone (git fetch --refetch --no-filter completes it): "
    return ""
