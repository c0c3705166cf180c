"""`arena run`: agents over a pack, graded and stored; goes on where it was stopped."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.common import (
    OK,
    UNLABELLED,
    JsonOption,
    PackOption,
    SandboxOption,
    ScannerOption,
    WorkersOption,
    emit,
    tell,
)

NAME = "run"
HELP = "Let agents solve the tasks of a pack, grade what they leave, and store it."


def command(
    pack: PackOption,
    agent: Annotated[list[str], typer.Option("--agent", help="An agent's name (may be repeated).")],
    task: Annotated[list[str] | None, typer.Option("--task", help="Only these tasks.")] = None,
    replicates: Annotated[
        int, typer.Option("--replicates", min=1, help="Attempts of the same.")
    ] = 1,
    resume: Annotated[
        str, typer.Option("--resume", help="Go on with a run: its id, or latest.")
    ] = "",
    seconds: Annotated[
        float, typer.Option("--seconds", min=1, help="Wall time for each agent.")
    ] = 1800.0,
    trust_agents: Annotated[
        bool, typer.Option("--trust-agents", help="Let agents run model output in a weak sandbox.")
    ] = False,
    as_json: JsonOption = False,
    sandbox: SandboxOption = "auto",
    workers: WorkersOption = 0,
    scanner: ScannerOption = "",
) -> None:
    from arena.cli.session import open_session
    from arena.report.tables import print_matrix
    from arena.store.store import Store
    from harness.agents._make import make_agent
    from tasks.loader import load_pack

    loaded = load_pack(pack)
    for name in task or ():
        loaded.task(name)
    for name in agent:
        make_agent(name, loaded.tasks[0])
    run = Store().run(resume).id if resume else ""
    session = open_session(loaded, sandbox, scanner, workers, seconds, trust_agents)
    keys = session.track.attempts(agent, replicates, task or ())
    attempts = session.run(keys, {"agents": agent, "replicates": replicates}, run)
    if as_json:
        rows = [
            {
                "task": a.key.task,
                "agent": a.key.agent,
                "label": a.label,
                "health": a.health,
                "ended": a.ended,
                "usage": a.usage,
            }
            for a in attempts
        ]
        emit({"run": attempts[0].run, "attempts": rows})
    else:
        print_matrix(attempts, list(dict.fromkeys(a.key.agent for a in attempts)))
    for attempt in (a for a in attempts if a.label is None):
        tell(
            f"no label: {attempt.key.task} x {attempt.key.agent}: {attempt.health}: {attempt.reason}"
        )
    tell(f"run {attempts[0].run}: arena report {attempts[0].run}")
    raise typer.Exit(UNLABELLED if any(a.label is None for a in attempts) else OK)
