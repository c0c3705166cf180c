"""The two solutions of a task, from the commits: gold is what VIC changed, fixed is gold plus the fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


@dataclass(frozen=True)
class FixedPatch:
    """A patch against PVIC that may be gold without its weakness, and the way it was made."""

    patch: bytes
    how: str


def gold(repository: Repository, vic: str) -> bytes:
    """What VIC changed against its first parent. Raises SzzError."""
    return repository.git(*PATCH, repository.commit(vic).parents[0], vic)


def fixes(repository: Repository, vic: str, vfc: str) -> Iterator[FixedPatch]:
    """The ways to bring the fix onto the VIC, the one that brings least besides first.

    1. `merge`: a three-way merge of VIC and the fix, with the fix's parent as the base;
    2. `sources`: the same of what the fix changes in C and C++ sources, for tests and notes drift most;
    3. `files`: as 2, and files in conflict as they are at the fix;
    4. `feature`: the sources that VIC changes as they are at the fix, for what is new may be mended several
       times before it; files of the build stay as they are;
    5. `tree`: everything as it is at the fix, which is known to build and to be clean.

    Which of them works only grading can tell. The same patch comes once. Raises SzzError.
    """
    pvic = repository.commit(vic).parents[0]
    base = repository.commit(vfc).parents[0]
    whole = repository.commit(vfc).tree
    merged = _merge(repository, base, vic, whole)
    sources = _merge(repository, base, vic, _sources_only(repository, base, vfc))
    ways = {
        "merge": None if merged.conflicts else merged.tree,
        "sources": None if sources.conflicts else sources.tree,
        "files": _with_files(repository, sources.tree, sources.conflicts, vfc),
        "feature": _with_files(repository, vic, _sources_changed(repository, pvic, vic), vfc),
        "tree": whole,
    }
    seen = set()
    for how, tree in ways.items():
        if tree is not None and tree not in seen:
            seen.add(tree)
            yield FixedPatch(repository.git(*PATCH, pvic, tree), how)


@dataclass(frozen=True)
class _Merge:
    """A merge's tree, in which files in conflict hold both sides, and these files."""

    tree: str
    conflicts: tuple[bytes, ...]


def _merge(repository: Repository, base: str, ours: str, theirs_tree: str) -> _Merge:
    """The merge of two trees that come from the tree of `base`."""
    root = _commit(repository, repository.commit(base).tree)
    one = _commit(repository, repository.commit(ours).tree, "-p", root)
    other = _commit(repository, theirs_tree, "-p", root)
    line = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one, other)
    done = repository.run(*line)
    tree, *files = done.stdout.split(b"\0")
    if done.returncode not in (0, 1):
        raise GitFailed(f"git merge-tree: {done.stderr.decode('utf-8', 'replace').strip()}")
    return _Merge(tree.decode(), tuple(filter(None, files)))


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
    return _changed(repository, base, bytes(lines))


def _sources_changed(repository: Repository, pvic: str, vic: str) -> list[bytes]:
    """The C and C++ sources that VIC adds or changes."""
    names = ("--name-only", "--diff-filter=d", "--no-renames")
    listed = repository.git("diff-tree", "-r", "-z", "--no-commit-id", *names, pvic, vic)
    return [path for path in listed.split(b"\0") if path and not outside(path, "source")]


def _with_files(repository: Repository, tree: str, paths: Iterable[bytes], vfc: str) -> str:
    """The tree with these files as `vfc` has them, or gone where it has none."""
    lines = bytearray()
    for path in paths:
        found = repository.git("ls-tree", "-z", vfc, "--", path)
        facts = found.partition(b"\t")[0].split()
        entry = facts[0] + b" " + facts[2] if facts else b"0 " + b"0" * 40
        lines += entry + b"\t" + path + b"\0"
    return _changed(repository, tree, bytes(lines))


def _changed(repository: Repository, tree: str, entries: bytes) -> str:
    """The tree with entries put over it, in the form of `git update-index --index-info`."""
    index = {"GIT_INDEX_FILE": str(repository.shadow / "index")}
    Path(index["GIT_INDEX_FILE"]).unlink(missing_ok=True)
    repository.git("read-tree", tree, env=index)
    repository.git("update-index", "-z", "--index-info", stdin=entries, env=index)
    return repository.git("write-tree", env=index).decode().strip()
