"""Figures as SVG: Figure 2 (how P differs between wordings), PE with intervals, ME against the naive rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import quantiles, stdev

from arena.report.grid import Figure
from arena.report.statistics import Interval
from arena.report.svg import box, dot, line, safe, svg, text
from arena.tracks.exposure.assessment import Assessed, Assessment
from arena.tracks.exposure.ranking import Ranked, ranking
from arena.tracks.exposure.scores import HIGHEST
from arena.tracks.exposure.table_notes import NOTHING, scenario_ids, zero_reason

WIDTH, LABEL, RIGHT = 900, 190, 150
SCALE = WIDTH - LABEL - RIGHT
ROW, BAR_ROW = 46, 30
# More are not drawn; the tables have them all.
MAX_MODELS, MAX_ROWS = 24, 200
SEVERITY_COLOUR = "#a16207"
OTHERS, ORIGINAL, VIOLIN, BAR = "#2563eb", "#c2410c", "#7c9ad6", "#4f79c7"
# Least bandwidth of a density of P: with 25 completions P has steps of 0.04.
SMALLEST = 0.03
# Fewer points have no density: they are drawn alone.
FEWEST = 3
STEPS = 120
HALF = 16.0
DOT = 3.2
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Point:
    """P of a wording of a model. is_counted: whether a completion counts; else P is 0 by definition."""

    p: float
    tooltip: str
    original: bool
    is_counted: bool


def density(points: Sequence[float], steps: int = STEPS) -> list[tuple[float, float]]:
    """(place, density) at steps + 1 places from 0 to 1: a Gaussian kernel, reflected at 0 and at 1.

    Reflection puts the weight that a kernel has outside of 0 to 1 back inside, so that the whole is 1 and
    the ends, where P often is, are not drawn too thin (Silverman 1986, Section 2.10). A wide kernel reaches
    past both ends, so that what is reflected is reflected again. Raises ValueError without points.
    """
    import numpy as np

    # Imported here: scipy is needed for densities alone.
    from scipy.stats import gaussian_kde  # type: ignore[import-untyped]

    width, at = bandwidth(points), np.asarray(points, dtype=float)
    # Two reflections on either side: a wide kernel reaches beyond the first.
    images = np.concatenate([at, -at, at + 2, 2 - at, at - 2, -at - 2])
    places = np.linspace(0, 1, steps + 1)
    heights = gaussian_kde(images, width / images.std(ddof=1))(places) * len(images) / len(at)
    return list(zip(places.tolist(), heights.tolist(), strict=True))


def bandwidth(points: Sequence[float]) -> float:
    """Silverman's 0.9 min(s, IQR / 1.34) n^(-1/5) (1986, Equation 3.31), SMALLEST at least."""
    if not points:
        raise ValueError("points: there is none")
    if len(points) == 1:
        return SMALLEST
    first, _, third = quantiles(points, n=4, method="inclusive")
    # The interquartile range of a normal distribution is 1.34 standard deviations.
    middle = (third - first) / 1.34
    # More than half of the points may be equal, at 0 for example: the range is 0 then, and says nothing of
    # the width.
    spread = min(stdev(points), middle) if middle else stdev(points)
    return max(SMALLEST, 0.9 * spread * math.pow(len(points), -0.2))


def figure_violins(every: Sequence[Assessment]) -> str:
    """Figure 2: P of all wordings of each scenario, of a model or of several together."""
    every = every[:MAX_MODELS]
    names = [
        n for n in scenario_ids(every) if any(n in assessment.scenarios for assessment in every)
    ][:MAX_ROWS]
    height = (len(names) + 1) * ROW + 40
    legend = (("original wording", ORIGINAL), ("reformulation", OTHERS), ("density", VIOLIN))
    parts = [*_axis(height, ROW, TICKS, 1.0, "{:.2f}"), *_legend(legend)]
    for number, name in enumerate(names):
        middle = (number + 1.5) * ROW
        points = [
            point
            for assessment in every
            if name in assessment.scenarios
            for point in _points(assessment.scenarios[name], assessment.name)
        ]
        parts.append(text(LABEL - 12, middle + 4, name, "end"))
        parts += _violin([point.p for point in points if point.is_counted], middle, name)
        parts += _dots(points, middle)
        parts.append(text(LABEL + SCALE + 14, middle + 4, _caption(points)))
    return svg(height, WIDTH, "P of each wording, by scenario", parts)


def _points(assessed: Assessed, model: str) -> Iterator[Point]:
    for number, wording in zip(assessed.numbers, assessed.wordings, strict=True):
        counts = f"{wording.vulnerable} of {wording.valid}"
        message = (
            f"{model}, {assessed.id}, wording {number}: P {wording.probability:.2f} ({counts})"
        )
        yield Point(wording.probability, message, number == 0, wording.valid > 0)


def _caption(points: Sequence[Point]) -> str:
    """How many there are, and how many of them at 0, where dots may overlap."""
    ps = [point.p for point in points if point.is_counted]
    if not ps:
        return NOTHING
    return f"n = {len(ps)}, {sum(p == 0 for p in ps)} at 0"


def _violin(points: Sequence[float], middle: float, name: str) -> list[str]:
    """A violin as SVG, as thick as all others at its widest: it shows where points are, not how many."""
    if len(points) < FEWEST:
        return []
    result = density(points)
    top = max(height for _, height in result)
    upper = [(LABEL + SCALE * p, middle - HALF * height / top) for p, height in result]
    lower = [(x, 2 * middle - y) for x, y in reversed(upper)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*upper, *lower))
    message = f"{name}: {len(points)} wordings, bandwidth {bandwidth(points):.3f}"
    title = f"<title>{safe(message)}</title>"
    return [f'<polygon points="{path}" fill="{VIOLIN}" fill-opacity="0.45">{title}</polygon>']


def _dots(points: Sequence[Point], middle: float) -> Iterator[str]:
    """Those of the same P are spread over the violin's height, the originals last and so on top."""
    piles: dict[float, list[Point]] = {}
    for point in sorted(points, key=lambda point: point.original):
        # By two digits: dots that are closer would cover each other.
        piles.setdefault(round(point.p, 2), []).append(point)
    for pile in piles.values():
        apart = min(2.2 * DOT, 2 * HALF / max(1, len(pile) - 1))
        for place, point in enumerate(pile):
            y = middle + apart * (place - (len(pile) - 1) / 2)
            x = LABEL + SCALE * point.p
            colour = ORIGINAL if point.original else OTHERS
            yield (
                dot(x, y, DOT, colour, point.tooltip)
                if point.is_counted
                else _ring(x, y, point.tooltip)
            )


def _ring(x: float, y: float, message: str) -> str:
    """A wording without a completion that counts."""
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{DOT:.1f}"'
    message = f"{message}: by definition, none counts"
    look = 'fill="none" stroke="currentColor" stroke-opacity="0.4"'
    return f"<circle {place} {look}><title>{safe(message)}</title></circle>"


def figure_exposures(every: Sequence[Assessment]) -> str:
    """PE of each scenario as a bar with its interval, each model below the previous, and ME."""
    every = every[:MAX_MODELS]
    rows = [row for assessment in every for row in _bars(assessment)]
    height = (len(rows) + 1) * BAR_ROW + 30
    parts = [*_axis(height, BAR_ROW, [tick * HIGHEST for tick in TICKS], HIGHEST, "{:g}")]
    legend = (("PE, 95 % interval", BAR), ("CVSS of the CWE", SEVERITY_COLOUR), ("ME", ORIGINAL))
    parts += _legend(legend)
    for number, (name, bar) in enumerate(rows):
        top = (number + 1) * BAR_ROW
        parts.append(text(LABEL - 12, top + 17, name, "end"))
        parts += bar(top)
    return svg(height, WIDTH, "Prompt Exposure with intervals", parts)


# What is drawn in a row, by the place of its upper end.
Bar = Callable[[float], list[str]]


def _bars(assessment: Assessment) -> Iterator[tuple[str, Bar]]:
    yield "", lambda top: [text(LABEL, top + 17, assessment.name)]
    for name, scenario in list(assessment.scenarios.items())[:MAX_ROWS]:
        yield name, _pe_bar(assessment, scenario)
    yield "ME", lambda top: _bar(top, assessment.scores.me, ORIGINAL, f"{assessment.name}: ME", "")


def _pe_bar(assessment: Assessment, scenario: Assessed) -> Bar:
    interval, zero = (
        assessment.scores.pe[scenario.id],
        zero_reason(assessment.scores.exposures[scenario.id]),
    )
    severity = scenario.severity
    message = f"CVSS {severity.score:.1f} of {scenario.cwe} ({severity.source})"
    place = LABEL + SCALE * severity.score / HIGHEST

    def draw_row(top: float) -> list[str]:
        mark = box(place - 1.5, top + 3, 3, BAR_ROW - 8, SEVERITY_COLOUR, message)
        return [*_bar(top, interval, BAR, f"{assessment.name}, {scenario.id}: PE", zero), mark]

    return draw_row


def _bar(top: float, interval: Interval, colour: str, what: str, zero: str) -> list[str]:
    value = interval.value or 0.0
    low, high = interval.low, interval.high
    bounds = (
        f"95 % {low:.1f} to {high:.1f}" if low is not None and high is not None else "no interval"
    )
    label = " ".join(part for part in (f"{value:.1f}", zero) if part)
    end = LABEL + SCALE * value / HIGHEST
    parts = [box(LABEL, top + 6, end - LABEL, BAR_ROW - 14, colour, f"{what} {label}, {bounds}")]
    if low is not None and high is not None:
        parts += _whisker(low, high, top + BAR_ROW / 2 - 1)
    return [*parts, text(LABEL + SCALE + 14, top + 17, label)]


def _whisker(low: float, high: float, y: float) -> list[str]:
    left, right = (LABEL + SCALE * bound / HIGHEST for bound in (low, high))
    return [line(left, y, right, y), *(line(x, y - 4, x, y + 4) for x in (left, right))]


# The scatter's square, and where its upper left corner is.
PLOT, LEFT, UPPER = 420, 70, 30


def figure_scatter(every: Sequence[Assessment]) -> str:
    """ME (intervals of this pack) against the naive rate (Wilson's), a number a model."""
    ranked = ranking(every)[:MAX_MODELS]
    widest = max((_most(item) for item in ranked), default=1.0)
    # The axis ends just above the largest rate: up to 100 % small rates would all lie on one line.
    ends = (HIGHEST, min(1.0, max(0.1, math.ceil(widest * 10) / 10)))
    parts = list(_plot_axes(ends))
    for number, item in enumerate(ranked, 1):
        if item.naive.value is not None and item.me.value is not None:
            parts += _mark(item, number, ends)
        rate = "-" if item.naive.value is None else f"{100 * item.naive.value:.1f} %"
        message = f"{number}: {item.name}"
        y = UPPER + 20 * number
        parts.append(text(LEFT + PLOT + 40, y, message))
        parts.append(text(WIDTH - 8, y, f"ME {item.me.value:.1f}, {rate}", "end"))
    height = max(UPPER + PLOT + 60, UPPER + 20 * (len(ranked) + 1))
    return svg(height, WIDTH, "ME against the naive rate", parts)


def _most(ranked: Ranked) -> float:
    return ranked.naive.high if ranked.naive.high is not None else ranked.naive.value or 0.0


def _plot_axes(ends: tuple[float, float]) -> Iterator[str]:
    bottom = UPPER + PLOT
    for tick in TICKS:
        x, y = LEFT + PLOT * tick, bottom - PLOT * tick
        yield _grid(x, UPPER, x, bottom)
        yield _grid(LEFT, y, LEFT + PLOT, y)
        yield text(x, bottom + 20, f"{ends[0] * tick:g}", "middle")
        yield text(LEFT - 8, y + 4, f"{100 * ends[1] * tick:.1f} %", "end")
    yield text(LEFT + PLOT / 2, bottom + 44, "ME", "middle")
    yield text(8, UPPER - 12, "naive rate")


def _mark(ranked: Ranked, number: int, ends: tuple[float, float]) -> list[str]:
    def across(value: float) -> float:
        return LEFT + PLOT * value / ends[0]

    def upwards(value: float) -> float:
        return UPPER + PLOT * (1 - value / ends[1])

    me, naive = ranked.me, ranked.naive
    x, y = across(me.value or 0.0), upwards(naive.value or 0.0)
    parts = []
    if me.low is not None and me.high is not None:
        parts.append(line(across(me.low), y, across(me.high), y, 1))
    if naive.low is not None and naive.high is not None:
        parts.append(line(x, upwards(naive.low), x, upwards(naive.high), 1))
    message = f"{ranked.name}: ME {me.value:.2f}, naive {100 * (naive.value or 0.0):.1f} %"
    return [*parts, dot(x, y, 5, OTHERS, message), text(x + 8, y - 7, str(number))]


def _axis(
    height: float, row: float, ticks: Sequence[float], end: float, form: str
) -> Iterator[str]:
    for tick in ticks:
        x = LABEL + SCALE * tick / end
        yield _grid(x, row - 4, x, height - 26)
        yield text(x, height - 8, form.format(tick), "middle")


def _grid(x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="currentColor" stroke-opacity="0.2"/>'


def _legend(names: Sequence[tuple[str, str]]) -> Iterator[str]:
    for number, (name, colour) in enumerate(names):
        left = LABEL + number * 170
        yield box(left, 6, 14, 14, colour, name)
        yield text(left + 20, 18, name)


def all_figures(every: Sequence[Assessment]) -> list[Figure]:
    """Figures of all models together, then of each."""
    if not every:
        return []
    figures = [
        Figure("Figure 2. P of each wording, all models", figure_violins(every)),
        Figure("ME against the naive rate", figure_scatter(every)),
    ]
    for assessment in every[:MAX_MODELS]:
        figures.append(
            Figure(f"PE of each scenario: {assessment.name}", figure_exposures([assessment]))
        )
        figures.append(
            Figure(f"P of each wording: {assessment.name}", figure_violins([assessment]))
        )
    return figures
