"""`arena tasks import dualgauge`: DualGauge-Bench's tests.json files -> a pack, proven by references."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.output import emit
from arena.tracks.dual.imports import _session

if TYPE_CHECKING:
    from arena.tracks.dual.tasks.imported.brought import BroughtPrograms

HELP = "Convert DualGauge-Bench's tests.json files into a pack of the track dual."


def command(
    source: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of <n>/tests.json files.")
    ],
    out: _session.Out,
    annotations: Annotated[
        Path | None,
        typer.Option("--annotations", help="Annotations for values without a type (TOML or JSON)."),
    ] = None,
    references: _session.References = None,
    model: _session.Model = "",
    max_usd: _session.MaxUsd = 0.0,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    workers: options.Workers = 0,
    force: _session.Force = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.dual.tasks.dualgauge.importing import import_tasks
    from arena.tracks.dual.tasks.imported.brought import any_brought, brought_for

    _session.expect_folder(references)
    settings = _session.settings_of(model, api_base, prices, allow_unknown_price, max_usd)
    with ExitStack() as stack:
        prove = None  # where nothing is there to prove it with, no runner is needed
        if settings is not None or any_brought(source, references):

            def programs_of(task: str) -> BroughtPrograms:
                return brought_for(task, source, references)

            _, prove = stack.enter_context(_session.proving(programs_of, settings, workers))
        tasks = import_tasks(source, out, annotations, force, prove)
    if as_json:
        emit(tasks.as_json())
        return
    _session.print_import(tasks)
