"""The two solutions of a task, from the commits: gold is what VIC changed, fixed is gold plus the fix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from szz.paths import outside
from szz.repository import GitFailed, Repository

PATCH = ("diff-tree", "-r", "-p", "--binary", "--full-index", "--no-commit-id", "--no-renames")
PERSON = {
    f"GIT_{who}_{what}": text
    for who in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "arena"), ("EMAIL", "arena@localhost"), ("DATE", "@0 +0000"))
}


class NotMerged(Exception):
    """The fix does not apply to the VIC; the message names the files in conflict."""


@dataclass(frozen=True)
class Solutions:
    """The patches against PVIC, and what of the fix `fixed` leaves out ("" when nothing)."""

    gold: bytes
    fixed: bytes
    note: str = ""


def solutions(repository: Repository, vic: str, vfc: str) -> Solutions:
    """Make both patches. Raises NotMerged, and SzzError when the repository cannot be read.

    The fix is brought onto the VIC by a three-way merge, with the fix's parent as the base. Where that
    conflicts, only what it changes in C and C++ sources is taken, for tests and notes drift the most.
    """
    pvic = repository.commit(vic).parents[0]
    base = repository.commit(vfc).parents[0]
    gold = repository.git(*PATCH, pvic, vic)
    note = ""
    merged = _merge(repository, base, vic, repository.commit(vfc).tree)
    if isinstance(merged, _Conflict):
        note = "the fix without what it changes beside C and C++ sources"
        merged = _merge(repository, base, vic, _sources_only(repository, base, vfc))
    if isinstance(merged, _Conflict):
        raise NotMerged(f"conflicts in {', '.join(merged.files[:5])}")
    return Solutions(gold, repository.git(*PATCH, pvic, merged), note)


@dataclass(frozen=True)
class _Conflict:
    files: tuple[str, ...]


def _merge(repository: Repository, base: str, ours: str, theirs_tree: str) -> str | _Conflict:
    """The tree of the merge of two trees that come from the tree of `base`."""
    root = _commit(repository, repository.commit(base).tree)
    one = _commit(repository, repository.commit(ours).tree, "-p", root)
    other = _commit(repository, theirs_tree, "-p", root)
    line = ("merge-tree", "--write-tree", "--name-only", "--no-messages", one, other)
    done = repository.run(*line)
    said = done.stdout.decode("utf-8", "replace").split("\n")
    if done.returncode not in (0, 1):
        raise GitFailed(f"git merge-tree: {done.stderr.decode('utf-8', 'replace').strip()}")
    return said[0] if done.returncode == 0 else _Conflict(tuple(filter(None, said[1:])))


def _commit(repository: Repository, tree: str, *parents: str) -> str:
    """A commit in the shadow: a merge wants commits to find its base by."""
    done = repository.git("commit-tree", "-m", "base", *parents, tree, env=PERSON)
    return done.decode().strip()


def _sources_only(repository: Repository, base: str, vfc: str) -> str:
    """The tree of `base` with the fix's changes to C and C++ sources, and to nothing else."""
    listed = repository.git("diff-tree", "-r", "-z", "--no-commit-id", "--no-renames", base, vfc)
    parts = listed.split(b"\0")
    lines = bytearray()
    for facts, path in zip(parts[::2], parts[1::2], strict=False):
        _, mode, _, blob, _ = facts.split()
        if not outside(path, "source"):
            lines += mode + b" " + blob + b"\t" + path + b"\0"
    index = {"GIT_INDEX_FILE": str(repository.shadow / "index")}
    Path(index["GIT_INDEX_FILE"]).unlink(missing_ok=True)
    repository.git("read-tree", base, env=index)
    repository.git("update-index", "-z", "--index-info", stdin=bytes(lines), env=index)
    return repository.git("write-tree", env=index).decode().strip()
