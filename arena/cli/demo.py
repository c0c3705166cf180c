"""`arena demo`: the calibration agents over the starter pack; each of the six labels where it is due."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.common import (
    OK,
    UNLABELLED,
    UNMET,
    JsonOption,
    SandboxOption,
    WorkersOption,
    emit,
    tell,
)

NAME = "demo"
HELP = "Run the calibration agents over the starter pack and show all six labels."

TaskOption = Annotated[
    list[str] | None, typer.Option("--task", help="Only these tasks (may be repeated).")
]


def command(
    as_json: JsonOption = False,
    sandbox: SandboxOption = "auto",
    workers: WorkersOption = 0,
    task: TaskOption = None,
    pack: Annotated[
        str, typer.Option("--pack", help="Another pack than the starter pack.")
    ] = "starter",
) -> None:
    from arena.cli.report import write_page
    from arena.cli.session import open_session
    from arena.report.tables import print_matrix
    from arena.tracks.protocol import Matrix
    from harness.agents import CALIBRATION
    from harness.agents._make import make_agent
    from tasks.loader import load_pack

    session = open_session(load_pack(pack), sandbox, workers=workers)
    keys = session.track.attempts(Matrix(CALIBRATION, tasks=task or ()))
    attempts = session.run(keys, {"demo": True, "agents": list(CALIBRATION)})
    first = session.track.pack.tasks[0]
    due = {name: make_agent(name, first).due for name in CALIBRATION}  # type: ignore[attr-defined]
    wrong = [a for a in attempts if a.label is not None and a.label != due[a.key.agent]]
    run = attempts[0].run
    page = write_page(session.store, run)
    if as_json:
        rows = [
            {"task": a.key.task, "agent": a.key.agent, "label": a.label, "health": a.health}
            for a in attempts
        ]
        emit({"run": run, "attempts": rows})
    else:
        print_matrix(attempts, list(CALIBRATION))
    for attempt in wrong:
        tell(
            f"not as due: {attempt.key.task} x {attempt.key.agent}: {attempt.label}: {attempt.reason}"
        )
    for attempt in (a for a in attempts if a.label is None):
        tell(
            f"no label: {attempt.key.task} x {attempt.key.agent}: {attempt.health}: {attempt.reason}"
        )
    tell(f"evidence: {session.store.folder} (arena show ATTEMPT, arena report {run}); page: {page}")
    unlabelled = any(a.label is None for a in attempts)
    raise typer.Exit(UNMET if wrong else UNLABELLED if unlabelled else OK)
