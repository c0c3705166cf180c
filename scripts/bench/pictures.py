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
from tests.arena.serve.sweep_store import RUN, SHAPES, fill

VIEWS = ("overview", "leaderboard", "heatmap", "compare", "paper", "attempts")
WIDTHS = (390, 1100, 1400)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CHROMIUM = "/usr/bin/chromium"
SHOWN = """async () => {
  const shown = () => performance.getEntriesByName("arena-shown").length && !document.querySelector(".later");
  while (!shown()) await new Promise((done) => setTimeout(done, 20));
}"""
FLAWS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const box = (one) => one.getBoundingClientRect();
  const texts = all("main svg text").filter((one) => one.textContent.trim() && one.checkVisibility());
  const boxes = texts.map((one) => ({ at: box(one), name: one.textContent, svg: one.ownerSVGElement }));
  const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const on = (a, b) => common(a, b, "left", "right") > 2 && common(a, b, "top", "bottom") > 3;
  const overlaps = boxes.flatMap((a, n) => boxes.slice(n + 1)
    .filter((b) => a.svg === b.svg && on(a.at, b.at)).map((b) => `${a.name} / ${b.name}`));
  const isBeyond = ({ at, svg }) => at.right > box(svg).right + 1 || at.left < box(svg).left - 1;
  const hides = (one) => getComputedStyle(one).overflowX !== "visible";
  const isCut = (one) => one.scrollWidth > one.clientWidth + 1 && hides(one);
  const root = document.documentElement;
  return {
    overlaps, beyond: boxes.filter(isBeyond).map(({ name }) => name),
    cut: all("main td, main th").filter(isCut).map((one) => one.textContent),
    height: root.scrollHeight, wide: root.scrollWidth,
  };
}"""


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
                page.evaluate(SHOWN)
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
