"""The oracle's files in the repository: an attempt may change them without influencing its grade.

They are restored to gold's state before anything is built, so that rewritten tests, a Makefile with
another compiler or a makefile that shadows it have no effect on grading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

from harness.grade.building import ROOM, null_separated, run_grader_command
from harness.protocols import Sandbox
from harness.sandbox import archive

# Files that build tools prefer to, or read beside, the ones that a task lists.
SHADOWS = frozenset(
    {"GNUmakefile", "makefile", "BSDmakefile", "CMakeUserPresets.json", "CMakePresets.json"}
)


@lru_cache(maxsize=512)
def _compile_glob(glob: str) -> re.Pattern[str]:
    """`**` crosses folders, `*` and `?` do not."""
    table = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(table.get(part, re.escape(part)) for part in parts), re.DOTALL)


def pattern(glob: str) -> str:
    """The regular expression for a glob of the task's `tests.files`, for a full match."""
    return _compile_glob(glob).pattern


def matches_any(path: str, globs: Iterable[str]) -> bool:
    """Whether any of `globs` matches `path`."""
    return any(_compile_glob(glob).fullmatch(path) for glob in globs)


def owned_paths(paths: Iterable[str], globs: Sequence[str]) -> list[str]:
    """Those of `paths` that belong to the oracle, sorted."""
    return sorted(path for path in set(paths) if is_owned(path, globs))


def is_owned(path: str, globs: Iterable[str]) -> bool:
    """Whether a path belongs to the oracle."""
    return path.rpartition("/")[2] in SHADOWS or matches_any(path, globs)


@dataclass(frozen=True)
class GoldFiles:
    """The oracle's files that gold changes: a tar archive of them, and the names of those it removes."""

    tar: bytes
    removed: tuple[str, ...]


# A patch may put a file where a folder is expected, or a folder where a file is: neither survives.
# Removes what is to_remove, with folders that are empty then as git does, and makes folders that are due.
REMOVE = f"""\
xargs -0 -r rm -rf -- < {ROOM}/to_remove
xargs -0 -r dirname -z -- < {ROOM}/to_remove | xargs -0 -r rmdir -p -- 2>/dev/null
xargs -0 -r sh -c 'for f; do
[ -d "$f" ] && [ ! -L "$f" ] || {{ rm -f -- "$f"; mkdir -p -- "$f"; }}
done' sh < {ROOM}/folders
"""


def remove(
    box: Sandbox, workdir: str, to_remove: Iterable[str], folders: Iterable[str] = ()
) -> None:
    """Remove paths of any number, and make `folders`, outermost first, whatever stood there.

    Folders that an archive creates would belong to the engine's user. Raises SandboxDied.
    """
    run_grader_command(
        box,
        REMOVE,
        workdir,
        {"to_remove": null_separated(to_remove), "folders": null_separated(folders)},
    )


def parent_folders(names: Iterable[str]) -> list[str]:
    """The folders that paths lie in, sorted."""
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    return sorted(folders - {"."})


def put_back(
    box: Sandbox, workdir: str, to_remove: Sequence[str], before: bytes, gold: GoldFiles
) -> None:
    """Bring the oracle's files into gold's state, and others that a patch may not decide into PVIC's.

    to_remove: those that the patch names; before: tar of PVIC's files, those among them. What stands in
    the place of a folder of theirs is removed.
    """
    wanted = frozenset(to_remove) - frozenset(gold.removed)
    tar = archive.overlaid(archive.select(before, wanted), gold.tar)
    remove(box, workdir, [*to_remove, *gold.removed], parent_folders(archive.names(tar)))
    if tar:
        box.put_tree(tar, workdir)
