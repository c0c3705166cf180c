"""The suites of stored runs, for studies of them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.output import print_err
from arena.report.provenance import warn_of_mixing
from arena.store.store import Store
from arena.tracks.mutation.lines import SuiteLine, lines_of


def lines_of_runs(runs: Sequence[str], mix_versions: bool = False) -> tuple[Store, list[SuiteLine]]:
    """The store, and the lines of these runs, in order.

    Raises UnknownRun, VersionsDiffer unless labels of several versions are to be mixed, and ValueError for a
    run of a different track.
    """
    store = Store()
    lines = []
    named = [store.run(name) for name in runs]
    warn_of_mixing(store.rows([run.id for run in named]) if named else (), mix_versions, print_err)
    for run in named:
        if run.track != "mutation":
            raise ValueError(f"run {run.id}: is of the track {run.track}, not mutation")
        lines += lines_of(store.attempts(run.id), store.tasks(run.id))
    return store, lines
