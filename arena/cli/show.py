"""`arena show`: an attempt with its evidence."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import emit, print_err

if TYPE_CHECKING:
    from arena.store.store import Attempt, Store


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

    opened = known_store(store)
    attempt_found = opened.attempt(attempt)
    if print_:
        text = _artefact(opened, attempt_found, print_)
        print(text)
        if not text.strip():
            print_err(describe_empty_part(print_, attempt_found.artefacts()))
    elif as_json:
        emit(attempt_found.to_json())
    else:
        print_attempt(attempt_found, opened)


def describe_empty_part(name: str, artefacts: Collection[str]) -> str:
    """Where to look when a part of the evidence has no text: sanitizers write to a file, not to the log."""
    report = f"{name}.report"
    hint = f"; the sanitizer's report: --print {report}" if report in artefacts else ""
    return f"{name} is empty{hint}"


def _artefact(store: Store, attempt: Attempt, name: str) -> str:
    from arena.report.text import visible

    artefacts = attempt.artefacts()
    if name not in artefacts:
        raise ValueError(
            f"no artefact {name!r}; this attempt has: {', '.join(artefacts) or 'none'}"
        )
    # Logs and patches are an agent's: escape sequences in them must not reach the terminal.
    return visible(store.blob(artefacts[name]).decode("utf-8", "replace"))
