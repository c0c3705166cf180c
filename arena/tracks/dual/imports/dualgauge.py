"""`arena tasks import dualgauge`: DualGauge-Bench's tests.json files -> a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.output import emit, print_err
from arena.report.text import one_line

HELP = "Convert DualGauge-Bench's tests.json files into a pack of the track dual."


def command(
    source: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of <n>/tests.json files.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The pack's folder, to be created.")],
    annotations: Annotated[
        Path | None,
        typer.Option("--annotations", help="Annotations for values without a type (TOML or JSON)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing pack.")] = False,
    as_json: options.Json = False,
) -> None:
    from arena.tracks.dual.tasks.dualgauge.importing import import_tasks

    found = import_tasks(source, out, annotations, force)
    if as_json:
        emit(found.as_json())
        return
    print(f"{found.tasks} tasks: {found.functional} functional, {found.security} security tests")
    for one in found.untyped:
        print(one_line(f"untyped: {one.task} {one.test}: {one.why}"))
    for problem in found.problems:
        print_err(f"problem: {problem.task} {problem.test}: {problem.what}")
