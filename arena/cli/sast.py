"""`arena sast`: new findings between two states of a source tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.cli.common import OK, emit, known_scanner, print_err
from arena.report.text import one_line

app = typer.Typer(no_args_is_help=True)


@app.callback()
def group() -> None:
    """Compare static analysis findings before and after a change."""


@app.command("diff", help="Print the new findings between two folders or two SARIF files.")
def diff(
    before: Annotated[Path, typer.Argument(help="The folder or SARIF file before.")],
    after: Annotated[Path, typer.Argument(help="The folder or SARIF file after.")],
    as_json: options.Json = False,
    scanner: options.Scanner = "builtin",
) -> None:
    from harness.grade import sast

    for path in (before, after):
        if not path.exists():
            raise ValueError(f"{path}: not found")
    if before.is_dir() != after.is_dir():
        raise ValueError(f"{before} and {after}: two folders or two SARIF files are needed")
    if before.is_dir():
        comparison = sast.compare_trees(before, after, known_scanner(scanner))
    else:
        comparison = sast.compare_sarif(before.read_bytes(), after.read_bytes())
    if as_json:
        emit([finding.to_json() for finding in comparison.findings])
    else:
        for finding in comparison.findings:
            print(one_line(f"{finding.path}:{finding.line}: {finding.rule}: {finding.message}"))
    for hidden in comparison.not_scanned:
        print_err(f"{hidden.path}: not scanned: {hidden.reason}")
    for error in comparison.errors:
        print_err(one_line(f"{error.path or after}: {error.message}")[:300])
    raise typer.Exit(OK)
