"""The two solutions of a task, from the commits: gold is what VIC changed, fixed is gold plus the fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from arena.building.transplant import merge, merge_by_tokens, sources_of, with_files, with_needed
from szz.paths import outside
from szz.repository import GitFailed, Repository

# `git apply` takes binary parts only with full ids.
PATCH = ("diff-tree", "-r", "-p", "--binary", "--full-index", "--no-commit-id", "--no-renames")


@dataclass(frozen=True)
class FixedPatch:
    """A patch against PVIC that may be gold without its weakness, and the method that produced it."""

    patch: bytes
    how: str


def gold(repository: Repository, vic: str) -> bytes:
    """The change of VIC against its first parent. Raises SzzError."""
    return repository.git(*PATCH, repository.parent(vic), vic)


def fixes(repository: Repository, vic: str, vfc: str, stated: str = "") -> Iterator[FixedPatch]:
    """The ways to bring the fix onto the VIC, that with the fewest unrelated changes first.

    stated: the way that works according to the case, before all others.

    1. `merge`: a three-way merge of VIC and the fix, with the fix's parent as the base;
    2. `sources`: the same of what the fix changes in C and C++ sources, for tests and notes drift more;
    3. `tokens`: as 2, and files in conflict merged by their tokens;
    4. `needed`: as 2, with the changes since the VIC that wrote the lines which the fix changes;
    5. `files`: as 2, and files in conflict as they are at the fix;
    6. `feature`: the sources that VIC changes as they are at the fix, for what is new may be fixed several
       times before it; files of the build stay as they are;
    7. `tree`: everything as it is at the fix, which is proven to build and to be clean.

    Which of them works only grading can show. The same patch comes once. Raises SzzError.
    """
    pvic = repository.parent(vic)
    parent = repository.parent(vfc)
    base, ours, whole = (repository.commit(commit).tree for commit in (parent, vic, vfc))
    fixed_sources = sources_of(repository, parent, vfc)
    sources = merge(repository, base, ours, fixed_sources)
    methods: dict[str, Callable[[], str | None]] = {
        "merge": lambda: merge(repository, base, ours, whole).clean_tree,
        "sources": lambda: sources.clean_tree,
        "tokens": lambda: (
            merge_by_tokens(repository, base, ours, fixed_sources, sources).clean_tree
        ),
        "needed": lambda: with_needed(repository, vic, vfc),
        "files": lambda: with_files(repository, sources.tree, sources.conflicts, vfc),
        "feature": lambda: with_files(
            repository, vic, _sources_changed(repository, pvic, vic), vfc
        ),
        "tree": lambda: whole,
    }
    trees_seen = set()
    order = sorted(
        methods, key=lambda how: how != stated
    )  # a stable sort: the others stay as they are
    for how, method in ((how, methods[how]) for how in order):
        try:
            tree = method()
        except GitFailed:  # of a folder or a submodule where a file was
            continue
        # Each way costs a build, the tests and a replay, and for small fixes several ways give the same tree.
        if tree is not None and tree not in trees_seen:
            trees_seen.add(tree)
            yield FixedPatch(repository.git(*PATCH, pvic, tree), how)


def _sources_changed(repository: Repository, pvic: str, vic: str) -> list[bytes]:
    """The C and C++ sources that VIC adds or changes."""
    names = ("--name-only", "--diff-filter=d", "--no-renames")
    listed = repository.git("diff-tree", "-r", "-z", "--no-commit-id", *names, pvic, vic)
    return [path for path in listed.split(b"\0") if path and not outside(path, "source")]
