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
    "task": lambda one: (one.key.task, one.column, one.key.replicate),
    "label": lambda one: (one.label or one.health or "open", one.key.task),
    # The dearest first: that is what one looks for.
    "cost": lambda one: -one.usd,
    "time": lambda one: -one.seconds,
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
    chosen = Selection.parse(
        [*(where or ()), *(f"label={attempt_label}" for attempt_label in label or ())]
    )
    rows = chosen.rows_of_runs(opened, run_record.id)
    tasks = {row.task for row in rows}
    if unknown := [name for name in task or () if name not in tasks]:
        raise ValueError(
            f"--task: no attempt is of {unknown[0]!r}; known: {', '.join(sorted(tasks)[:20])}"
        )
    wanted = {row.id for row in rows if not task or row.task in task}
    attempts = [
        attempt_label
        for attempt_label in opened.attempts(run_record.id)
        if attempt_label.id in wanted
    ]
    if sort:
        attempts.sort(key=ORDERS[sort])
    if as_json:
        emit([to_json(opened, attempt) for attempt in attempts])
        return
    for a in attempts:
        used = f"{a.usage.get('calls', 0):4} calls {a.usage.get('usd', 0.0):9.4f} USD"
        state = a.label or a.health or "open"
        name = one_line(f"{a.key.task} x {a.column}")
        print(f"{a.id}  {state:5} {a.ended:17} {used}  {name}")
