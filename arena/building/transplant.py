"""Applies a commit's change to a different tree: three-way merges, by lines or by tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from szz.paths import outside
from szz.repository import GitFailed, Repository

# Commits in the shadow have fixed authors and dates, so that one tree always has one id and no name of the
# user's.
PERSON = {
    f"GIT_{who}_{what}": text
    for who in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "arena"), ("EMAIL", "arena@localhost"), ("DATE", "@0 +0000"))
}
TOKEN = re.compile(rb"\w+|\n|[^\S\n]+|[^\w\s]")
# Stands for the end of a line where each token has a line of its own; git takes no zero byte for text.
MARK = b"\1"
MAX_TEXT = 4 << 20
# Modes of what is merged by tokens: no links, no submodules.
TEXT = frozenset((b"100644", b"100755"))
# How far what a change builds on is followed, and how many commits are taken along for it; of how many
# files, and of how many places of one (generated files have hundreds), is asked who wrote them; for how
# many seconds.
DEEP, MAX_NEEDED, MAX_FILES, MAX_HUNKS, LOOKING = 3, 8, 8, 64, 120.0
HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


@dataclass(frozen=True)
class Merged:
    """A merge's tree, in which files in conflict hold both sides, and these files."""

    tree: str
    conflicts: tuple[bytes, ...] = ()

    @property
    def clean_tree(self) -> str | None:
        """The tree, where nothing is in conflict."""
        return None if self.conflicts else self.tree


def merge(repository: Repository, base: str, ours: str, theirs: str) -> Merged:
    """The merge by lines of two trees that come from the tree `base`. Raises GitFailed."""
    root = _commit(repository, base)
    first, second = (_commit(repository, tree, "-p", root) for tree in (ours, theirs))
    # git 2.38 and later merge without a work tree; exit status 1 is a conflict, all above is an error.
    line = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", first, second)
    done = repository.run(*line)
    # With `--name-only -z` the tree comes first, then each file in conflict.
    tree, *files = done.stdout.split(b"\0")
    if done.returncode not in (0, 1):
        raise GitFailed(f"git merge-tree: {done.stderr.decode('utf-8', 'replace').strip()}")
    return Merged(tree.decode(), tuple(filter(None, files)))


def merge_by_tokens(
    repository: Repository, base: str, ours: str, theirs: str, lines: Merged
) -> Merged:
    """The merge `lines` of three trees, its files in conflict merged once more by their tokens.

    So a side may change a line, or its neighbour, that the second side changes elsewhere. Raises GitFailed.
    """
    entries, conflicts = bytearray(), []
    for path in lines.conflicts:
        sides = [_entry(repository, tree, path) for tree in (base, ours, theirs)]
        blob = _merge_blobs(repository, [side.blob for side in sides if side and side.mode in TEXT])
        # A file that one side deleted has no entry in the merge: no tokens can settle that.
        entry = _entry(repository, lines.tree, path)
        if blob is None or entry is None:
            conflicts.append(path)
        else:
            entries += entry.line(path, blob)
    return Merged(put_entries(repository, lines.tree, bytes(entries)), tuple(conflicts))


def with_needed(repository: Repository, onto: str, commit: str) -> str | None:
    """The tree of `onto` with a commit's changes to sources, and those of the commits that they build on.

    A commit is built on where it wrote a changed line or its neighbour, and `onto` is older. None
    where that does not merge either, or takes too long to look for. Raises SzzError.
    """
    later = repository.git("rev-list", "--reverse", "--topo-order", f"{onto}..{commit}^")
    until = time.monotonic() + LOOKING
    search = _Needed(repository, onto, dict.fromkeys(later.decode().split()), until)
    return search.built_on(repository.commit(onto).tree, commit, DEEP)


@dataclass(frozen=True)
class _Needed:
    """order: the commits that may be taken along, oldest first; who is goes out."""

    repository: Repository
    onto: str
    order: dict[str, None]
    until: float

    def built_on(self, tree: str, commit: str, depth: int) -> str | None:
        """The tree with the commit's changes to sources, and with what they build on."""
        repository = self.repository
        base = repository.parent(commit)
        before, theirs = repository.commit(base).tree, sources_of(repository, base, commit)
        merged = merge(repository, before, tree, theirs)
        # Depth, count and time bound a walk that in generated files would take along half of the history.
        if merged.clean_tree or not depth or time.monotonic() > self.until:
            return merged.clean_tree
        wrote = self._writers(base, commit, merged.conflicts[:MAX_FILES])
        for needed in [writer for writer in self.order if writer in wrote][-MAX_NEEDED:]:
            if needed in self.order and len(repository.commit(needed).parents) == 1:
                del self.order[needed]
                tree = self.built_on(tree, needed, depth - 1) or tree
        return merge(repository, before, tree, theirs).clean_tree

    def _writers(self, base: str, commit: str, paths: Iterable[bytes]) -> set[str]:
        """The writers of the lines of `base` that a commit changes in these files, or their neighbours."""
        wrote = set[str]()
        for path in paths:
            if time.monotonic() > self.until:
                break
            plain = ("-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
            changes = self.repository.git("diff-tree", "-p", *plain, base, commit, "--", path)
            lines: list[str] = []
            for start, count in HUNK.findall(changes)[:MAX_HUNKS]:
                first, line_count = int(start), int(count or b"1")
                lines.append(f"-L{max(first - (line_count > 0), 1)},{first + max(line_count, 1)}")
            if not lines:
                continue
            older = f"^{self.onto}"
            # `^onto` ends the blame at the VIC: older lines are there anyway and are marked as the boundary.
            blame = self.repository.run("blame", "-s", "-l", *lines, base, older, "--", path)
            wrote |= {
                line.split(maxsplit=1)[0].decode("ascii", "replace")
                for line in blame.stdout.splitlines()
            }
        return wrote


def sources_of(repository: Repository, base: str, commit: str) -> str:
    """The tree of the commit `base` with what `commit` changes in C and C++ sources alone."""
    listed = repository.git("diff-tree", "-r", "-z", "--no-commit-id", "--no-renames", base, commit)
    parts = listed.split(b"\0")
    lines = bytearray()
    for facts, path in zip(parts[::2], parts[1::2], strict=False):
        _, mode, _, blob, _ = facts.split()
        if not outside(path, "source"):
            lines += mode + b" " + blob + b"\t" + path + b"\0"
    return put_entries(repository, base, bytes(lines))


def with_files(repository: Repository, tree: str, paths: Iterable[bytes], commit: str) -> str:
    """The tree with these files as `commit` has them, or gone where it has none."""
    lines = bytearray()
    for path in paths:
        entry = _entry(repository, commit, path)
        gone = _Entry(b"0", b"0" * len(repository.commit(commit).tree))
        lines += (entry or gone).line(path)
    return put_entries(repository, tree, bytes(lines))


def put_entries(repository: Repository, tree: str, entries: bytes) -> str:
    """The tree with entries put over it, in the form of `git update-index --index-info`."""
    index = {"GIT_INDEX_FILE": str(repository.shadow / "index")}
    Path(index["GIT_INDEX_FILE"]).unlink(missing_ok=True)
    repository.git("read-tree", tree, env=index)
    repository.git("update-index", "-z", "--index-info", stdin=entries, env=index)
    return repository.git("write-tree", env=index).decode().strip()


def _commit(repository: Repository, tree: str, *parents: str) -> str:
    """A commit in the shadow: a merge wants commits to find its base by."""
    done = repository.git("commit-tree", "-m", "base", *parents, tree, env=PERSON)
    return done.decode().strip()


@dataclass(frozen=True)
class _Entry:
    mode: bytes
    blob: bytes

    def line(self, path: bytes, blob: bytes = b"") -> bytes:
        """For `put_entries`, with this blob or another."""
        return self.mode + b" " + (blob or self.blob) + b"\t" + path + b"\0"


def _entry(repository: Repository, tree: str, path: bytes) -> _Entry | None:
    facts = repository.git("ls-tree", "-z", tree, "--", path).partition(b"\t")[0].split()
    return _Entry(facts[0], facts[2]) if facts else None


def _merge_blobs(repository: Repository, blobs: Sequence[bytes]) -> bytes | None:
    """The blob that a merge by tokens of base, ours and theirs makes; None for a conflict, or fewer blobs."""
    if len(blobs) != 3:
        return None
    paths = [repository.shadow / f"tokens-of-{side}" for side in ("base", "ours", "theirs")]
    for path, blob in zip(paths, blobs, strict=True):
        text = repository.git("cat-file", "blob", blob.decode())
        # A text that holds the mark would come back with other line ends than it had.
        if MARK in text or len(text) > MAX_TEXT:
            return None
        tokens = TOKEN.findall(text)
        path.write_bytes(b"".join(token.replace(b"\n", MARK) + b"\n" for token in tokens))
    base, ours, theirs = map(str, paths)
    done = repository.run("merge-file", "-p", "-q", ours, base, theirs)
    if done.returncode:
        return None
    text = done.stdout.replace(b"\n", b"").replace(MARK, b"\n")
    return repository.git("hash-object", "-w", "--stdin", stdin=text).strip()
