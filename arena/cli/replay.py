"""`arena replay`: an attempt once more, answered from its record; the same patch must come of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, open_session, print_err

NAME = "replay"
HELP = "Repeat an attempt from its record, offline and free, and compare the patches."


def command(
    attempt: Annotated[str, typer.Argument(help="An attempt's id, or its first characters.")],
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
) -> None:
    from arena.protocols import Matrix
    from arena.session import setup_of
    from arena.store.store import Store

    store = Store()
    found = store.attempt(attempt)
    if "record" not in found.artefacts():
        raise ValueError(f"attempt {found.id} has no record: {found.key.agent} asked no model")
    run = store.run(found.run)
    setup = setup_of(run.settings, run.track, run.pack, sandbox)
    key = replace(found.key, model=f"replay:{found.id}")
    with open_session(setup) as session:
        print_err(
            f"{found.id}: {found.key.task} x {found.column}, from its record; nothing is paid"
        )
        session.track.attempts(Matrix([key.agent], [key.model], [key.prompt], [key.task]))
        solution = session.track.solve(key, lambda step: print_err(f"{found.id}: {step}"))
    before = store.blob(found.patch) if found.patch else b""
    same = solution.patch == before
    differs = str(solution.note.get("diverged", ""))
    difference = str(solution.note.get("difference", ""))
    if as_json:
        emit(
            {
                "attempt": found.id,
                "identical": same,
                "ended": solution.ended,
                "was": found.ended,
                "diverged": differs,
                "difference": difference,
                "calls": solution.usage.get("calls", 0),
            }
        )
    else:
        print(f"{found.id}: {'the identical patch' if same else 'another patch'}, {solution.ended}")
    if differs:
        print_err(f"{differs}\n{difference}")
    raise typer.Exit(OK if same else UNMET)
