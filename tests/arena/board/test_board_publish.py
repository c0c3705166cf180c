"""What is taken from the page: the forms of tables are Python's, and figures need no style sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from arena.report.board.data import board
from arena.report.board.page import write_file, write_folder
from arena.report.grid import Table, to_markdown
from arena.report.latex import to_latex
from tests.arena.board.conftest import SHOWN, Open
from tests.arena.board.making import many, row, served

pytestmark = pytest.mark.rotating(3)

FORMS = """async (tables) => {
  const { latex, markdown } = await import("./static/publish.js");
  return tables.map((table) => [markdown(table), latex(table)]);
}"""
SIGNS = "ab1 #$%&_{}\\~^<>|…\u00d7-`',?!\"*[]()=+@äЖ漢\n\t\r\x00\x1b\x85\u00a0\u202e\ufeff\u2028é"
CELLS = st.text(SIGNS, max_size=12)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4)


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("site")
    write_folder(folder, board(many(16), [], live=False), ())
    with served(folder) as address:
        found = browser.new_page()
        found.goto(address)
        found.evaluate(SHOWN)
        yield found
        found.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(title=CELLS, heads=st.tuples(CELLS, CELLS, CELLS), rows=ROWS, note=CELLS)
def test_tables_are_written_as_python_writes_them(
    page: Page, title: str, heads: tuple[str, ...], rows: list[tuple[str, ...]], note: str
) -> None:
    told = {"title": title, "headings": heads, "rows": rows, "note": note}
    table = Table(0, title, heads, tuple(rows), note)
    assert page.evaluate(FORMS, [told]) == [[to_markdown([table]), to_latex([table])]]


@pytest.mark.rotating(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_is_saved_as_svg_and_png(scheme: str, tmp_path: Path, open_page: Open) -> None:
    rows = [*many(64), row(900, agent="<b>&\"'x")]
    path = write_file(tmp_path / "page.html", board(rows, [], live=False), ()).path
    opened = open_page(f"{path.as_uri()}#tab=overview", color_scheme=scheme)
    title = "Labels by agent, model and prompt"
    with opened.page.expect_download() as saved:
        opened.page.get_by_role("button", name=f"SVG of {title}").click()
    text = Path(saved.value.path()).read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert saved.value.suggested_filename == "labels-by-agent-model-and-prompt.svg"
    assert "var(" not in text and "class=" not in text
    ground = [found.get("fill") for found in root if found.tag.endswith("rect")]
    assert ground == ["#ffffff"], "the light page, also of a dark one"
    ids = {found.get("id") for found in root.iter()}
    assert set(re.findall(r"url\(#([\w-]+)\)", text)) <= ids
    notes = [found.text or "" for found in root if found.tag.endswith("desc")]
    assert "n is its labelled attempts" in notes[0]
    with opened.page.expect_download() as saved:
        opened.page.get_by_role("button", name=f"PNG of {title}").click()
    data = Path(saved.value.path()).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") == 2 * int(root.get("width", "0"))
    now = opened.page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    assert now == scheme


def test_definitions_go_with_a_table(tmp_path: Path, open_page: Open) -> None:
    path = write_file(tmp_path / "page.html", board(many(64), [], live=False), ()).path
    opened = open_page(f"{path.as_uri()}#tab=leaderboard")
    for form in ("Markdown", "LaTeX", "CSV"):
        with opened.page.expect_download() as saved:
            opened.page.get_by_role("button", name=f"{form} of Leaderboard of track repo").click()
        text = Path(saved.value.path()).read_text("utf-8")
        assert "tasks with several attempts as clusters" in text
        assert "aider" in text and "model-b" in text


def test_the_scatter_leads_to_attempts(tmp_path: Path, open_page: Open) -> None:
    rows = [row(n, agent=f"a{n}", usd=10.0 ** (n - 3), seconds=60.0 / (n + 1), label="C&S", task=f"t{n}") for n in range(6)]  # fmt: skip
    rows.append(row(90, agent="never", label="CV"))
    path = write_file(tmp_path / "page.html", board(rows, [], live=False), ()).path
    opened = open_page(f"{path.as_uri()}#tab=overview")
    figure = opened.page.locator("figure", has_text="against cost")
    figure.locator("a").first.wait_for()
    assert figure.locator("a").count() == 6, "the one that is never good is left out"
    assert "Not drawn, as they were never good: 1" in figure.inner_text()
    places = opened.page.evaluate(
        "[...document.querySelectorAll('a.point > :is(circle, path)')].map((e) => e.getBBox().x)"
    )
    gaps = [b - a for a, b in pairwise(places)]
    assert max(gaps) - min(gaps) < 1.5, "powers of ten are equally far apart"
    boxes = opened.page.evaluate(
        "[...document.querySelectorAll('a.point g')].map((e) => { const b = e.getBBox(); return [b.x, b.y, b.width, b.height]; })"
    )
    assert len(boxes) == 6
    for n, (x, y, wide, high) in enumerate(boxes):
        for other_x, other_y, other_wide, other_high in boxes[:n]:
            apart = x >= other_x + other_wide or other_x >= x + wide
            assert apart or y >= other_y + other_high or other_y >= y + high
    front = figure.locator(".front").get_attribute("d") or ""
    assert set(re.findall("[A-Z]", front)) <= set("MHV"), "steps, no slopes"
    figure.get_by_label("Across").select_option("seconds")
    opened.page.locator("figure", has_text="time for each attempt").locator("a").first.wait_for()
    opened.page.locator("a.point > :is(circle, path)").first.click()
    opened.page.get_by_text("Attempts 1 to 1 of 1").wait_for()
    assert "agent=a0" in opened.page.url
