"""A repository stored in a pack -> a git repository with past history only, and the same ids everywhere.

It is stored as ordered mail patches, or as `history.bundle` (see `bundle.py`) where the ids must be those
of the real repository, or where it is too large to be read. Each patch carries author and date; the
committer is set to the author, and git is shielded from the user's configuration, so the ids depend on
nothing but the patches. What comes after the wanted commit is not there at all, under no ref and in no
object.
"""

from __future__ import annotations

import os
from pathlib import Path

from tasks.bundle import UnknownCommit, find_bundle, unbundle
from tasks.loader import TaskError
from tasks.modules import fill
from tasks.plumbing import forget, git, init

__all__ = ["UnknownCommit", "git", "materialise", "patches"]


def patches(history: Path) -> list[Path]:
    """The patches of a history in order. Raises TaskError when there is none."""
    patches_found = sorted(history.glob("[0-9]*.patch"))
    if not patches_found:
        raise TaskError(f"{history}: no history.bundle and no NNNN-*.patch in it")
    return patches_found


def materialise(history: Path, target: Path, until: str | None = None) -> list[str]:
    """Make the repository at `target` up to commit `until`; by default all of it.

    Up to a commit it holds a single branch, `main`, and what can be reached from it. Returns the commit ids,
    parents before children, the last of them checked out. Raises TaskError when a patch does not apply or the
    bundle is spoilt, and UnknownCommit when `until` is not among the commits.
    """
    bundle = find_bundle(history)
    ids = unbundle(bundle, target, until) if bundle else _apply_patches(history, target, until)
    fill(history, target)
    return ids


def _apply_patches(history: Path, target: Path, until: str | None) -> list[str]:
    init(target)
    ids: list[str] = []
    for patch in patches(history):
        git(target, "am", "-q", *AM_FLAGS, str(patch.resolve()), env=_committer(target, patch))
        ids.append(git(target, "rev-parse", "HEAD").strip())
        if ids[-1] == until:
            break
    if until is not None and ids[-1] != until:
        raise UnknownCommit(
            f"{history}: commit {until} is not in this history (it ends at {ids[-1]})"
        )
    forget(target)
    return ids


AM_FLAGS = ("--committer-date-is-author-date", "--keep-cr", "--no-gpg-sign")


def _committer(repository: Path, patch: Path) -> dict[str, str]:
    """The author as git itself reads it, to be the committer as well."""
    output = git(repository, "mailinfo", os.devnull, os.devnull, stdin=patch.read_bytes())
    lines = [line.partition(": ") for line in output.split("\n")]
    headers = {key: value for key, _, value in reversed(lines)}
    if not headers.get("Author") or not headers.get("Email"):
        raise TaskError(f"{patch}: From: no name and address")
    return {"GIT_COMMITTER_NAME": headers["Author"], "GIT_COMMITTER_EMAIL": headers["Email"]}
