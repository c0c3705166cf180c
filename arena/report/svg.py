"""Parts of SVG figures: no scripts, self-contained, all text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from arena.report.text import one_line
from arena.vocabulary import Kind

MAX_LABEL = 32
# Text on cells, whose colours are light in either colour scheme.
INK = "#111827"
# Of labels, by kind: those of the page (`static/kinds.js`), after Paul Tol's "vibrant" scheme.
COLOURS = {
    Kind.NOTHING: "#bbbbbb",
    Kind.BROKEN: "#b07aa1",
    Kind.INCORRECT: "#ddaa33",
    Kind.VULNERABLE: "#cc3311",
    Kind.SUSPICIOUS: "#ee7733",
    Kind.NEUTRAL: "#33bbee",
    Kind.GOOD: "#009988",
}
# Of agents, in order of name: none is a label's, so that a colour means one thing. They come again after
# the last. Each has a contrast of 3 with the page, light or dark; those of `HUES` in `static/kinds.js`.
SHADES = ("#3366cc", "#aa7733", "#7755cc", "#779933", "#cc44aa", "#667788")


def text(x: float, y: float, content: str, anchor: str = "start", colour: str = "") -> str:
    """A text, cut to MAX_LABEL; anchor "start", "middle" or "end"."""
    shown = content if len(content) <= MAX_LABEL else content[: MAX_LABEL - 1] + "…"
    fill = f' fill="{colour}"' if colour else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{fill}>{safe(shown)}</text>'


def box(x: float, y: float, width: float, height: float, colour: str, tooltip: str) -> str:
    """A filled rectangle with a tooltip."""
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {size} fill="{colour}"><title>{safe(tooltip)}</title></rect>'


def line(x1: float, y1: float, x2: float, y2: float, width: float = 1.5) -> str:
    """A stroke in the colour of the text."""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="currentColor" stroke-width="{width}"/>'


def dot(x: float, y: float, radius: float, colour: str, tooltip: str) -> str:
    """A filled circle with a tooltip."""
    centre = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    return f'<circle {centre} fill="{colour}"><title>{safe(tooltip)}</title></circle>'


def safe(content: str) -> str:
    """A line of text, escaped for any position in a page."""
    return escape(one_line(content), quote=True)


def svg(height: float, width: float, title: str, parts: Sequence[str]) -> str:
    """The whole figure, in the colour of the page's text."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{safe(title)}"'
    return f'{head} font-size="13" fill="currentColor">{"".join(parts)}</svg>'
