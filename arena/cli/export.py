"""`arena export`: a run in a form that foreign programs read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.cli.common import blame_output, print_err

FORMATS = "arena.exchange.formats"
SIGNED_FORMAT = "run"
URL = re.compile(r"https?://")


def command(
    run: options.Run,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="The format: predictions, inspect, harbor, parquet, csv, jsonl, html, paper, atif, otlp, "
            "run, or one that a package adds.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option("--out", help="The file or folder to write; for otlp also a receiver's URL."),
    ],
    store: options.StoreAt = "",
    where: options.Where = None,
    mix_versions: options.MixVersions = False,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Sign a run's file by this SSH key, for `arena verify`."),
    ] = None,
) -> None:
    from arena.exchange.source import ExchangeFormat, Source
    from arena.store.known import known_store
    from parsers.registry import lookup

    format_: ExchangeFormat = lookup(FORMATS, to)
    source = Source.open(known_store(store), run, where or (), mix_versions)
    if sign is not None:
        if to != SIGNED_FORMAT:
            raise ValueError(f"--sign: only a run's file is signed: --to {SIGNED_FORMAT}")
        source = replace(source, sign_key=sign)
    # Before `Path`, which would make one slash of two.
    if URL.match(out):
        if not hasattr(format_, "send"):
            raise ValueError(f"--out {out}: only traces are sent to a URL: --to otlp")
        format_.send(source, out, print_err)
        return
    with blame_output(f"--out {out}"):
        format_.write(source, Path(out), print_err)
