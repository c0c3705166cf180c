"""The page of a made-up sweep looks as its stored pictures do; `ARENA_TEST_DRAW=1` draws them anew, to be looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from arena.report.board.page import write_file, written_board
from arena.store.store import Store
from arena.tracks.paper_view import paper
from tests.arena.board.flaws import WHOLE
from tests.arena.board.pictures import TEXTS, differences, write_reference
from tests.arena.serve.sweep_store import RUN, fill
from tests.tiers import lacking

pytestmark = pytest.mark.slow

# Of Debian's fonts-dejavu-core: with another font all texts have other widths.
FONT = "DejaVu Sans"
ONE_FONT = f"""
const sheet = new CSSStyleSheet();
sheet.replaceSync('* {{ font-family: "{FONT}" !important }} footer {{ visibility: hidden }}');
document.adoptedStyleSheets = [sheet];"""
HAS_FONT = f"""() => {{
  const pen = document.createElement("canvas").getContext("2d");
  const width = (font) => ((pen.font = `72px ${{font}}`), pen.measureText("Wi1").width);
  return width('"{FONT}", monospace') === width('"{FONT}", serif');
}}"""
Show = Callable[[str, int, str], Page]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of the pages of two sweeps; the one of 26 columns has its paper's tables."""
    addresses = {}
    for columns, tasks in ((8, 105), (26, 13)):
        folder = tmp_path_factory.mktemp(f"sweep-{columns}")
        store = Store(folder / "store")
        fill(store, columns, tasks)
        papers = [paper(store, store.run(RUN))] if columns == 26 else []
        data = written_board(list(store.rows([RUN])), store.runs(), papers)
        addresses[str(columns)] = write_file(folder / "page.html", data, ()).path.as_uri()
    return addresses


@pytest.fixture
def show(browser: Browser, pages: dict[str, str]) -> Iterator[Show]:
    opened = []

    def open_page(view: str, width: int, scheme: str) -> Page:
        columns, _, tab = view.partition("-")
        context = browser.new_context(
            viewport={"width": width, "height": 1200},
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
        )
        opened.append(context)
        context.add_init_script(ONE_FONT)
        page = context.new_page()
        page.goto(f"{pages[columns]}#tab={tab}")
        if not page.evaluate(HAS_FONT):
            lacking("font", "apt-get install fonts-dejavu-core")
        page.evaluate(WHOLE)
        return page

    yield open_page
    for context in opened:
        context.close()


@pytest.mark.parametrize(
    ("view", "width", "scheme"),
    [
        ("8-overview", 1400, "light"),
        ("8-overview", 390, "dark"),
        ("8-heatmap", 1400, "dark"),
        ("26-overview", 1100, "light"),
        ("26-leaderboard", 1100, "light"),
        ("26-paper", 1100, "dark"),
    ],
)
def test_a_view_looks_as_its_picture(
    view: str, width: int, scheme: str, show: Show, tmp_path: Path
) -> None:
    name = f"{view}-{width}-{scheme}"
    page = show(view, width, scheme)
    shot, texts = page.screenshot(), page.evaluate(TEXTS)
    if os.environ.get("ARENA_TEST_DRAW"):
        write_reference(name, shot, texts)
        pytest.fail(f"{name} is drawn anew: look at it, and run without ARENA_TEST_DRAW")
    (tmp_path / f"{name}.png").write_bytes(shot)
    lines = differences(name, shot, texts)
    assert not lines, "\n".join([*lines, f"the picture: {tmp_path}/{name}.png"])


DAMAGES = {
    "a heading is moved": "document.querySelector('main h3').style.marginLeft = '8px'",
    "a heading is lower": "document.querySelector('main h2').style.paddingTop = '6px'",
    "a label lies on another": """
      const labels = [...document.querySelectorAll("main svg text")].filter((text) => text.textContent.startsWith("swe-agent"));
      labels[0].setAttribute("transform", "translate(0 -32)")""",
    "a colour is another label's": "document.querySelector('#kind-vulnerable rect').setAttribute('fill', '#ee7733')",
    "a sample of the legend is lost": "document.querySelector('.legend svg').remove()",
    "a point is lost": "document.querySelector('a.point').remove()",
    "the page stays light": "document.documentElement.dataset.theme = 'dark'",
}


@pytest.mark.by_day("a heading is moved", "a colour is another label's")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_a_difference(damage: str, show: Show) -> None:
    page = show("8-overview", 1400, "light")
    page.evaluate(f"() => {{ {DAMAGES[damage]} }}")
    page.evaluate(WHOLE)
    assert differences("8-overview-1400-light", page.screenshot(), page.evaluate(TEXTS))


def test_letters_of_another_rasteriser_are_no_difference(
    browser: Browser, pages: dict[str, str]
) -> None:
    """Letters on whole pixels: as where fonts are hinted in full."""
    other = browser.browser_type.launch(
        executable_path="/usr/bin/chromium",
        args=["--no-sandbox", "--disable-font-subpixel-positioning"],
        timeout=180_000,
    )
    try:
        page = other.new_page(
            viewport={"width": 1400, "height": 1200}, color_scheme="light", reduced_motion="reduce"
        )
        page.add_init_script(ONE_FONT)
        page.goto(f"{pages['8']}#tab=overview")
        page.evaluate(WHOLE)
        assert differences("8-overview-1400-light", page.screenshot(), page.evaluate(TEXTS)) == []
    finally:
        other.close()
