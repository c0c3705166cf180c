"""Figures of results as SVG: what joint judging costs, how consistent security is, and rates by CWE."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.report.statistics import Interval
from arena.report.svg import INK, box, dot, line, svg, text
from arena.report.text import natural
from arena.tracks.dual.metrics import NO_CWE
from arena.tracks.dual.tables import DualLine

CORRECT, JOINT, TESTS = "#2563eb", "#15803d", "#a16207"
WIDTH, LABEL, ROW, BAR, CELL = 900, 220, 44, 15, 72
LINE = 26
EMPTY = "#d1d5db"
MAX_ROWS = 200
SCALE = WIDTH - LABEL - 150
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def figure_bars(lines: Sequence[DualLine]) -> str:
    """pass@1 beside secure-pass@1, with their 95 % intervals as whiskers."""
    lines = lines[:MAX_ROWS]
    height = (len(lines) + 1) * ROW + 30
    parts = [*_axis(height), *_legend((("pass@1", CORRECT), ("secure-pass@1", JOINT)))]
    for number, row in enumerate(lines):
        top = (number + 1) * ROW
        parts.append(text(LABEL - 8, top + BAR + 5, row.name, "end"))
        for place, (name, colour) in enumerate((("pass@1", CORRECT), ("secure-pass@1", JOINT))):
            parts += _bar(row, name, colour, top + place * BAR)
    return svg(height, WIDTH, "pass@1 and secure-pass@1, %", parts)


def _bar(row: DualLine, name: str, colour: str, top: float) -> list[str]:
    interval = row.fitting[name]
    message = (
        f"{row.name}: {name} {_percent(interval)} ({row.ranges[name] or '-'}), {interval.n} tasks"
    )
    if interval.value is None:
        return [text(LABEL + 4, top + 12, "-")]
    end = LABEL + SCALE * interval.value
    parts = [box(LABEL, top + 1, end - LABEL, BAR - 2, colour, message)]
    if interval.low is not None and interval.high is not None:
        low, high, middle = (
            LABEL + SCALE * interval.low,
            LABEL + SCALE * interval.high,
            top + BAR / 2,
        )
        parts.append(line(low, middle, high, middle))
        parts += [line(x, middle - 3, x, middle + 3) for x in (low, high)]
        end = max(end, high)
    return [*parts, text(end + 6, top + 12, _percent(interval))]


def figure_gaps(lines: Sequence[DualLine]) -> str:
    """From secure-pass@1 to SPR: single security tests are passed far more often than all of them."""
    lines = lines[:MAX_ROWS]
    height = (len(lines) + 1) * ROW + 30
    parts = [*_axis(height), *_legend((("secure-pass@1", JOINT), ("SPR", TESTS)))]
    for number, row in enumerate(lines):
        middle = (number + 1) * ROW + BAR
        parts.append(text(LABEL - 8, middle + 5, row.name, "end"))
        joint, tests = row.intervals["secure-pass@1"], row.intervals["spr"]
        if joint.value is None or tests.value is None:
            parts.append(text(LABEL + 4, middle + 5, "-"))
            continue
        start, end = (LABEL + SCALE * value for value in (joint.value, tests.value))
        parts.append(line(start, middle, end, middle, 3))
        parts.append(dot(start, middle, 6, JOINT, f"{row.name}: secure-pass@1 {_percent(joint)}"))
        parts.append(dot(end, middle, 6, TESTS, f"{row.name}: SPR {_percent(tests)}"))
        gap = f"{100 * (tests.value - joint.value):+.1f} points"
        parts.append(text(max(start, end) + 12, middle + 5, gap))
    return svg(height, WIDTH, "From secure-pass@1 to SPR, %", parts)


def figure_cwe(lines: Sequence[DualLine]) -> str:
    """SPR by CWE and result as a map: the greener, the higher; grey where no test of it counts."""
    lines = lines[:MAX_ROWS]
    groups = [row.group("cwe") for row in lines]
    all_cwes = {cwe for group in groups for cwe in group}
    cwes = sorted(all_cwes, key=lambda cwe: (cwe == NO_CWE, natural(cwe)))[:MAX_ROWS]
    parts = []
    for column, row in enumerate(lines):
        parts.append(text(LABEL + (column + 0.5) * CELL, 18, str(column + 1), "middle"))
        parts.append(text(8, (len(cwes) + 2 + column) * LINE, f"{column + 1}: {row.name}"))
    for number, cwe in enumerate(cwes):
        top = (number + 1) * LINE
        parts.append(text(LABEL - 8, top + 17, cwe, "end"))
        for column, group in enumerate(groups):
            spr = group[cwe].rate("spr") if cwe in group else None
            tests = group[cwe].count_passed("spr").judged if cwe in group else 0
            left = LABEL + column * CELL
            mark = "-" if spr is None else f"{100 * spr:.0f}"
            message = f"{cwe}, {lines[column].name}: {mark} % of {tests} tests"
            parts.append(box(left + 1, top + 1, CELL - 2, LINE - 2, _shade(spr), message))
            parts.append(text(left + CELL / 2, top + 17, mark, "middle", INK))
    width = max(WIDTH, LABEL + len(lines) * CELL)
    return svg((len(cwes) + len(lines) + 2) * LINE, width, "SPR by CWE, %", parts)


def _shade(share: float | None) -> str:
    return EMPTY if share is None else f"hsl({10 + 130 * share:.0f} 65% 75%)"


def _axis(height: float) -> list[str]:
    parts = []
    for tick in TICKS:
        x = LABEL + SCALE * tick
        parts.append(
            f'<line x1="{x:.1f}" y1="{ROW - 6}" x2="{x:.1f}" y2="{height - 24:.1f}" '
            'stroke="currentColor" stroke-opacity="0.2"/>'
        )
        parts.append(text(x, height - 8, f"{100 * tick:.0f} %", "middle"))
    return parts


def _legend(names: Sequence[tuple[str, str]]) -> list[str]:
    parts = []
    for number, (name, colour) in enumerate(names):
        left = LABEL + number * 150
        parts += [box(left, 8, 14, 14, colour, name), text(left + 20, 20, name)]
    return parts


def _percent(interval: Interval) -> str:
    return "-" if interval.value is None else f"{100 * interval.value:.1f} %"


FIGURES: dict[str, Callable[[Sequence[DualLine]], str]] = {
    "Correct, and correct and secure": figure_bars,
    "Single security tests, and all of them": figure_gaps,
    "Security tests passed, by CWE": figure_cwe,
}
