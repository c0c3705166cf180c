"""The tables and figures of the track's paper over a run, as plain data for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from arena.report.boards import head_value
from arena.report.grid import Table, cell_text
from arena.report.leaderboard import BY, leaderboard
from arena.report.matrix import contests, matrix_table, pairs_table
from arena.tracks.opening import track_class
from arena.vocabulary import tracks, vocabulary

if TYPE_CHECKING:
    from arena.store.model import Row
    from arena.store.store import Store
    from arena.store.tables import RunRow


# Attempts of a run; those of more are not read whole for a page that waits.
MOST = 20_000
# Without calibration, of which all pairs are compared for a page: 496 pairs take two seconds or three.
MAX_COLUMNS = 32


def paper(store: Store, run: RunRow) -> dict[str, Any]:
    """{"run", "tables": [{"title", "columns", "rows", "note"}], "figures": [{"title", "svg"}],
    "scores", "pairs"}; all texts.

    scores: those of the paper, by column, [{"agent", "model", "prompt", "values": {NAME: NUMBER}}]. pairs:
    which column is better than which, as tables. svg: [tag, attributes, children], where a child is such
    a list or a text: a page makes no markup of text.

    Nothing for a track that is not known here, such as one of somebody's own. Of too many: `left_out`.
    """
    nothing = {"run": run.id, "tables": [], "figures": [], "scores": [], "pairs": []}
    if run.track not in tracks():
        return nothing
    if store.counts(run.id).attempts > MOST:
        return {**nothing, "left_out": True}
    track, attempts, facts = track_class(run.track), store.attempts(run.id), store.tasks(run.id)
    rows = list(store.rows([run.id]))
    column_scores = track.metrics(attempts, facts).get("columns") or {}
    figures = [
        {"title": figure.title, "svg": _nodes(ElementTree.fromstring(figure.svg))}  # noqa: S314 - our own
        for figure in track.figures(attempts, facts)
    ]
    return {
        "run": run.id,
        "tables": [_plain(table) for table in track.tables(attempts, facts)],
        "figures": figures,
        "scores": _scores(run.track, rows, column_scores),
        "pairs": _pairs(rows),
    }


def _plain(table: Table) -> dict[str, Any]:
    return {
        "title": table.heading,
        "columns": list(table.columns),
        "rows": [[cell_text(cell) for cell in row] for row in table.rows],
        "note": table.note,
    }


def _scores(track: str, rows: Sequence[Row], own: Mapping[str, Any]) -> list[dict[str, Any]]:
    heads = vocabulary(track).heads
    return [
        {**{name: entry.key.get(name, "") for name in BY[1:]}, "values": values}
        for entry in leaderboard(rows)
        if (values := {head.name: head_value(entry, head, own) for head in heads})
    ]


def _pairs(rows: Sequence[Row]) -> list[dict[str, Any]]:
    columns = {
        (row.agent, row.model, row.prompt)
        for row in rows
        if not vocabulary(row.track).calibrates(row.agent)
    }
    if len(columns) > MAX_COLUMNS:
        return []
    entries, contest_rows = contests(rows)
    return (
        [_plain(matrix_table(entries, contest_rows)), _plain(pairs_table(contest_rows))]
        if contest_rows
        else []
    )


def _nodes(element: ElementTree.Element) -> list[Any]:
    children: list[Any] = [element.text] if element.text and element.text.strip() else []
    for child in element:
        children.append(_nodes(child))
        if child.tail and child.tail.strip():
            children.append(child.tail)
    return [element.tag.rpartition("}")[2], dict(element.attrib), children]
