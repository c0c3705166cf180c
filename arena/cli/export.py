"""`arena export`: a run in a form that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.cli.common import print_err

NAME = "export"
HELP = "Export a run: predictions, inspect, harbor, parquet, csv, jsonl, html, paper, atif or run."
FORMATS = "arena.exchange.formats"


def command(
    run: options.Run,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="The format: predictions, inspect, harbor, parquet, csv, jsonl, html, paper, atif, run, "
            "or one that a package adds.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The file or folder to write.")],
    store: options.StoreAt = "",
    where: options.Where = None,
    mix_versions: options.MixVersions = False,
) -> None:
    from arena.exchange.source import ExchangeFormat, Source
    from arena.store.known import known_store
    from parsers.registry import lookup

    format_: ExchangeFormat = lookup(FORMATS, to)
    source = Source.open(known_store(store), run, where or (), mix_versions)
    try:
        format_.write(source, out, print_err)
    except OSError as error:
        raise ValueError(f"--out {out}: {error.strerror or error}") from error
