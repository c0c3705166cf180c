"""`arena attempts`: the attempts of a run, a line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena import options
from arena.cli.common import emit
from arena.cli.run import to_json

if TYPE_CHECKING:
    from arena.store.model import Attempt

ORDERS: dict[str, Callable[[Attempt], Any]] = {
    "task": lambda attempt: (attempt.key.task, attempt.column, attempt.key.replicate),
    "label": lambda attempt: (attempt.label or attempt.health or "open", attempt.key.task),
    # The dearest first: that is what one looks for.
    "cost": lambda attempt: -attempt.usd,
    "time": lambda attempt: -attempt.seconds,
}


def command(
    run: options.Run = "latest",
    label: Annotated[
        list[str] | None,
        typer.Option("--label", help="Only with this label; '' for none (repeatable)."),
    ] = None,
    task: options.Tasks = None,
    where: options.Where = None,
    sort: Annotated[str, typer.Option("--sort", help="By task, label, cost or time.")] = "",
    store: options.StoreAt = "",
    as_json: options.Json = False,
) -> None:
    from arena.report.selection import Selection
    from arena.report.text import one_line
    from arena.store.known import known_store

    if sort and sort not in ORDERS:
        raise ValueError(f"--sort: {sort!r} is unknown; known: {', '.join(ORDERS)}")
    opened = known_store(store)
    run_record = opened.run(run)
    chosen = Selection.parse([*(where or ()), *(f"label={name}" for name in label or ())])
    rows = chosen.rows_of_runs(opened, run_record.id)
    tasks = {row.task for row in rows}
    if unknown := [name for name in task or () if name not in tasks]:
        raise ValueError(
            f"--task: no attempt is of {unknown[0]!r}; known: {', '.join(sorted(tasks)[:20])}"
        )
    wanted = {row.id for row in rows if not task or row.task in task}
    attempts = [attempt for attempt in opened.attempts(run_record.id) if attempt.id in wanted]
    if sort:
        attempts.sort(key=ORDERS[sort])
    if as_json:
        emit([to_json(opened, attempt) for attempt in attempts])
        return
    for attempt in attempts:
        used = f"{attempt.usage.get('calls', 0):4} calls {attempt.usage.get('usd', 0.0):9.4f} USD"
        state = attempt.label or attempt.health or "open"
        name = one_line(f"{attempt.key.task} x {attempt.column}")
        print(f"{attempt.id}  {state:5} {attempt.ended:17} {used}  {name}")
