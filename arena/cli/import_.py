"""`arena import`: a run that `arena export --to run` wrote, put into a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena import options
from arena.cli.common import emit, print_err

NAME = "import"
HELP = "Import a run from a file written by `arena export --to run`."


def command(
    path: Annotated[Path, typer.Argument(help="The file.")],
    store: options.StoreAt = "",
    name: Annotated[str, typer.Option("--as", help="A new id for the run.")] = "",
    as_json: options.Json = False,
) -> None:
    from arena.exchange.importing import import_run
    from arena.store.store import Store

    if not path.is_file():
        raise ValueError(
            f"{path}: no such file; a file that `arena export --to run` wrote is needed"
        )
    run, attempts, is_new = import_run(Store(store or None), path, name)
    if as_json:
        emit({"run": run, "attempts": attempts, "new": is_new})
    else:
        print(run)
        print_err(
            f"{attempts} attempts" + ("" if is_new else "; the run was there already, the same")
        )
