"""`arena tasks import secmutbench`: a dataset in SecMutBench's JSON as a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.output import print_err, print_first

HELP = "Convert a dataset's JSON file in SecMutBench's format into a pack."


def command(
    dataset: Annotated[Path, typer.Argument(help="A JSON file in SecMutBench's format.")],
    out: Annotated[Path, typer.Option("--out", help="The pack's folder, to be created.")],
    name: Annotated[str, typer.Option("--name", help="The pack's name.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="The dataset's licence.")] = "unknown",
) -> None:
    from arena.tracks.mutation.tasks.pack import write_pack
    from arena.tracks.mutation.tasks.secmutbench import load_dataset

    data = load_dataset(dataset)
    named = name or out.resolve().name
    problems = (*data.problems, *write_pack(out, data, named, "1", licence))
    print_first("problem", [str(problem) for problem in problems])
    lost = {p.record for p in problems if p.excluded == "program"}
    print_err(f"{out}: {len(data.programs)} programs read, {len(lost)} records left out")
