"""`arena tasks import baxbench`: BaxBench's scenarios -> a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.output import emit
from arena.tracks.dual.imports import _session

HELP = "Convert BaxBench's scenarios into a pack of the track dual."


def command(
    source: Annotated[Path, typer.Argument(metavar="PATH", help="A checkout of BaxBench.")],
    out: _session.Out,
    framework: Annotated[
        list[str] | None,
        typer.Option("--framework", help="flask, fastapi or express; default: all three."),
    ] = None,
    references: _session.References = None,
    model: _session.Model = "",
    max_usd: _session.MaxUsd = 0.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    install: _session.Install = False,
    workers: options.Workers = 0,
    force: _session.Force = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.dual.coded.baxbench import FRAMEWORKS, read_baxbench
    from arena.tracks.dual.coded.importing import import_coded
    from arena.tracks.dual.tasks.imported.brought import BroughtPrograms, brought_from
    from arena.tracks.dual.tasks.imported.placing import expect_room

    _session.expect_folder(references)
    expect_room(out, force)
    tasks, refused = read_baxbench(source, framework or tuple(FRAMEWORKS))
    settings = _session.settings_of(model, api_base, prices, allow_unknown_price, max_usd)

    def programs_of(task: str) -> BroughtPrograms:
        return brought_from(references / task) if references else BroughtPrograms()

    with _session.proving(programs_of, settings, workers, install) as (runner, prove):
        named = ("baxbench", "BaxBench")
        result = import_coded(named, tasks, refused, out, runner, force, prove)
    if as_json:
        emit(result.as_json())
        return
    _session.print_import(result)
