"""Stacked bars as SVG: a row each, with a name before and a text behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.report.names import cut_apart
from arena.report.svg import MAX_LABEL, box, svg, text

WIDTH, LABEL, RIGHT, ROW = 900, 240, 90, 26
SCALE = WIDTH - LABEL - RIGHT
# More are not drawn; the tables have them all.
MAX_ROWS = 100


@dataclass(frozen=True)
class Part:
    """A part of a bar: its share of the whole width (0 to 1), its colour and its tooltip."""

    share: float
    colour: str
    tooltip: str


@dataclass(frozen=True)
class Row:
    """A bar: its name, its parts, and the text behind it."""

    name: str
    parts: Sequence[Part]
    caption: str


def draw_stacked_bars(title: str, rows: Sequence[Row], legend: Mapping[str, str]) -> str:
    """Bars below the legend (name -> colour). Long names are cut so that they stay distinct."""
    rows = rows[:MAX_ROWS]
    names = cut_apart((row.name for row in rows), MAX_LABEL)
    shapes = list(_draw_legend(legend))
    for number, row in enumerate(rows):
        top, left = (number + 2) * ROW, float(LABEL)
        shapes.append(text(LABEL - 8, top + 17, names[row.name], "end"))
        for part in row.parts:
            if part.share:
                shapes.append(
                    box(left, top + 4, SCALE * part.share, ROW - 8, part.colour, part.tooltip)
                )
            left += SCALE * part.share
        shapes.append(text(left + 8, top + 17, row.caption))
    return svg((len(rows) + 2) * ROW + 8, WIDTH, title, shapes)


def _draw_legend(legend: Mapping[str, str]) -> Iterable[str]:
    step = min(140.0, (WIDTH - LABEL) / max(1, len(legend)))
    for number, (name, colour) in enumerate(legend.items()):
        yield box(LABEL + number * step, 12, 14, 14, colour, name)
        yield text(LABEL + number * step + 20, 24, name)
