"""Cost against rate: round ticks, numbers that lie on nothing, the front, and colours of their own."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

from arena.report.board.bundle import STATIC
from arena.report.cost_figure import cost_figure, round_ticks
from arena.report.svg import COLOURS, SHADES

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (1.44, [0, 0.5, 1, 1.5]),
        (0.0361, [0, 0.01, 0.02, 0.03, 0.04]),
        (100, [0, 20, 40, 60, 80, 100]),
        (7.2, [0, 2, 4, 6, 8]),
        (0.2, [0, 0.05, 0.1, 0.15, 0.2]),
    ],
)
def test_ticks_are_round_and_few(most: float, ticks: list[float]) -> None:
    assert round_ticks(most) == ticks


def test_numbers_lie_on_no_other_number() -> None:
    """Twelve columns of nearly one cost and rate, as two prompts of one model are."""
    points = {f"column {n}": (0.5 + 0.002 * n, 0.3 + 0.003 * (n % 4)) for n in range(12)}
    root = ElementTree.fromstring(cost_figure("t", "USD", points))
    legend_from = 600.0
    numbers = [
        (float(one.attrib["x"]), float(one.attrib["y"]), str(one.text))
        for one in root.iter(f"{SVG}text")
        if str(one.text).isdigit()
        and float(one.attrib["y"]) < 400
        and float(one.attrib["x"]) < legend_from
    ]
    assert {text for _, _, text in numbers} >= {str(n) for n in range(1, 13)}
    for (x, y, one), (other_x, other_y, other) in combinations(numbers, 2):
        wide = 7.5 * (len(one) + len(other)) / 2
        assert abs(x - other_x) >= wide or abs(y - other_y) >= 13, (one, other)


def test_the_front_is_drawn_and_its_dots_differ() -> None:
    points = {"cheap": (0.1, 0.2), "best": (1.0, 0.9), "beaten": (1.2, 0.5)}
    root = ElementTree.fromstring(cost_figure("t", "USD", points))
    colours = [one.attrib["fill"] for one in root.iter(f"{SVG}circle")]
    assert colours == [SHADES[0], SHADES[0], SHADES[5]]
    horizontal = {
        one.attrib["y1"] for one in root.iter(f"{SVG}line") if one.attrib["y1"] == one.attrib["y2"]
    }
    heights = [one.attrib["cy"] for one in root.iter(f"{SVG}circle")]
    assert {*heights[:2]} <= horizontal and heights[2] not in horizontal


def test_colours_of_agents_are_no_labels_and_the_same_on_the_page() -> None:
    assert not {*SHADES} & {*COLOURS.values()}
    hues = ", ".join(f'"{shade}"' for shade in SHADES)
    assert f"HUES = [{hues}]" in (STATIC / "kinds.js").read_text()
