"""Submodules of a history: their files at the commits that tasks need, beside the history itself.

<history>/modules/<commit>.tar.xz   the files of a submodule at that commit, without git's files

A task's repository has them as plain files where the submodule belongs; git takes them for the submodule as
it should be. What is changed in them is no part of a patch.
"""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path
from typing import IO

from tasks.loader import TaskError
from tasks.plumbing import git
from tasks.unpacking import lay_down
from tasks.writing import write_whole

FOLDER = "modules"
SUBMODULE = "160000"
MAX_FILES = 200_000
MAX_BYTES = 1 << 30


def keep(history: Path, commit: str, tar: IO[bytes]) -> None:
    """Store a submodule's files at `commit`, a tar archive, unless they are there."""
    path = history / FOLDER / f"{commit}.tar.xz"
    if not path.is_file():
        tar.seek(0)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lzma.compress(tar.read()))


def fill(history: Path, repository: Path) -> None:
    """Put the files of the checked-out commit's submodules where they belong, as far as they are stored.

    Raises TaskError for an archive that is spoilt, too large, or leaves its folder.
    """
    if not (history / FOLDER).is_dir():
        return
    for row in git(repository, "ls-tree", "-r", "-z", "--full-tree", "HEAD").split("\0"):
        facts, _, path = row.partition("\t")
        if not facts.startswith(f"{SUBMODULE} "):
            continue
        archive = history / FOLDER / f"{facts.split()[2]}.tar.xz"
        if archive.is_file():
            _unpack(archive, repository / path)


def _unpack(archive: Path, target: Path) -> None:
    size = 0
    try:
        with lzma.open(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
            target.mkdir(parents=True, exist_ok=True)
            for count, member in enumerate(tar):
                size += member.size
                if count >= MAX_FILES or size > MAX_BYTES:
                    raise TaskError(f"{archive}: larger than a submodule may be")
                lay_down(tar, member, target)
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError) as error:
        raise TaskError(f"{archive}: not a whole archive: {error}") from error
