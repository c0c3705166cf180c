"""`arena clean`: remove containers of dead runs; with --all also images, snapshots and environments."""

from __future__ import annotations

from typing import Annotated

import typer

from arena import options
from arena.cli.common import emit


def command(
    everything: Annotated[
        bool, typer.Option("--all", help="Also remove images and environments.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    from harness.scratch import sweep_scratch
    from parsers.registry import lookup, names

    removed = sweep_scratch()
    for name in names("harness.sandbox.backends"):
        backend = lookup("harness.sandbox.backends", name)()
        if not backend.available():
            removed += backend.clean(everything)
    if as_json:
        emit({"removed": removed})
    else:
        print("\n".join([*removed, f"{len(removed)} removed"]))
