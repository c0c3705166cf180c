"""Blobs that a clone lacks and nobody needs: large files that a mirror leaves out, or that nobody fetched.

<history>/lacking   the id and a path of each, a line each, beside the history's bundle

A repository from such a history is a partial clone in git's sense: the blobs are promised by a remote
that cannot be reached, so that git works wherever it does not need them. Their files are not checked out,
and their index entries say so. (Sources: git's documentation of partial clones, and of skip-worktree.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.loader import TaskError
from tasks.plumbing import git, git_lines
from tasks.writing import write_whole

FILE = "lacking"
MAX_LACKING = 100
# At most `MAX_LACKING` blobs, and one in `SHARE`, may be lacking; where more are, the clone is no clone.
SHARE = 20
REMOTE = "absent"
# Settings of a repository that lacks blobs.
PROMISED = {
    "core.repositoryformatversion": "1",
    "extensions.partialClone": REMOTE,
    f"remote.{REMOTE}.promisor": "true",
}
CHANGES = ("log", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "--root")
ALLOWING = "--missing=allow-any"


def too_many(lacking: int, among: int) -> bool:
    """Whether so many blobs are more than a clone may lack."""
    return lacking > MAX_LACKING or lacking * SHARE > among


def find(repository: Path, tips: Sequence[str]) -> dict[str, str]:
    """Id -> a path of each blob that is not in `repository` though a commit of `tips` reaches it.

    Raises TaskError, with a path, when too many are missing, or anything but a file's content is.
    """
    missing, present_count = set[str](), 0
    with git_lines(repository, "rev-list", "--objects", "--missing=print", *tips) as lines:
        for line in lines:
            present_count += 1
            if line.startswith("?"):
                missing.add(line[1:])
    if not missing:
        return {}
    lacks: dict[str, str] = {}
    with git_lines(repository, *CHANGES, *tips, "--") as lines:
        for line in lines:
            facts, _, path = line.partition("\t")
            oid = facts.split()[3] if path else ""
            if oid in missing:
                lacks.setdefault(oid, path)
    such = next(iter(lacks.values()), "") or min(missing)
    if too_many(len(missing), present_count) or lacks.keys() != missing:
        raise TaskError(f"{len(missing)} objects of the history are missing, such as {such}")
    return lacks


def keep(history: Path, lacking: Mapping[str, str]) -> None:
    """Write down what a history lacks; nothing when it is whole."""
    path = history / FILE
    path.unlink(missing_ok=True)
    if lacking:
        write_whole(path, "".join(f"{oid} {name}\n" for oid, name in lacking.items()).encode())


def load_lacking(history: Path) -> frozenset[str]:
    """The ids of the blobs that a history lacks. Raises TaskError for a spoilt file."""
    path = history / FILE
    if not path.is_file():
        return frozenset()
    ids = [line[:40] for line in path.read_bytes().split(b"\n") if line]
    if len(ids) > MAX_LACKING or not all(len(id_) == 40 and id_.isalnum() for id_ in ids):
        raise TaskError(f"{path}: at most {MAX_LACKING} lines, each with an object's id and a path")
    return frozenset(id_.decode("ascii", "replace") for id_ in ids)


def promise(repository: Path) -> None:
    """Mark every pack in a repository as a pack whose missing blobs are promised."""
    for key, value in PROMISED.items():
        git(repository, "config", key, value)
    for pack in (repository / ".git/objects/pack").glob("*.pack"):
        pack.with_suffix(".promisor").touch()


def check_out(repository: Path, lacking: frozenset[str]) -> None:
    """Check out HEAD but for the files whose blobs are lacking."""
    git(repository, "read-tree", "HEAD")
    staged = (row.partition("\t") for row in git(repository, "ls-files", "-s", "-z").split("\0"))
    names = [name for facts, _, name in staged if name and facts.split()[1] in lacking]
    listed = "\0".join(names).encode("utf-8", "surrogateescape")
    git(repository, "update-index", "-z", "--skip-worktree", "--stdin", stdin=listed)
    git(repository, "checkout-index", "-q", "-a", "-u")
