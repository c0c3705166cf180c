"""The dashboard of a run: a self-contained page, or a folder for a web server where `--out` is no .html."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.exchange.source import Say, Source, WrittenFile


def write(source: Source, out: Path, say: Say) -> None:
    from arena.report.board.page import write_file, write_folder, written_board
    from arena.report.detail import detail
    from arena.report.provenance import expect_comparable

    rows = source.rows()
    expect_comparable(rows, source.mix_versions)
    data = written_board(rows, [source.run], _papers(source))
    # One at a time, as they are written: not all of them in memory.
    details = ((row.id, detail(source.store, row.id)) for row in rows if row.health)
    writer = write_file if out.suffix == ".html" else write_folder
    page = writer(out, data, details)
    say(f"{len(rows)} attempts, {page.details} with details, in {page.path}")


def _papers(source: Source) -> list[dict[str, Any]]:
    """The tables of the track's paper; of a selection none, since they are those of the whole run."""
    from arena.report.selection import Selection
    from arena.tracks.paper_view import paper

    if source.wanted != Selection():
        return []
    paper_view = paper(source.store, source.run)
    return [paper_view] if any(paper_view[part] for part in PARTS) else []


PARTS = ("tables", "figures", "scores", "pairs")
PLUGIN = WrittenFile("html", "The dashboard: one .html file, or a folder for a web server.", write)
