"""Figures: densities are densities, marks stand where their numbers are, and names stay text."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.tracks.exposure.figures import (
    LABEL,
    ORIGINAL,
    SCALE,
    SMALLEST,
    all_figures,
    bandwidth,
    density,
    figure_exposures,
    figure_scatter,
    figure_violins,
)
from tests.arena.exposure.made import assessed, drawn, judged, letters

SPACE = "{http://www.w3.org/2000/svg}"
POINTS = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def area(points: list[float]) -> float:
    found = density(points, 2_000)
    ends = (found[0][1] + found[-1][1]) / 2
    return (sum(height for _, height in found) - ends) / 2_000


@pytest.mark.slow
@given(POINTS)
@example([0.0, 0.0, 1.0, 1.0])
def test_a_density_has_the_whole_weight_within_0_and_1(points: list[float]) -> None:
    assert area(points) == pytest.approx(1, abs=2e-3)


@pytest.mark.slow
@given(POINTS)
def test_a_density_of_mirrored_points_is_mirrored(points: list[float]) -> None:
    own = [height for _, height in density(points, 20)]
    other = [height for _, height in density([1 - p for p in points], 20)]
    assert own == pytest.approx(other[::-1], rel=1e-6, abs=1e-9)


def test_points_at_an_end_are_not_thinned() -> None:
    """Half of an unreflected kernel at 0 would lie below 0."""
    at_end = dict(density([0.0] * 11, 100))[0.0]
    assert at_end == pytest.approx(2 / (SMALLEST * math.sqrt(2 * math.pi)))


def test_bandwidth_by_hand() -> None:
    points = [0.0, 0.25, 0.5, 0.75, 1.0]
    assert bandwidth(points) == pytest.approx(0.9 * 0.5 / 1.34 * 5**-0.2)
    assert bandwidth([0.3] * 11) == bandwidth([0.3]) == SMALLEST
    with pytest.raises(ValueError, match="points"):
        bandwidth([])


def marks(svg: str, kind: str) -> list[tuple[ET.Element, str]]:
    found = ET.fromstring(svg).iter(f"{SPACE}{kind}")
    return [
        (one, title.text or "") for one in found if (title := one.find(f"{SPACE}title")) is not None
    ]


def test_each_wording_is_a_point_at_its_p() -> None:
    texts = [letters(10, 0), letters(5, 5), letters(0, 10), "iii"]
    svg = figure_violins([assessed(judged({"cwe-22-0": texts}))])
    circles = marks(svg, "circle")
    by_told = {told: one for one, told in circles}
    assert len(circles) == 4
    half = by_told["made, cwe-22-0, wording 1: P 0.50 (5 of 10)"]
    assert float(half.get("cx", "")) == pytest.approx(LABEL + SCALE / 2, abs=0.1)
    original = by_told["made, cwe-22-0, wording 0: P 1.00 (10 of 10)"]
    assert original.get("fill") == ORIGINAL
    (hollow,) = (one for one, told in circles if "by definition" in told)
    assert hollow.get("fill") == "none"
    ((_, told),) = marks(svg, "polygon")
    assert told.startswith("cwe-22-0: 3 wordings, bandwidth 0.")
    assert "n = 3, 1 at 0" in svg


def test_two_points_have_no_density_and_nothing_valid_is_told() -> None:
    texts = {"cwe-22-0": [letters(1, 1), letters(2, 0)], "cwe-89-0": ["i", "i"]}
    svg = figure_violins([assessed(judged(texts))])
    assert not marks(svg, "polygon")
    assert "no valid" in svg


def test_points_of_the_same_p_do_not_hide_each_other() -> None:
    svg = figure_violins([assessed(judged({"cwe-22-0": [letters(0, 5)] * 11}))])
    places = {(one.get("cx"), one.get("cy")) for one, _ in marks(svg, "circle")}
    assert len(places) == 11


@pytest.mark.slow
def test_all_models_stand_in_one_violin() -> None:
    every = [assessed(drawn(name, n, 0.5, 5)) for n, name in enumerate("ab")]
    svg = figure_violins(every)
    assert len(marks(svg, "circle")) == 2 * 5 * 11
    assert all("22 wordings" in told for _, told in marks(svg, "polygon"))


def test_bars_are_to_scale_and_tell_why_a_pe_is_0() -> None:
    texts = {
        "cwe-22-0": [letters(10, 0)],
        "cwe-79-0": [letters(0, 10)],
        "cwe-89-0": ["i"],
    }
    svg = figure_exposures([assessed(judged(texts))])
    rects = {told.split(",")[1].strip(): one for one, told in marks(svg, "rect") if ": PE " in told}
    width = float(rects["cwe-22-0: PE 7.7"].get("width", ""))
    assert width == pytest.approx(SCALE * 0.77, abs=0.1)
    assert "cwe-79-0: PE 0.0 never" in rects and "cwe-89-0: PE 0.0 no valid" in rects
    assert any(told.startswith("made: ME ") for _, told in marks(svg, "rect"))
    told = [t for _, t in marks(svg, "rect") if t.startswith("CVSS")]
    assert told[1] == "CVSS 7.7 of CWE-22 (paper Table C4, base 2)"


def test_the_scatter_has_a_point_for_each_model_that_has_a_rate() -> None:
    some = assessed(judged({"cwe-22-0": [letters(5, 5)], "cwe-89-0": [letters(0, 10)]}, "some"))
    none = assessed(judged({"cwe-22-0": ["iii"]}, "none"))
    svg = figure_scatter([some, none])
    ((_, told),) = marks(svg, "circle")
    me = some.scores.me.value
    assert told == f"some: ME {me:.2f}, naive 25.0 %"
    assert ">1: none<" in svg and ">2: some<" in svg


@pytest.mark.slow
@given(st.text(max_size=40))
def test_figures_are_well_formed_whatever_the_names(text: str) -> None:
    one = assessed(judged({"cwe-22-0": [letters(1, 1), "s", "i"]}, text))
    figures = all_figures([one, one])
    assert len(figures) == 2 + 2 * 2
    for figure in figures:
        ET.fromstring(figure.svg)


def test_no_model_has_no_figure() -> None:
    assert all_figures([]) == []
