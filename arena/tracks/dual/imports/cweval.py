"""`arena tasks import cweval`: CWEval's Python tasks -> a pack, which proves itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.output import emit
from arena.tracks.dual.imports import _session

HELP = "Convert CWEval's Python tasks into a pack of the track dual."


def command(
    source: Annotated[Path, typer.Argument(metavar="PATH", help="A checkout of CWEval.")],
    out: _session.Out,
    install: _session.Install = False,
    workers: options.Workers = 0,
    force: _session.Force = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.dual.coded.cweval import read_cweval
    from arena.tracks.dual.coded.importing import import_coded
    from arena.tracks.dual.tasks.imported.placing import expect_room

    expect_room(out, force)
    tasks, refused = read_cweval(source)
    programs = {task.id: task.programs for task in tasks}
    with _session.proving(programs.__getitem__, None, workers, install) as (runner, prove):
        named = ("cweval", "CWEval")
        result = import_coded(named, tasks, refused, out, runner, force, prove)
    if as_json:
        emit(result.as_json())
        return
    _session.print_import(result)
