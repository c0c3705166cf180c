"""The tables and figures of the track's paper over a run, as plain data for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from arena.report.grid import cell_text
from arena.tracks.opening import track_class
from arena.vocabulary import tracks

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.tables import RunRow


MOST = 20_000
"""Attempts of a run; those of more are not read whole for a page that waits."""


def paper(store: Store, run: RunRow) -> dict[str, Any]:
    """{"run", "tables": [{"title", "columns", "rows", "note"}], "figures": [{"title", "svg"}]}; all texts.

    svg: [tag, attributes, children], where a child is such a list or a text: a page makes no markup of text.

    Nothing for a track that is not known here, such as one of somebody's own. Of too many: `left_out`.
    """
    nothing = {"run": run.id, "tables": [], "figures": []}
    if run.track not in tracks():
        return nothing
    if store.counts(run.id).attempts > MOST:
        return {**nothing, "left_out": True}
    track, attempts, facts = track_class(run.track), store.attempts(run.id), store.tasks(run.id)
    tables = [
        {
            "title": table.heading,
            "columns": list(table.columns),
            "rows": [[cell_text(cell) for cell in row] for row in table.rows],
            "note": table.note,
        }
        for table in track.tables(attempts, facts)
    ]
    figures = [
        {"title": figure.title, "svg": _nodes(ElementTree.fromstring(figure.svg))}  # noqa: S314 - our own
        for figure in track.figures(attempts, facts)
    ]
    return {"run": run.id, "tables": tables, "figures": figures}


def _nodes(element: ElementTree.Element) -> list[Any]:
    children: list[Any] = [element.text] if element.text and element.text.strip() else []
    for child in element:
        children.append(_nodes(child))
        if child.tail and child.tail.strip():
            children.append(child.tail)
    return [element.tag.rpartition("}")[2], dict(element.attrib), children]
