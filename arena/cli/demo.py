"""`arena demo`: the calibration agents over the starter pack; each of the six labels as expected.

A single task comes first, so that all six labels soon appear; the rest follow with `--all`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import OK, UNLABELLED, UNMET, choose_backend, emit, open_session, print_err

if TYPE_CHECKING:
    from arena.session import Session
    from arena.store.model import Attempt
    from tasks.loader import Task

# The fact that holds the seconds of a demo's first task; from what is at hand it takes far less.
LONGEST = "demo:longest"


def command(
    as_json: options.Json = False,
    sandbox: options.Sandbox = "auto",
    workers: options.Workers = 0,
    task: options.Tasks = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Run all tasks; the labels of the first are printed first."),
    ] = False,
    pack: Annotated[
        str, typer.Option("--pack", help="A pack other than the starter pack.")
    ] = "starter",
) -> None:
    from arena.protocols import Setup
    from tasks.loader import load_pack

    if task and every:
        raise ValueError("--task and --all exclude each other")
    loaded = load_pack(pack)
    chosen = [loaded.task(name) for name in dict.fromkeys(task or ())] or list(
        loaded.tasks_of_kinds()
    )
    backend = choose_backend(sandbox, lambda _: None)
    backend.resolve(chosen[0].spec.environment.image)  # is reported, not timed
    with open_session(Setup(loaded.spec.track, pack, sandbox), workers) as session:
        attempts, seconds = _first(session, chosen[0])
        others = len(chosen) - 1
        if others and (task or every):
            if not as_json:
                _print(attempts, session.setup.track)
            print_err(f"{others} more tasks take {_guess(others * seconds)}")
            attempts = _labels(session, chosen, attempts[0].run)
            # All are done: no remaining time is shown.
            others = 0
    _close(session, attempts, others * seconds, as_json)
    if others:
        print_err(
            f"1 of {len(chosen)} tasks; the other {others} take {_guess(others * seconds)}: "
            "./scripts/demo --all, or arena demo --all"
        )
    raise typer.Exit(_complain(chosen[0], attempts))


def _first(session: Session, task: Task) -> tuple[list[Attempt], float]:
    """Attempts of the first task, and the seconds that a task takes of which nothing is at hand."""
    began = time.monotonic()
    attempts = _labels(session, [task])
    longest = session.store.fact(LONGEST) or {"seconds": 0.0}
    # The longest ever measured: a second demo takes verdicts from the store and would promise too little.
    seconds = max(longest["seconds"], round(time.monotonic() - began, 1))
    session.store.put_fact(LONGEST, {"seconds": seconds})
    return attempts, seconds


def _labels(session: Session, tasks: Sequence[Task], run: str = "") -> list[Attempt]:
    """Attempts of all calibration agents on `tasks`, in a new run or added to `run`."""
    from arena.protocols import Matrix
    from harness.agents import CALIBRATION

    keys = session.track.attempts(Matrix(CALIBRATION, tasks=[task.id for task in tasks]))
    return session.run(keys, {"demo": True, "agents": list(CALIBRATION)}, run)


def _guess(seconds: float) -> str:
    """A range of time for tasks: from `seconds`, extrapolated from the first task, to twice that."""
    unit, size = ("min", 60) if seconds >= 90 else ("s", 1)
    return f"{seconds / size:.0f} to {2 * seconds / size:.0f} {unit}"


def _print(attempts: Sequence[Attempt], track: str) -> None:
    from arena.report.tables import print_matrix
    from harness.agents import CALIBRATION

    print_matrix(attempts, list(CALIBRATION), track=track)


def _close(session: Session, attempts: Sequence[Attempt], left: float, as_json: bool) -> None:
    """Print the labels, and where the evidence is. left: seconds that the remaining tasks would take."""
    from arena.cli.report import write_page

    run = attempts[0].run
    page = write_page(session.store, run)
    if as_json:
        rows = [
            {"task": a.key.task, "agent": a.key.agent, "label": a.label, "health": a.health}
            for a in attempts
        ]
        emit({"run": run, "attempts": rows, "seconds_left": round(left)})
    else:
        _print(attempts, session.setup.track)
    print_err(
        f"evidence: {session.store.folder} (arena show ATTEMPT, arena report {run}); page: {page}"
    )


def _complain(any_task: Task, attempts: Sequence[Attempt]) -> int:
    """Print the attempts without the expected label; returns the exit code."""
    from arena.report.text import first_line
    from harness.agents import CALIBRATION
    from harness.agents._make import make_agent

    due = {name: make_agent(name, any_task).due for name in CALIBRATION}  # type: ignore[attr-defined]
    code = OK
    for attempt in attempts:
        where = f"{attempt.key.task} x {attempt.key.agent}"
        if attempt.label is None:
            print_err(f"no label: {where}: {attempt.health}: {first_line(attempt.reason)}")
            code = code or UNLABELLED
        elif attempt.label != due[attempt.key.agent]:
            print_err(f"not as due: {where}: {attempt.label}: {attempt.reason}")
            code = UNMET
    return code
