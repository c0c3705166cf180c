"""Files of a run for a paper: tables, figures and a data statement, in a folder.

```
README.md      the data statement, and every table with what its numbers mean
index.html     the same as a page without scripts, with the figures
tables/        each table as .md, .tex and .csv
figures/       each figure as .svg, and as .png where a Chromium is there
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.statement import statement
from arena.exchange.writing import empty_folder
from arena.report.grid import Figure, Table, cell_text, to_csv, to_markdown
from arena.store.model import Attempt
from tasks.writing import write_whole

PAGE = """\
{% extends "frame.html" %}
{% from "grids.html" import grids %}
{% block title %}{{ cell_text(run) }}{% endblock %}
{% block body %}
<h1>{{ cell_text(run) }}</h1>
{{ grids(tables[:first], cell_text) }}
{% for figure in figures %}
<h2>{{ cell_text(figure.title) }}</h2>
<div class="wide" tabindex="0" role="region" aria-label="{{ cell_text(figure.title) }}">
{{ safe(figure.svg) }}
</div>
{% endfor %}
{{ grids(tables[first:], cell_text) }}
{% endblock %}
"""
# Tables before the figures: the data statement and the leaderboard.
FIRST = 2


def write(source: Source, out: Path, say: Say) -> None:
    """Write the folder, which must be new or empty. Raises ValueError, OSError."""
    from arena.report.latex import to_latex
    from arena.report.provenance import expect_comparable

    attempts = list(source.attempts())
    expect_comparable(map(source.row, attempts), source.mix_versions)
    if not attempts:
        raise ValueError(f"run {source.run.id}: no attempt to tell of; see --where")
    tables = [statement(source, attempts), *tables_of(source, attempts)]
    figures = source.track.figures(attempts, source.tasks)
    # Only now, when nothing of the run can be refused any more.
    folder = empty_folder(out)
    for name in ("tables", "figures"):
        (folder / name).mkdir()
    for name, table in zip(_names(each.title for each in tables), tables, strict=True):
        for ending, form in (("md", to_markdown), ("tex", to_latex), ("csv", to_csv)):
            write_whole(folder / "tables" / f"{name}.{ending}", form([table]).encode())
    _draw(folder / "figures", figures, say)
    head = f"# {source.run.pack}, run {source.run.id}\n\n"
    write_whole(folder / "README.md", (head + to_markdown(tables)).encode())
    write_whole(folder / "index.html", _page(source, tables, figures).encode())
    say(f"{len(attempts)} attempts in {len(tables)} tables and {len(figures)} figures, in {folder}")


def tables_of(source: Source, attempts: Sequence[Attempt]) -> Iterator[Table]:
    """Leaderboard, labels, what is beside them, by CWE, all pairs, and those of the track's paper."""
    from arena.report.boards import breakdown_table, leaderboards
    from arena.report.breakdown import breakdown
    from arena.report.leaderboard import leaderboard
    from arena.report.matrix import contests, matrix_table, pairs_table

    rows, track = source.rows(), source.track
    columns_of_track = track.metrics(attempts, source.tasks).get("columns")
    yield from leaderboards(leaderboard(rows), columns_of_track, whole=True)
    if any(row.cwes for row in rows):
        yield breakdown_table(breakdown(rows, "cwe"), "cwe")
    entries, contest_rows = contests(rows)
    if contest_rows:
        yield from (matrix_table(entries, contest_rows), pairs_table(contest_rows))
    yield from track.tables(attempts, source.tasks)


def _names(titles: Iterable[str]) -> list[str]:
    """Names of files: a number in the folder, and the title as far as it is plain."""
    from arena.report.latex import slug

    short = map(slug, titles)
    return [f"{number:02}-{title}" for number, title in enumerate(short, 1)]


def _draw(folder: Path, figures: Sequence[Figure], say: Say) -> None:
    from arena.report.raster import NoBrowser, pngs

    # On a page the figures have the font of the page; alone they would have a serif one.
    drawn = [each.svg.replace("<svg ", '<svg font-family="sans-serif" ', 1) for each in figures]
    names = _names(figure.title for figure in figures)
    for name, svg in zip(names, drawn, strict=True):
        write_whole(folder / f"{name}.svg", svg.encode())
    try:
        for name, png in zip(names, pngs(drawn), strict=True):
            write_whole(folder / f"{name}.png", png)
    except NoBrowser as error:
        say(str(error))


def _page(source: Source, tables: Sequence[Table], figures: Sequence[Figure]) -> str:
    from markupsafe import Markup

    from arena.report.html import templates

    return (
        templates()
        .from_string(PAGE)
        .render(
            run=f"{source.run.pack}, run {source.run.id}",
            tables=tables,
            figures=figures,
            first=FIRST,
            cell_text=cell_text,
            safe=Markup,  # a Figure's SVG has its text escaped
        )
    )


PLUGIN = WrittenFile("paper", "Tables, figures and a data statement for a paper: a folder.", write)
