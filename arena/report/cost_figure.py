"""Good rate against cost as SVG: a numbered dot a column, the Pareto front, and the names beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from arena.report.bars import WIDTH
from arena.report.names import cut_apart
from arena.report.pareto import front
from arena.report.svg import MAX_LABEL, SHADES, dot, line, svg, text

LEFT, RIGHT, TOP = 60.0, WIDTH - 320.0, 20.0
LEAST_HEIGHT, NAME_HEIGHT = 320.0, 20.0
DIGIT_WIDTH, DIGIT_HEIGHT = 7.5, 13.0
# Where a number may stand: above its dot first; then further away in the same directions.
ASIDE = ((0, -1), (1, 0), (-1, 0), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
# Left, top, right, bottom, in pixels.
Box = tuple[float, float, float, float]


def cost_figure(title: str, axis: str, points: Mapping[str, tuple[float, float]]) -> str:
    """points: column -> (cost, good rate 0 to 1), in the order of their numbers, not all without cost."""
    low = max(LEAST_HEIGHT, TOP + NAME_HEIGHT * len(points))
    ticks = round_ticks(max(cost for cost, _ in points.values()))
    spots = {
        name: (LEFT + (RIGHT - LEFT) * cost / ticks[-1], low - (low - TOP) * good)
        for name, (cost, good) in points.items()
    }
    best = front({name: (good, cost) for name, (cost, good) in points.items()})
    parts = [*_axes(ticks, low, axis), *_steps([spots[name] for name in points if name in best])]
    # All dots first, so that no number hides one.
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in spots.values()]
    names = cut_apart(points, MAX_LABEL)
    for number, (name, (cost, good)) in enumerate(points.items(), 1):
        x, y = spots[name]
        hint = f"{name}: {100 * good:.1f} %, {cost:.4f} USD"
        colour = SHADES[0] if name in best else SHADES[5]
        below = TOP + NAME_HEIGHT * number - 8
        parts += [
            dot(x, y, 5, colour, hint),
            *_number(str(number), x, y, taken),
            text(RIGHT + 20, below, str(number)),
            text(RIGHT + 46, below, names[name]),
        ]
    return svg(low + 46, WIDTH, title, parts)


def round_ticks(largest: float) -> list[float]:
    """Up to seven ticks from 0 to the first at or above `largest` (> 0), by 1, 2 or 5 times 10 ** n."""
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(
        power * part
        for part in (0.1, 0.2, 0.5, 1.0, 2.0)
        if largest <= 6 * power * part * (1 + 1e-9)
    )
    return [
        float(f"{number * step:.6g}")
        for number in range(math.ceil(largest / step * (1 - 1e-9)) + 1)
    ]


def _axes(ticks: list[float], low: float, axis: str) -> Iterator[str]:
    yield line(LEFT, low, RIGHT, low)
    yield line(LEFT, TOP, LEFT, low)
    for share in (0, 25, 50, 75, 100):
        yield text(LEFT - 8, low - (low - TOP) * share / 100 + 4, f"{share} %", "end")
    for tick in ticks:
        yield text(LEFT + (RIGHT - LEFT) * tick / ticks[-1], low + 18, f"{tick:g}", "middle")
    yield text((LEFT + RIGHT) / 2, low + 36, axis, "middle")


def _steps(spots: list[tuple[float, float]]) -> Iterator[str]:
    """The best rate that can be had for each cost: it stays until the next of the front, and then jumps."""
    reached = sorted(spots)
    for (x, y), (next_x, next_y) in zip(
        reached, [*reached[1:], (RIGHT, reached[-1][1])], strict=True
    ):
        yield line(x, y, next_x, y, 1.0)
        yield line(next_x, y, next_x, next_y, 1.0)


def _number(number: str, x: float, y: float, taken: list[Box]) -> Iterator[str]:
    """The number of a dot where nothing else is, with a line to the dot where that is further away."""
    wide = DIGIT_WIDTH * len(number)
    for far in (1.0, 2.2, 3.6, 5.0, 7.0):
        for right, down in ASIDE:
            middle = (x + right * (wide / 2 + 7) * far, y + down * 13 * far)
            box = (
                *(middle[0] - wide / 2, middle[1] - DIGIT_HEIGHT / 2),
                *(middle[0] + wide / 2, middle[1] + DIGIT_HEIGHT / 2),
            )
            if box[0] < LEFT or box[1] < 0 or any(_overlap(box, place) for place in taken):
                continue
            taken.append(box)
            if far > 1:
                yield line(x, y, *middle, 0.5)
            yield text(middle[0], middle[1] + 4.5, number, "middle")
            return
    # No place is free: a number over another one is still better than none.
    yield text(x, y - 8, number, "middle")


def _overlap(first: Box, second: Box) -> bool:
    return (
        first[0] < second[2]
        and second[0] < first[2]
        and first[1] < second[3]
        and second[1] < first[3]
    )
