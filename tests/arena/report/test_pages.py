"""Pages beside the dashboard: the folder for a paper, and the funnel. Landmarks, no empty tables, dark and light."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from markupsafe import Markup
from playwright.sync_api import Browser

from arena.building.funnel import CaseProgress, funnel
from arena.building.picture import picture
from arena.exchange.formats.paper import PAGE
from arena.report.grid import Figure, Table, cell_text
from arena.report.html import templates
from arena.tracks.mutation.figures import figure_2, figure_3
from arena.tracks.mutation.lines import SuiteLine
from tests.arena.mutation.stand_in import sample

TABLES = [
    Table(1, "Full", ("a", "b"), (("x", 1.0), ("<b>", None)), "What it means."),
    Table(2, "Empty", ("a", "b"), (), "Nothing."),
]


def paper_page() -> str:
    lines = [SuiteLine("one", (sample("a", "ss"), sample("b", "s-", cwe="CWE-22")))]
    figures = [Figure("Kills", figure_2(lines)), Figure("SMS", figure_3(lines))]
    page = templates().from_string(PAGE)
    return page.render(
        run="r", tables=TABLES, figures=figures, cell_text=cell_text, safe=Markup, first=1
    )


def funnel_page() -> str:
    lost = CaseProgress("<script>", "project", lost="no-vic", reason="none <b>")
    return picture(funnel([lost, CaseProgress("b", lost="incomplete")]))


PAGES = {"paper": paper_page, "funnel": funnel_page}


@pytest.mark.rotating(4)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, scheme: str, browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.write_text(PAGES[name]())
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    for width in (390, 1100, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(place.as_uri())
        found = Axe().run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]
    context.close()


def test_a_table_without_rows_is_left_out() -> None:
    assert "Table 1. Full" in paper_page()
    assert "Empty" not in paper_page()


def test_text_on_light_cells_is_dark_in_either_scheme() -> None:
    line = SuiteLine("one", (sample("a", "ss"),))
    assert 'text-anchor="middle" fill="#111827">100<' in figure_3([line])
