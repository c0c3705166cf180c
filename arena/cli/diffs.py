"""`arena tasks diffs`: store files that derive from another as diffs of it, or whole again."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from arena import options
from arena.cli.common import emit, print_err
from arena.report.text import one_line

NAME = "diffs"
HELP = "Store variants of a pack's references as diffs of them, or whole again for editing."


def command(
    pack: Annotated[str, typer.Argument(help="A pack's folder or name.")],
    task: options.Tasks = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Store them whole; the reverse of the default.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    from arena.protocols import Setup
    from arena.tracks.opening import open_track, track_of
    from harness.grade.ports import MemoryCache
    from tasks.loader import TaskError

    name = track_of(pack)
    with closing(open_track(Setup(name, pack), MemoryCache(), print_err)) as track:
        derived_files = getattr(track, "derived_files", None)
        if derived_files is None:
            raise ValueError(
                f"{pack}: tasks of the track {name} have no file that derives from another"
            )
        rewritten = 0
        for derived in derived_files(task or ()):
            try:
                changed = derived.store_whole() if whole else derived.store_as_diff()
            except OSError as error:
                raise TaskError(f"{derived.path}: {error.strerror}") from error
            if not changed:
                continue
            rewritten += 1
            stored = derived.path if whole else derived.diff_path
            if as_json:
                emit({"task": derived.folder.name, "file": derived.name, "stored": stored.name})
            else:
                print(one_line(str(stored)), flush=True)
    print_err(f"{rewritten} files rewritten")
