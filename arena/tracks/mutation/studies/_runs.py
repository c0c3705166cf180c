"""The suites of stored runs, for studies of them."""

from __future__ import annotations

from collections.abc import Iterable

from arena.store.store import Store
from arena.tracks.mutation.lines import SuiteLine, lines_of


def lines_of_runs(runs: Iterable[str]) -> tuple[Store, list[SuiteLine]]:
    """The store, and the lines of these runs, one after the other. Raises UnknownRun, and ValueError for a
    run of another track."""
    store = Store()
    lines = []
    for name in runs:
        run = store.run(name)
        if run.track != "mutation":
            raise ValueError(f"run {run.id}: is of the track {run.track}, not mutation")
        lines += lines_of(store.attempts(run.id), store.tasks(run.id))
    return store, lines
