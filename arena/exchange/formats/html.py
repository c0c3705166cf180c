"""The dashboard of a run: one self-contained page, or a folder for a web server where `--out` is no .html."""

from __future__ import annotations

from pathlib import Path

from arena.exchange.source import Say, Source, WrittenFile


def write(source: Source, out: Path, say: Say) -> None:
    from arena.report.board.data import board
    from arena.report.board.page import write_file, write_folder
    from arena.report.detail import detail
    from arena.report.provenance import expect_comparable

    rows = source.rows()
    expect_comparable(rows, source.mix_versions)
    data = board(rows, [source.run], live=False)
    details = ((row.id, detail(source.store, row.id)) for row in rows if row.health)
    writer = write_file if out.suffix == ".html" else write_folder
    page = writer(out, data, details)
    say(f"{len(rows)} attempts, {page.details} with details, in {page.path}")


PLUGIN = WrittenFile("html", "The dashboard: one .html file, or a folder for a web server.", write)
