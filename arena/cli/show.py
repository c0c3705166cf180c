"""`arena show`: one attempt with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import emit

if TYPE_CHECKING:
    from arena.store.store import Attempt, Store

NAME = "show"
HELP = "Show one attempt: label, reason and evidence; --print prints its patch or a log."


def command(
    attempt: Annotated[str, typer.Argument(help="An attempt's id, or its first characters.")],
    print_: Annotated[
        str,
        typer.Option(
            "--print", help="Print an artefact: patch, trajectory, build, tests, poc, poc.report."
        ),
    ] = "",
    store: options.StoreAt = "",
    as_json: options.Json = False,
) -> None:
    from arena.report.tables import print_attempt
    from arena.store.known import known_store

    kept = known_store(store)
    found = kept.attempt(attempt)
    if print_:
        print(_artefact(kept, found, print_))
    elif as_json:
        emit(found.to_json())
    else:
        print_attempt(found, kept)


def _artefact(store: Store, attempt: Attempt, name: str) -> str:
    from arena.report.text import visible

    known = attempt.artefacts()
    if name not in known:
        raise ValueError(f"no artefact {name!r}; this attempt has: {', '.join(known) or 'none'}")
    return visible(store.blob(known[name]).decode("utf-8", "replace"))
