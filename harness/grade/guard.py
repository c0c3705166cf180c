"""The oracle is the oracle until the end: what a build of the patch's does to its files is seen.

A build runs what the patch brings, as the user that owns the oracle's files. It may write over them and put
them back; what no process can put back is a file's time of last change (ctime), so that is what is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.grade import oracle
from harness.grade.building import ours
from harness.sandbox import archive
from harness.sandbox.base import Sandbox
from tasks.loader import Task

ROOM = "/tmp/.arena"  # noqa: S108 - a path inside the sandbox
TRACKED = """\
git -c safe.directory='*' ls-files -z 2>/dev/null || find . -path ./.git -prune -o -type f -printf '%P\\0'
"""
"""What the repository holds; where the image has none, all files that are there before any build."""
NAMES = " -o ".join(f"-name {name}" for name in sorted(oracle.SHADOWS))
LOOK = (
    f"xargs -0 -r stat --printf '%i %.9Z %n\\0' -- < {ROOM}/watched 2>/dev/null; "
    f"find . -path ./.git -prune -o \\( {NAMES} \\) -printf '%i %C@ %P\\0'"
)
TOLD = 20


@dataclass(frozen=True)
class Guard:
    """The oracle's files in a sandbox before any code of the patch ran: path -> inode and ctime."""

    box: Sandbox
    workdir: str
    before: dict[str, str]

    def touched(self, allowed: Iterable[str] = ()) -> list[str]:
        """What was made, changed or removed since, without what is allowed; at most `TOLD`, sorted."""
        now = _look(self.box, self.workdir)
        odd = {path for path, _ in self.before.items() ^ now.items()} - set(allowed)
        return sorted(odd)[:TOLD]


def watch(box: Sandbox, task: Task, gold: oracle.GoldFiles | None) -> Guard:
    """Begin to watch the oracle's files, once they are in gold's state. Raises SandboxDied."""
    workdir = task.spec.environment.workdir
    tracked = _split(ours(box, TRACKED, workdir))
    names = {*tracked, *(archive.names(gold.tar) if gold else ())}
    owned = oracle.owned(names, task.spec.tests.files)
    listed = b"".join(name.encode("utf-8", "surrogateescape") + b"\0" for name in owned)
    box.put({".arena/watched": listed}, "/tmp")  # noqa: S108
    return Guard(box, workdir, _look(box, workdir))


def _look(box: Sandbox, workdir: str) -> dict[str, str]:
    rows = (row.split(" ", 2) for row in _split(ours(box, LOOK, workdir)))
    return {path: f"{inode} {changed}" for inode, changed, path in rows}


def _split(text: str) -> Sequence[str]:
    return [part for part in text.split("\0") if part]
