"""A tree from a commit of a local repository, which is only read."""

from __future__ import annotations

import os
import subprocess
from functools import lru_cache
from pathlib import Path

from arena.building.suites._tree import SourceTree
from szz.shield import QUIET
from tasks.loader import TaskError

TIMEOUT = 120
# Files of a tree that are not read once more.
MAX_KEPT = 300


def git_tree(repository: Path, commit: str = "HEAD") -> SourceTree:
    """The files of `commit`, read from the object store. Raises TaskError when it cannot be read."""
    # A name that begins with a hyphen would be an option of git's, and one with a colon a path within a
    # commit.
    if commit.startswith("-") or ":" in commit:
        raise TaskError(f"{repository}: not a commit: {commit!r}")
    listed = _git(repository, "ls-tree", "-r", "-z", "--format=%(objectmode) %(path)", commit)
    paths = [
        os.fsdecode(line[7:]) for line in listed.split(b"\0") if line[:6] in (b"100644", b"100755")
    ]

    @lru_cache(MAX_KEPT)  # several systems read the same build files
    def read(path: str, limit: int) -> bytes:
        return _git(repository, "cat-file", "blob", f"{commit}:{path}")[:limit]

    return SourceTree.from_paths(paths, read)


def _git(repository: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(
            # The clone may belong to another user than the arena; git refuses such a repository otherwise.
            ["git", "-c", "safe.directory=*", "-C", str(repository), *words],
            capture_output=True,
            check=False,
            env=QUIET,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise TaskError(f"{repository}: git {words[0]} takes more than {TIMEOUT} s") from error
    if done.returncode:
        error_line = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise TaskError(f"{repository}: {error_line}")
    return done.stdout
