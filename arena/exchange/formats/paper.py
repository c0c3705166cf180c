"""The tables and figures of the track's paper over a run, as one page without scripts."""

from __future__ import annotations

from pathlib import Path

from arena.exchange.source import Say, Source, WrittenFile

PAGE = """\
{% extends "frame.html" %}
{% from "grids.html" import grids %}
{% block title %}{{ cell_text(run) }}{% endblock %}
{% block body %}
<h1>{{ cell_text(run) }}</h1>
{{ grids(tables, cell_text) }}
{% for figure in figures %}
<h2>{{ cell_text(figure.title) }}</h2>
<div class="wide" tabindex="0" role="region" aria-label="{{ cell_text(figure.title) }}">
{{ safe(figure.svg) }}
</div>
{% endfor %}
{% endblock %}
"""


def write(source: Source, out: Path, say: Say) -> None:
    from markupsafe import Markup

    from arena.report.grid import cell_text
    from arena.report.html import templates
    from arena.tracks.opening import track_class
    from tasks.writing import write_whole

    track, attempts = track_class(source.run.track), list(source.attempts())
    tables = track.tables(attempts, source.tasks)
    figures = track.figures(attempts, source.tasks)
    page = templates().from_string(PAGE)
    text = page.render(
        run=f"{source.run.pack}, run {source.run.id}",
        tables=tables,
        figures=figures,
        cell_text=cell_text,
        safe=Markup,  # a Figure's SVG has its text escaped
    )
    write_whole(out, text.encode())
    say(f"{len(attempts)} attempts in {len(tables)} tables and {len(figures)} figures, in {out}")


PLUGIN = WrittenFile("paper", "Tables and figures of the track's paper: one .html file.", write)
