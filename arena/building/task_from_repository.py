"""A task from a clone, the inducing and the fixing commit: all that these two say of it.

It shares the solutions and the language with `arena tasks build`, which starts from a case instead.
"""

from __future__ import annotations

import re
from pathlib import Path

from arena.building.draft import FIXED, language_of
from arena.building.patches import fixes, gold
from szz.repository import Repository, SzzError
from tasks.bundle import BUNDLE, write_bundle
from tasks.loader import TaskError
from tasks.schema import NAME
from tasks.skeleton import write_skeleton
from tasks.whole_file import read_whole

# A PoC is copied into each sandbox; a corpus or a core dump given by mistake ends here.
MAX_POC = 64 << 20


def write_task(
    folder: Path, clone: Path, vic: str, vfc: str, poc: Path | None = None
) -> list[Path]:
    """Write PACK/TASK and PACK/repositories/NAME; returns what was written.

    clone: with the whole history of both commits; it is only read. vic, vfc: any names that git takes. poc:
    the PoC's file. The fixed patch is the first way that `patches.fixes` has, and only a check shows whether
    it works. Raises TaskError or OSError.
    """
    if folder.exists():
        raise TaskError(f"{folder}: is there already")
    name = clone.resolve().name.removesuffix(".git")
    if not re.fullmatch(NAME, name):
        raise TaskError(f"{clone}: a repository's name is letters, digits and . _ + -")
    files = {"oracle/poc": read_whole(poc, MAX_POC, TaskError)} if poc else {}
    try:
        with Repository(clone) as repository:
            vic, vfc = repository.resolve(vic), repository.resolve(vfc)
            pvic = repository.parent(vic)
            files["solution/gold.patch"] = gold(repository, vic)
            fixed = next(fixes(repository, vic, vfc), None)
            message = repository.read(vic)[1].partition(b"\n\n")[2]
    except SzzError as error:
        raise TaskError(str(error)) from error
    if fixed:
        files[FIXED] = fixed.patch
    files["message.txt"] = message
    lines = {
        "repository": name,
        "pvic": pvic,
        "vic": vic,
        "vfc": vfc,
        "language": language_of(files["solution/gold.patch"]),
        "workdir": f"/src/{name}",
    }
    history = folder.parent / "repositories" / name
    # Tasks of one project share the history: a bundle of other commits would replace what they need.
    is_there = (history / BUNDLE).exists() or any(history.glob("[0-9]*.patch"))
    bundle = [] if is_there else [write_bundle(clone, [vic, vfc], history)]
    return sorted([*write_skeleton(folder, lines, files), *bundle])
