"""`arena replay`: an attempt once more, answered from its record; the same patch must come of it."""

from __future__ import annotations

from typing import Annotated

import typer

from arena import options
from arena.cli.common import OK, UNMET, emit, open_session, print_err


def command(
    attempt: Annotated[str, typer.Argument(help="An attempt's id, or its first characters.")],
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
) -> None:
    from arena.replays import expect_record, replay_attempt
    from arena.session import setup_of
    from arena.store.store import Store

    store = Store()
    recorded = store.attempt(attempt)
    expect_record(recorded)
    run = store.run(recorded.run)
    # As the run was made: other caps or options would end it elsewhere.
    setup = setup_of(run.settings, run.track, run.pack, sandbox)
    with open_session(setup) as session:
        print_err(
            f"{recorded.id}: {recorded.key.task} x {recorded.column}, from its record; nothing is paid"
        )
        result = replay_attempt(session, recorded, lambda step: print_err(f"{recorded.id}: {step}"))
    if as_json:
        emit(
            {
                "attempt": result.attempt,
                "identical": result.identical,
                "ended": result.ended,
                "was": result.recorded_end,
                "diverged": result.diverged,
                "difference": result.difference,
                "calls": result.calls,
            }
        )
    else:
        patch = "the identical patch" if result.identical else "another patch"
        print(f"{result.attempt}: {patch}, {result.ended}")
    if result.diverged:
        print_err(f"{result.diverged}\n{result.difference}")
    raise typer.Exit(OK if result.identical else UNMET)
