"""The states of a project's repository as git trees: commits, and the working tree.

git works on a shadow (`szz.repository`), so that nothing is written into the user's repository, and its
configuration and hooks take no part. `git archive` is not used: `export-ignore` and `export-subst`, which a
change can set, would take files out of what is built or rewrite them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from szz.repository import NoCommit, Repository

WORKING_TREE = "."
PLAIN_FILES = ("100644", "100755")
SUBMODULE = "160000"


@dataclass(frozen=True)
class GitState:
    """A state of the repository. name: the user's word for it. commit: "" for the working tree."""

    name: str
    commit: str
    tree: str

    @property
    def label(self) -> str:
        """The first 12 digits of the commit, for people."""
        return self.commit[:12] or "working tree"


@dataclass(frozen=True)
class TreeChanges:
    """Files that differ between two trees: contents by path, and renames from old to new path."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    renames: Mapping[str, str]

    @property
    def paths(self) -> frozenset[str]:
        return frozenset((*self.before, *self.after))


class ProjectCheckout:
    """A repository that has been opened, and the states in it."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.top = repository.work_tree()
        # Not as a decorator, whose cache would keep every checkout alive.
        self.files = lru_cache(maxsize=4)(self._files)

    def state(self, name: str) -> GitState:
        """The state of a commit (hash, branch, tag), or of "." for the working tree. Raises ValueError."""
        if name == WORKING_TREE:
            return GitState(name, "", self._write_working_tree())
        try:
            commit = self._repository.commit(self._repository.resolve(name))
        except NoCommit as error:
            raise ValueError(str(error)) from error
        return GitState(name, commit.id, commit.tree)

    def locate(self, file: Path) -> str:
        """The path of a file relative to the repository; "" if it is elsewhere."""
        where = file.resolve()
        return where.relative_to(self.top).as_posix() if where.is_relative_to(self.top) else ""

    def read(self, blob: str) -> bytes:
        """The content of a file by its object's id, cut at `szz.repository.MAX_BLOB` bytes."""
        return self._repository.read(blob)[1]

    def _files(self, tree: str) -> dict[str, str]:
        """Ids of a tree's plain files by path."""
        return {path: blob for path, mode, blob in self._entries(tree) if mode in PLAIN_FILES}

    def submodules(self, tree: str) -> list[str]:
        """Paths of submodules, whose files are in no tree."""
        return [path for path, mode, _ in self._entries(tree) if mode == SUBMODULE]

    def _entries(self, tree: str) -> list[tuple[str, str, str]]:
        # git's names of files are bytes and need not be UTF-8.
        listed = os.fsdecode(self._repository.git("ls-tree", "-r", "-z", tree))
        rows = [row.partition("\t")[::2] for row in listed.split("\0") if row]
        return [(path, facts.split()[0], facts.split()[2]) for facts, path in rows]

    def write(self, tree: str, folder: Path) -> None:
        """Write a tree's files into an empty folder, as git checks them out without configuration."""
        with tempfile.TemporaryDirectory(prefix="arena-index-") as scratch:
            # Suite and fuzz target are written at the same time: each has an index of its own.
            env = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
            self._repository.git("read-tree", tree, env=env)
            place = f"--work-tree={folder}"
            self._repository.git(place, "checkout-index", "-a", "-f", "-q", env=env)

    def changes(self, base: GitState, head: GitState) -> TreeChanges:
        """What differs from BASE to HEAD in plain files; renames are those of 50 % likeness."""
        # A large change has more renames than git looks for unless it is told.
        words = ("diff-tree", "-r", "-z", "-M", "-l2000", "--raw", "--no-abbrev")
        output = os.fsdecode(self._repository.git(*words, base.tree, head.tree))
        rest = iter(output.split("\0"))
        before: dict[str, bytes] = {}
        after: dict[str, bytes] = {}
        renames: dict[str, str] = {}
        for facts in rest:
            if not facts:
                break
            old_mode, new_mode, old_blob, new_blob, status = facts.lstrip(":").split()
            old = next(rest)
            # With `-z` the two paths of a rename are two fields.
            new = next(rest) if status.startswith(("R", "C")) else old
            if old_mode in PLAIN_FILES:
                before[old] = self.read(old_blob)
            if new_mode in PLAIN_FILES:
                after[new] = self.read(new_blob)
            if status.startswith("R"):
                renames[old] = new
        return TreeChanges(before, after, renames)

    def _write_working_tree(self) -> str:
        """The tree of the working tree, with new files but those that are ignored."""
        with tempfile.TemporaryDirectory(prefix="arena-index-") as scratch:
            env = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
            self._repository.git(
                f"--work-tree={self.top}", "-C", str(self.top), "add", "-A", env=env
            )
            return self._repository.git("write-tree", env=env).decode().strip()
