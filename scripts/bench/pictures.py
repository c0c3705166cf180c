"""Pictures of the page of a realistic sweep: `python scripts/bench/pictures.py FOLDER [--columns 26]`.

Writes a synthetic store (agents x models x prompts, gold and fixed; equal each time) and its page as a
file, and takes a picture of each view at 390, 1,100 and 1,400 pixels, light and dark. Prints a JSON object
for each view: labels of charts that overlap, stand out of their drawing, or are cut.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from arena.report.board.page import write
from arena.store.store import Store
from arena.tracks.paper_view import paper
from tests.arena.board.flaws import FLAWS, WHOLE
from tests.arena.serve.sweep_store import RUN, SHAPES, fill

VIEWS = ("overview", "leaderboard", "heatmap", "compare", "paper", "attempts")
WIDTHS = (390, 1100, 1400)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CHROMIUM = "/usr/bin/chromium"


def take_pictures(
    page_file: Path, folder: Path, views: Sequence[str], widths: Sequence[int]
) -> list[dict[str, Any]]:
    """A full-page picture of each view, width and colour scheme; what is wrong with each view."""
    from playwright.sync_api import sync_playwright

    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for scheme, width in itertools.product(SCHEMES, widths):
            page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
            for view in views:
                page.goto("about:blank")
                page.goto(f"{page_file.as_uri()}#tab={view}")
                page.evaluate(WHOLE)
                page.wait_for_timeout(200)
                page.screenshot(path=folder / f"{view}-{width}-{scheme}.png", full_page=True)
                if scheme == "light":
                    rows.append({"view": view, "width": width, **page.evaluate(FLAWS)})
            page.close()
        browser.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--columns", type=int, choices=sorted(SHAPES), default=26)
    parser.add_argument("--tasks", type=int, default=13)
    parser.add_argument("--views", nargs="*", default=VIEWS)
    parser.add_argument("--widths", nargs="*", type=int, default=WIDTHS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    store = Store(options.folder / f"store-{options.columns}-{options.tasks}")
    if not store.runs():
        fill(store, options.columns, options.tasks)
    page = options.folder / "page.html"
    write(store, [RUN], page, folder=False, papers=[paper(store, store.run(RUN))])
    for row in take_pictures(page, options.folder, options.views, options.widths):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
