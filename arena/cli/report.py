"""`arena report`: a run as tables, JSON, CSV or one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.common import JsonOption, emit, tell

if TYPE_CHECKING:
    from arena.store.store import Store

NAME = "report"
HELP = "Report a run: tables, --json, --csv, or --html."


def command(
    run: Annotated[str, typer.Argument(help="A run's id, or latest.")] = "latest",
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="One line for each attempt.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Write a page and say where.")] = False,
) -> None:
    from arena.report.metrics import by_agent, rates
    from arena.report.tables import print_matrix, print_rates, to_csv
    from arena.store.store import Store

    store = Store()
    found = store.run(run)
    attempts = store.attempts(found.id)
    if as_json:
        rows = [attempt.to_json() for attempt in attempts]
        emit(
            {
                "run": found.id,
                "pack": found.pack,
                "all": rates(attempts),
                "agents": by_agent(attempts),
                "attempts": rows,
            }
        )
    elif as_csv:
        print(to_csv(attempts), end="")
    elif as_html:
        print(write_page(store, found.id))
    else:
        agents = list(dict.fromkeys(attempt.key.column for attempt in attempts))
        print_matrix(attempts, agents)
        print_rates(attempts)
        tell(f"run {found.id}, pack {found.pack}; arena show ATTEMPT for the evidence of one")


def write_page(store: Store, run: str) -> Path:
    """Write the page of a run below the store's folder, whole or not at all; returns its path."""
    from arena.report.html import page

    target = store.folder / "reports" / f"{run}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".half")
    half.write_text(page(store, store.run(run), store.attempts(run)), "utf-8")
    half.replace(target)
    return target
