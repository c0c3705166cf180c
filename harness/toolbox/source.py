"""A source tree from where a user has it: a folder, an archive, or a tag in a git repository."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from pathlib import Path

from harness.toolbox.faults import ToolboxError, run
from harness.toolbox.recipe import Source
from tasks import unpacking

MAX_FILES, MAX_BYTES = 50_000, 1 << 30
# The user's clone may belong to another user, and may name a file system monitor to run.
GIT = ("git", "-c", "core.fsmonitor=false", "-c", "safe.directory=*", "-C")


def lay_down(wanted: Source, origin: Path, into: Path) -> None:
    """Copy those of `wanted.paths` that are there. Raises ToolboxError for what is no such tree."""
    try:
        if origin.is_file():
            _from_archive(wanted, origin, into)
        elif _is_repository(origin):
            _from_repository(wanted, origin, into)
        else:
            _copy(wanted, origin, into)
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
        raise ToolboxError(f"--source: {origin}: {error}") from error
    lacking = [path for path in wanted.paths if not (into / path).exists()]
    if lacking:
        raise ToolboxError(
            f"--source: {origin}: lacks {', '.join(lacking)}; it wants {wanted.description}"
        )


def _copy(wanted: Source, origin: Path, into: Path) -> None:
    into.mkdir()
    for name in wanted.paths:
        path = origin / name
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", ".git")
            shutil.copytree(path, into / name, symlinks=True, ignore=ignored)
        elif path.is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, into / name)


def _is_repository(origin: Path) -> bool:
    return (origin / ".git").exists() or (
        (origin / "objects").is_dir() and (origin / "HEAD").is_file()
    )


def _from_repository(wanted: Source, origin: Path, into: Path) -> None:
    """Extract the tag's files, whatever is checked out; further paths may lack their objects."""
    try:
        tag = f"refs/tags/{wanted.tag}^{{commit}}"
        commit = run([*GIT, origin, "rev-parse", "--verify", "--quiet", tag]).strip()
    except ToolboxError as error:
        raise ToolboxError(
            f"--source: {origin}: has no tag {wanted.tag} (git fetch --tags)"
        ) from error
    objects = origin / run([*GIT, origin, "rev-parse", "--git-path", "objects"]).strip()
    # In a repository of our own, so that no configuration of the given one says what to run.
    clone, archive = into.with_name(f".{into.name}.git"), into.with_name(f".{into.name}.tar")
    run(["git", "init", "-q", "--bare", "--template=", clone])
    try:
        argv = (*GIT, clone, "archive", "--format=tar", f"--output={archive}", commit, "--")
        run(
            [*argv, *wanted.paths],
            more={"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects.resolve())},
        )
    finally:
        shutil.rmtree(clone)
    try:
        _from_archive(wanted, archive, into)
    finally:
        archive.unlink()


def _from_archive(wanted: Source, origin: Path, into: Path) -> None:
    """Unpack a tar or zip, of which a single folder at its top may hold everything, as in releases."""
    whole = into.with_name(f".{into.name}.unpacked")
    whole.mkdir()
    try:
        if zipfile.is_zipfile(origin):
            with zipfile.ZipFile(origin) as zipped:
                _expect_bounded([each.file_size for each in zipped.infolist()])
                zipped.extractall(whole)  # noqa: S202 - names that leave it are made to stay
        else:
            with tarfile.open(origin) as tarred:
                _expect_bounded([each.size for each in tarred])
                for member in tarred:
                    unpacking.lay_down(tarred, member, whole)
        inside = list(whole.iterdir())
        top = inside[0] if len(inside) == 1 and inside[0].is_dir() else whole
        _copy(wanted, top, into)
    finally:
        shutil.rmtree(whole)


def _expect_bounded(sizes: list[int]) -> None:
    if len(sizes) > MAX_FILES or sum(sizes) > MAX_BYTES:
        raise ToolboxError(f"--source: over {MAX_FILES} files or {MAX_BYTES >> 30} GiB")
