"""`arena show`: one attempt with its evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.common import JsonOption, emit

NAME = "show"
HELP = "Show one attempt: label, reason, evidence, and its patch or a log with --print."


def command(
    attempt: Annotated[str, typer.Argument(help="An attempt's id, or how it begins.")],
    print_: Annotated[
        str,
        typer.Option("--print", help="Print an artefact: patch, build, tests, poc or poc.report."),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    from arena.report.tables import print_attempt
    from arena.store.store import Store

    store = Store()
    found = store.attempt(attempt)
    if print_:
        print(_artefact(store.blob, found.patch, found.evidence, print_))
    elif as_json:
        emit(found.to_json())
    else:
        print_attempt(found, store)


def _artefact(blob: object, patch: str | None, evidence: dict[str, object], name: str) -> str:
    from arena.report.text import visible

    step, _, part = name.partition(".")
    entry = evidence.get(step)
    digest = (
        patch if name == "patch" else entry.get(part or "log") if isinstance(entry, dict) else None
    )
    if not isinstance(digest, str):
        known = ", ".join(
            ["patch", *(k for k, v in evidence.items() if isinstance(v, dict) and "log" in v)]
        )
        raise ValueError(f"no artefact {name!r}; this attempt has: {known}")
    return visible(blob(digest).decode("utf-8", "replace"))  # type: ignore[operator]
