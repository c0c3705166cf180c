"""From fixes to candidate inducing commits, many at a time.

Diffs come from a long-lived git process for each worker, blames from a process for each file; so a
fix costs a diff and a blame for each of its files, and nothing is checked out or copied.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from szz.blame import Origin
from szz.change import ChangedFile, Differ
from szz.generated import is_generated
from szz.paths import TEST, Paths, holds_tests, is_guess, outside
from szz.repository import Commit, NoCommit, Repository, SzzError
from szz.variant import SzzQuestion, Variant

# So many fixes at once are worth a commit-graph (about 0.1 s for each thousand commits, once).
MIN_FIXES_FOR_INDEX = 40


@dataclass(frozen=True)
class Skipped:
    """A file of the fix that was not traced, and why."""

    path: bytes
    reason: str


@dataclass(frozen=True)
class Traced:
    """The result of tracing a fix.

    `origins` are the runs of lines with the commit that introduced them, in the order of the diff; `lines`
    counts all lines traced. `error` says why the fix could not be traced, `note` why it has no
    candidate although it could.
    """

    fix: str
    variant: str
    origins: tuple[Origin, ...] = ()
    lines: int = 0
    skipped: tuple[Skipped, ...] = ()
    error: str | None = None
    note: str = ""

    @property
    def candidates(self) -> list[str]:
        """The commits blamed, each once, in the order of the diff."""
        return list(dict.fromkeys(origin.commit for origin in self.origins))

    def to_json(self) -> dict[str, Any]:
        """The contract of `arena szz --json`."""
        return {
            "fix": self.fix,
            "variant": self.variant,
            "candidates": self.candidates,
            "lines": self.lines,
            "skipped": [
                {"path": skip.path.decode("utf-8", "surrogateescape"), "reason": skip.reason}
                for skip in self.skipped
            ],
            "error": self.error,
            "note": self.note,
        }


def trace(
    repository: Repository,
    fixes: Iterable[str],
    variant: Variant,
    paths: Paths = "source",
    workers: int = 0,
    index: bool | None = None,
) -> Iterator[Traced]:
    """Candidates of each of `fixes` (names or ids), in their order; the same commit is traced once.

    `workers`: how many at a time (0: as many as processors). `index`: whether to write a commit-graph
    beside the repository first (None: when there are many fixes). A fix that cannot be traced has
    `error`; nothing is raised for it, and the others go on.
    """
    named = [(name, _resolve(repository, name)) for name in fixes]
    commits = {resolved.id: resolved for _, resolved in named if isinstance(resolved, Commit)}
    if index or (index is None and len(commits) >= MIN_FIXES_FOR_INDEX):
        repository.index(commits)
    count = workers or max(1, len(os.sched_getaffinity(0)))
    with _Tracer(repository, variant, paths) as tracer, ThreadPoolExecutor(count, "szz") as pool:
        jobs = {key: pool.submit(tracer.trace_fix, commit) for key, commit in commits.items()}
        try:
            for name, resolved in named:
                if isinstance(resolved, Commit):
                    yield jobs[resolved.id].result()
                else:
                    yield Traced(name, variant.name, error=str(resolved))
        # A consumer that stops early must not wait for fixes that nobody reads.
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _resolve(repository: Repository, name: str) -> Commit | SzzError:
    try:
        return repository.commit(repository.resolve(name))
    except SzzError as error:
        return error


class _Tracer:
    """Traces a fix at a time in each thread, with a differ for each thread."""

    def __init__(self, repository: Repository, variant: Variant, paths: Paths) -> None:
        self._repository, self._variant, self._paths = repository, variant, paths
        self._mine = threading.local()
        self._all: list[Differ] = []

    def __enter__(self) -> _Tracer:
        return self

    def __exit__(self, *_: object) -> None:
        for differ in self._all:
            differ.close()

    def trace_fix(self, fix: Commit) -> Traced:
        try:
            return self._trace_or_raise(fix)
        except SzzError as error:
            return Traced(fix.id, self._variant.name, error=str(error))

    def _trace_or_raise(self, fix: Commit) -> Traced:
        if not fix.parents:
            raise SzzError(f"{fix.id} is a root commit: it has no parent that it could fix")
        parent = self._parent(fix)
        # Such as a merge that took its first parent's side of everything.
        if fix.tree == parent.tree:
            raise SzzError(f"{fix.id} changes nothing against its first parent")
        changes = self._diff(fix, parent)
        skipped: list[Skipped] = []
        origins: list[Origin] = []
        lines = 0
        for change in changes:
            reason = self._outside(change)
            if reason:
                skipped.append(Skipped(change.path, reason))
                continue
            wanted = tuple(self._variant.lines(self._repository, change))
            if wanted:
                lines += sum(last - first + 1 for first, last in wanted)
                options = self._variant.blame
                question = SzzQuestion(self._repository, fix.id, parent, change, wanted, options)
                origins += self._variant.ask(question)
        chosen = tuple(self._variant.choose(self._repository, origins))
        note = "" if chosen else _note(changes, skipped, self._variant)
        return Traced(fix.id, self._variant.name, chosen, lines, tuple(skipped), note=note)

    def _parent(self, fix: Commit) -> Commit:
        try:
            return self._repository.commit(fix.parents[0])
        except NoCommit as error:
            why = (
                "the history is shallow" if self._repository.cut else "the repository is not whole"
            )
            raise NoCommit(f"{fix.id}: its parent {fix.parents[0]} is missing: {why}") from error

    def _diff(self, fix: Commit, parent: Commit) -> list[ChangedFile]:
        differ: Differ | None = getattr(self._mine, "differ", None)
        if differ is None:
            differ = self._mine.differ = Differ(self._repository, self._variant.diff)
            self._all.append(differ)
        try:
            return differ.diff(fix.id, parent.id)
        except SzzError:
            self._mine.differ = None  # its process may be gone, or in the middle of an answer
            raise

    def _outside(self, change: ChangedFile) -> str:
        """Why a file of the fix is not traced; "" when it is."""
        reason = change.untraced_reason or outside(change.path, self._paths)
        guessed = reason == TEST and is_guess(change.path)
        changes = change.removed_ranges or change.insertion_points
        if (reason and not guessed) or self._paths == "all" or not changes:
            return reason
        content = self._repository.read(change.blob)[1]
        if guessed and holds_tests(content):
            return reason
        name = change.path.rpartition(b"/")[2].decode("utf-8", "replace")
        return "generated" if is_generated(content, name) else ""


def _note(changes: list[ChangedFile], skipped: list[Skipped], variant: Variant) -> str:
    if skipped and len(skipped) == len(changes):
        return f"none of its {len(changes)} file(s) was taken in: {skipped[0].reason}"
    if changes and not any(change.removed_ranges for change in changes):
        return f"it only adds lines, so {variant.name} blames none; `--variant anchors` asks around them"
    return f"none of the lines that it deletes counts for {variant.name}"
