"""The page of sweeps of four sizes with few and many tasks: nothing lies on another, and the answer comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from arena.report.board.page import write_file, written_board
from arena.store.store import Store
from tests.arena.board.flaws import FLAWS, WHOLE
from tests.arena.serve.sweep_store import RUN, fill

pytestmark = pytest.mark.slow

SIZES = [f"{columns}x{tasks}" for columns in (2, 8, 26, 62) for tasks in (13, 105, 500)]
WIDTHS = (390, 1100, 1400)
VIEWS = ("overview", "leaderboard", "heatmap", "compare", "attempts")
# Of 62 columns on a phone; the page that was complained of had 34,600.
MAX_HEIGHT_PX = 9000
FIRST_SCREEN_PX = {390: 844, 1100: 700, 1400: 700}


@pytest.mark.by_day("8x13")
@pytest.mark.parametrize("size", SIZES)
def test_nothing_overlaps_or_is_cut(size: str, tmp_path: Path, browser: Browser) -> None:
    columns, tasks = map(int, size.split("x"))
    store = Store(tmp_path / "store")
    fill(store, columns, tasks, replicates=1 if columns * tasks > 20_000 else 2)
    data = written_board(list(store.rows([RUN])), store.runs())
    address = write_file(tmp_path / "page.html", data, ()).path.as_uri()
    flaws = []
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 900})
        for view in VIEWS:
            page.goto("about:blank")
            page.goto(f"{address}#tab={view}")
            page.evaluate(WHOLE)
            state = page.evaluate(FLAWS)
            flaws += [
                f"{view} at {width}: {kind} {state[kind]}"
                for kind in ("overlaps", "beyond", "cut")
                if state[kind]
            ]
            assert state["wide"] <= width, view
            assert state["height"] <= MAX_HEIGHT_PX, (view, width)
            if view == "overview":
                assert 0 < state["answer"] <= FIRST_SCREEN_PX[width], width
        page.close()
    assert not flaws, "\n".join(flaws)
