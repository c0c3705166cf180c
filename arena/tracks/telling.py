"""The tables and figures of the track's paper over a run, as plain data for pages."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena.report.grid import shown
from arena.tracks.opening import track_class
from arena.vocabulary import tracks

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.tables import RunRow


def paper(store: Store, run: RunRow) -> dict[str, Any]:
    """{"run", "tables": [{"title", "columns", "rows", "note"}], "figures": [{"title", "svg"}]}; all texts.

    Nothing for a track that is not known here, such as one of somebody's own.
    """
    if run.track not in tracks():
        return {"run": run.id, "tables": [], "figures": []}
    track, attempts, facts = track_class(run.track), store.attempts(run.id), store.tasks(run.id)
    tables = [
        {
            "title": table.heading,
            "columns": list(table.columns),
            "rows": [[shown(cell) for cell in row] for row in table.rows],
            "note": table.note,
        }
        for table in track.tables(attempts, facts)
    ]
    figures = [asdict(figure) for figure in track.figures(attempts, facts)]
    return {"run": run.id, "tables": tables, "figures": figures}
