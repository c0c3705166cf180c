"""Detects what a build of the patch does to the oracle's files.

A build runs the patch's code, as the user that owns the oracle's files. It may overwrite and restore
them, but no process can set back a file's time of last change (ctime), so that is compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from harness.grade import oracle
from harness.grade.building import ROOM, null_separated, run_grader_command
from harness.protocols import Sandbox
from harness.sandbox import archive
from tasks.loader import Task

# The repository's files; if the image has no repository, all files present before any build.
TRACKED = """\
git -c safe.directory='*' ls-files -z 2>/dev/null || find . -path ./.git -prune -o -type f -printf '%P\\0'
"""
NAMES = " -o ".join(f"-name {name}" for name in sorted(oracle.SHADOWS))
# Files that shadow a build file are searched by name, since a build may create them anywhere.
LOOK = (
    f"xargs -0 -r stat --printf '%i %.9Z %n\\0' -- < {ROOM}/watched 2>/dev/null; "
    f"find . -path ./.git -prune -o \\( {NAMES} \\) -printf '%i %C@ %P\\0'"
)
MAX_PATHS = 20


@dataclass(frozen=True)
class TamperGuard:
    """The oracle's files in a sandbox before any code of the patch ran: path -> inode and ctime."""

    box: Sandbox
    workdir: str
    owned: Sequence[str]
    before: dict[str, str]

    def touched_paths(self, allowed: Iterable[str] = ()) -> list[str]:
        """Paths created, changed or removed since, without the allowed ones; up to `MAX_PATHS`, sorted."""
        now = _look(self.box, self.workdir, self.owned)
        changed = {path for path, _ in self.before.items() ^ now.items()} - set(allowed)
        return sorted(changed)[:MAX_PATHS]


def list_tracked_files(box: Sandbox, workdir: str) -> Sequence[str]:
    """What the repository in a sandbox holds. Raises SandboxDied."""
    return _split(run_grader_command(box, TRACKED, workdir))


def watch(
    box: Sandbox, task: Task, gold: oracle.GoldFiles | None, tracked_files: Collection[str] = ()
) -> TamperGuard:
    """Begin to watch the oracle's files, once they are in gold's state. Raises SandboxDied.

    tracked_files: the repository's content, where it was read before.
    """
    workdir = task.spec.environment.workdir
    names = {
        *(tracked_files or list_tracked_files(box, workdir)),
        *(archive.names(gold.tar) if gold else ()),
    }
    owned = oracle.owned_paths(names, task.owned_globs)
    return TamperGuard(box, workdir, owned, _look(box, workdir, owned))


def _look(box: Sandbox, workdir: str, owned: Sequence[str]) -> dict[str, str]:
    rows = _split(run_grader_command(box, LOOK, workdir, {"watched": null_separated(owned, "")}))
    return {path: f"{inode} {changed}" for inode, changed, path in (r.split(" ", 2) for r in rows)}


def _split(text: str) -> Sequence[str]:
    return [part for part in text.split("\0") if part]
