"""`arena attempts`: the attempts of a run, a line each."""

from __future__ import annotations

from arena import options
from arena.cli.common import emit
from arena.cli.run import to_json

NAME = "attempts"
HELP = "List the attempts of a run: label, how the agent ended, usage."


def command(
    run: options.Run = "latest",
    store: options.StoreAt = "",
    as_json: options.Json = False,
) -> None:
    from arena.report.text import one_line
    from arena.store.store import known_store

    kept = known_store(store)
    attempts = kept.attempts(kept.run(run).id)
    if as_json:
        emit([to_json(kept, attempt) for attempt in attempts])
        return
    for a in attempts:
        used = f"{a.usage.get('calls', 0):4} calls {a.usage.get('usd', 0.0):9.4f} USD"
        state = a.label or a.health or "open"
        name = one_line(f"{a.key.task} x {a.key.column}")
        print(f"{a.id}  {state:5} {a.ended:17} {used}  {name}")
