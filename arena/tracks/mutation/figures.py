"""SecMutBench's Figures 2 and 3 as SVG: no scripts, readable alone, all text escaped."""

from __future__ import annotations

from collections.abc import Sequence

from arena.report.svg import INK, box, svg, text
from arena.report.text import natural
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.lines import SuiteLine
from arena.tracks.mutation.metrics import measure_by_group

COLOURS = {
    Category.SEMANTIC: "#15803d",
    Category.FUNCTIONAL: "#2563eb",
    Category.INCIDENTAL: "#a16207",
    Category.CRASH: "#c81e1e",
    Category.UNCLASSIFIED: "#6b7280",
}
WIDTH, LABEL, ROW, CELL = 900, 220, 26, 60
MAX_ROWS = 200


def figure_2(lines: Sequence[SuiteLine]) -> str:
    """Kills by category in percent of the mutants, a bar for each line: green is SMS, the whole bar is MS."""
    lines = lines[:MAX_ROWS]
    scale = (WIDTH - LABEL - 60) / 100
    parts = [_legend()]
    for number, line in enumerate(lines):
        top, left = (number + 2) * ROW, float(LABEL)
        m = line.metrics
        parts.append(text(LABEL - 8, top + 17, line.name, "end"))
        for category in Category:
            width = scale * 100 * m.kills[category] / m.mutants if m.mutants else 0.0
            message = f"{line.name}: {category} {m.kills[category]} of {m.mutants}"
            parts.append(box(left, top + 4, width, ROW - 8, COLOURS[category], message))
            left += width
        parts.append(text(left + 6, top + 17, "-" if m.ms is None else f"{m.ms:.1f}"))
    return svg((len(lines) + 2) * ROW + 8, WIDTH, "Kills by category, % of mutants", parts)


def _legend() -> str:
    marks = []
    for number, category in enumerate(Category):
        left = LABEL + number * 120
        marks.append(box(left, 12, 14, 14, COLOURS[category], str(category)))
        marks.append(text(left + 20, 24, str(category)))
    return "".join(marks)


def figure_3(lines: Sequence[SuiteLine]) -> str:
    """SMS by CWE and line as a map: the greener, the higher; grey where no valid suite met a mutant."""
    lines = lines[:MAX_ROWS]
    groups = [measure_by_group(line.samples, "cwe") for line in lines]
    cwes = sorted({cwe for group in groups for cwe in group}, key=natural)[:MAX_ROWS]
    parts = []
    for column, line in enumerate(lines):
        parts.append(text(LABEL + column * CELL + CELL / 2, 24, str(column + 1), "middle"))
        parts.append(text(8, (len(cwes) + 3 + column) * ROW, f"{column + 1}: {line.name}"))
    for row, cwe in enumerate(cwes):
        top = (row + 2) * ROW
        parts.append(text(LABEL - 8, top + 17, cwe, "end"))
        for column, group in enumerate(groups):
            sms = group[cwe].sms if cwe in group else None
            left = LABEL + column * CELL
            message = f"{cwe}, {lines[column].name}: " + ("-" if sms is None else f"{sms:.1f} %")
            parts.append(box(left + 1, top + 1, CELL - 2, ROW - 2, _shade(sms), message))
            mark = "-" if sms is None else f"{sms:.0f}"
            parts.append(text(left + CELL / 2, top + 17, mark, "middle", INK))
    width = max(WIDTH, LABEL + len(lines) * CELL)
    return svg((len(cwes) + len(lines) + 3) * ROW, width, "SMS % by CWE", parts)


def _shade(sms: float | None) -> str:
    return "#d1d5db" if sms is None else f"hsl(140 60% {95 - 0.45 * sms:.0f}%)"
