"""What a page of a realistic sweep looks like: `python scripts/bench/pictures.py FOLDER [--columns 26]`.

Writes a made-up store (agents x models x prompts, gold and fixed; the same one each time) and its page as one
file, and takes a picture of each view at 390, 1,100 and 1,400 pixels, light and dark. Prints one JSON object
for each view: labels of charts that lie on each other, stand out of their drawing, or are cut.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from arena.report.board.page import write
from arena.store.model import AttemptKey, AttemptUpdate, Spent, StoredSolution, TaskFacts
from arena.store.store import Store
from arena.tracks.paper_view import paper
from harness.grade.verdict import Health, Label, Verdict

RUN = "sweep-night-4x3x2"
AGENTS = ("openhands", "mini-swe-agent", "swe-agent", "claude-code", "codex", "aider", "opencode")
MODELS = (
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "anthropic/claude-sonnet-4-5",
    "deepseek/deepseek-reasoner",
    "openrouter/qwen/qwen3-coder-480b",
)
PROMPTS = ("neutral", "reminder")
USD = {"gpt-5": 0.42, "gpt-5-mini": 0.06, "claude-sonnet-4-5": 0.95, "deepseek-reasoner": 0.04}
PROJECTS = (("libplist", "CWE-125"), ("brook", "CWE-122"), ("lexis", "CWE-416"), ("h3", "CWE-787"))
VIEWS = ("overview", "leaderboard", "heatmap", "compare", "paper", "attempts")
WIDTHS = (390, 1100, 1400)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CHROMIUM = "/usr/bin/chromium"
SHAPES = {2: (1, 1, 1), 8: (3, 2, 1), 26: (4, 3, 2), 62: (6, 5, 2)}
"""Columns -> agents, models, prompts; gold and fixed come besides, but with two columns."""
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


def fill(store: Store, columns: int, tasks: int, replicates: int = 2) -> str:
    """A run of made-up attempts in a store; returns its id."""
    agents, models, prompts = SHAPES[columns]
    who = list(itertools.product(AGENTS[:agents], MODELS[:models], PROMPTS[:prompts]))
    who += [("gold", "", "neutral"), ("fixed", "", "neutral")] if columns > 2 else []
    who += [(AGENTS[1], MODELS[1], "neutral")] if columns == 2 else []
    names = [f"{PROJECTS[n % 4][0]}-{1000 + 37 * n}" for n in range(tasks)]
    facts = [
        TaskFacts(name, "", "c", PROJECTS[n % 4][0], "", (PROJECTS[n % 4][1],))
        for n, name in enumerate(names)
    ]
    keys = [
        AttemptKey(task, *column, replicate)
        for task in names
        for column in who
        for replicate in range(replicates)
    ]
    run = store.open_run("starter", keys, {}, RUN, "repo", facts)
    draw = random.Random(20_261)
    skill = {column: [draw.random() + 0.3 for _ in Label] for column in who}
    updates = [
        _ended(attempt.id, attempt.key, draw, skill, store) for attempt in store.attempts(run)
    ]
    store.write(updates)
    return run


def _ended(
    id_: str,
    key: AttemptKey,
    draw: random.Random,
    skill: dict[tuple[str, str, str], list[float]],
    store: Store,
) -> AttemptUpdate:
    sure = {"gold": Label.CV, "fixed": Label.SECURE}.get(key.agent)
    weights = skill[key.agent, key.model, key.prompt]
    label = sure or draw.choices(list(Label), weights)[0]
    if not sure and draw.random() < 0.03:
        return AttemptUpdate(id_, Spent(), None, Verdict(None, Health.INFRA, "the engine is gone"))
    name = key.model.rpartition("/")[2]
    usd = USD.get(name, 0.2) * (0.5 + draw.random()) if key.model else 0.0
    left = StoredSolution(store.keep(b""), "finished", {"calls": draw.randint(5, 60)}, None)
    spent = Spent(usd, int(usd * 200_000), 60 + 900 * draw.random(), 1)
    return AttemptUpdate(id_, spent, left, Verdict(label, Health.OK))


def take_pictures(
    page_file: Path, folder: Path, views: Sequence[str], widths: Sequence[int]
) -> list[dict[str, Any]]:
    """A full-page picture of each view, width and colour scheme; what is wrong with each view."""
    from playwright.sync_api import sync_playwright

    told = []
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
                    told.append({"view": view, "width": width, **page.evaluate(FLAWS)})
            page.close()
        browser.close()
    return told


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--columns", type=int, choices=sorted(SHAPES), default=26)
    asked.add_argument("--tasks", type=int, default=13)
    asked.add_argument("--views", nargs="*", default=VIEWS)
    asked.add_argument("--widths", nargs="*", type=int, default=WIDTHS)
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.folder / f"store-{given.columns}-{given.tasks}")
    if not store.runs():
        fill(store, given.columns, given.tasks)
    page = given.folder / "page.html"
    write(store, [RUN], page, folder=False, papers=[paper(store, store.run(RUN))])
    for row in take_pictures(page, given.folder, given.views, given.widths):
        print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
