"""The page in a real browser: hostile names, the keyboard alone, names of all controls, a server that goes on."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.report.board.data import board
from arena.report.board.page import write_file, write_folder
from arena.store.model import Row
from arena.store.store import AttemptKey, Store, attempt_id
from tests.arena.board.conftest import Open, Opened
from tests.arena.board.making import Run, many, served
from tests.arena.conftest import finish

pytestmark = pytest.mark.rotating(3)

VIEWS = ("overview", "leaderboard", "heatmap", "compare", "paper", "attempts")
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "block": "</script><svg onload=alert(1)>",
    "address": "javascript:alert(1)//&tab=x#y%00",
    "direction": "a\u202egnp.exe\u2066\u200b",
    "escape": "\x1b[31mred\x1b]0;t\x07\x9b2J\x00\r\n",
    "long": "<b>" + "x" * 100_000,
    "prototype": "__proto__",
    "surrogate": "\udcff{{7*7}}",
}
FOREIGN = "script:not([type]), img, iframe, object, embed, form, b > b, a[href]:not([href^='#']), [onerror], [onload], [style*=url]"
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]")
NAMELESS = """() => [...document.querySelectorAll("button, a, input, select, summary, [role=img], [role=grid], [role=region]")]
  .filter((element) => element.checkVisibility())
  .filter((element) => !(element.getAttribute("aria-label") ?? "").trim() && !(element.labels?.[0]?.textContent ?? element.textContent).trim())
  .map((element) => element.outerHTML.slice(0, 200))"""
FOCUSED = "() => document.activeElement.dataset.key ?? document.activeElement.id"


def hostile_rows() -> list[Row]:
    """Rows in which all that can come from outside is hostile, and some plain ones."""
    fields = ("run", "pack", "task", "agent", "model", "language", "project", "domain")
    rows = iter(many(60))
    found = []
    for text in HOSTILE.values():
        facts: dict[str, Any] = dict.fromkeys(fields, text) | dict.fromkeys(
            ("cwes", "found", "flags"), (text,)
        )
        found += [replace(next(rows), **facts, label=label) for label in ("CV", "C&S", text)]
    return [*found, *rows]


def file_of(rows: list[Row], folder: Path) -> str:
    return write_file(folder / "page.html", board(rows, [], live=False), ()).path.as_uri()


def test_hostile_names_stay_text(tmp_path: Path, open_page: Open) -> None:
    opened = open_page(file_of(hostile_rows(), tmp_path))
    unfold = """() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
      for (const one of document.querySelectorAll("button.open")) one.click();
    }"""
    for view in VIEWS:
        opened.go(f"#tab={view}&run=*")
        opened.page.evaluate(unfold)
        assert opened.page.locator(FOREIGN).count() == 0
        shown = opened.page.evaluate("document.querySelector('.columns').textContent")
        assert "<script>alert(1)</script>" in shown
        assert not UNSEEN.search(shown)
        assert len(shown) < 200_000
    opened.page.locator("input[data-key^='agent=<script']").check()
    settle(opened)
    assert "3 of 60 attempts" in opened.text("#filters")
    assert len(opened.asked) == 1
    assert opened.page.title().endswith("secure-coding arena")


def test_hostile_addresses_do_no_harm(tmp_path: Path, open_page: Open) -> None:
    opened = open_page(file_of(many(60), tmp_path))
    for hash_ in (
        "#tab=<img>&model=<script>alert(1)</script>",
        "#tab=__proto__&sort=__proto__&by=constructor",
        "#tab=attempts&page=-9&order=__proto__&task=%",
        "#tab=attempts&page=1e99&order=-usd&task=task=x",
        "#tab=compare&a=[&b={}",
        "#tab=heatmap&label=&cwe=%00&theme=<b>",
        "#attempt=../../etc/passwd",
    ):
        opened.go(hash_)
        assert opened.text()
        assert opened.page.locator(FOREIGN).count() == 0
    assert "no attempt has the id" in opened.text()


def tab_to(opened: Opened, key: str, most: int = 90) -> None:
    """Presses Tab until the element with that key has the focus."""
    for _ in range(most):
        if str(opened.page.evaluate(FOCUSED)).startswith(key):
            return
        opened.page.keyboard.press("Tab")
    raise AssertionError(f"{key} cannot be reached by Tab")


def settle(opened: Opened) -> None:
    opened.page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 60))")


@pytest.mark.nightly("a view of its own in a browser")
def test_all_can_be_done_with_the_keyboard(store: Store, open_page: Open) -> None:
    from arena.cli.report import write_page

    keys = [AttemptKey(f"t{n}", agent) for n in range(3) for agent in ("gold", "noop")]
    run = store.open_run("starter", keys, {})
    for key in keys:
        finish(store, attempt_id(run, key), patch=b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    opened = open_page(write_page(store, run).as_uri())
    press = opened.page.keyboard.press
    press("Tab")
    assert opened.page.evaluate(FOCUSED) == "skip"
    tab_to(opened, "tab-leaderboard")
    press("Enter")
    settle(opened)
    tab_to(opened, "sort-repo-usd")
    press("Enter")
    settle(opened)
    assert opened.page.evaluate(FOCUSED) == "sort-repo-usd"
    assert opened.page.locator("th[aria-sort=descending]").inner_text().startswith("USD")
    tab_to(opened, "open-")
    press("Enter")
    assert "bounds with all attempts" in opened.text()
    opened.page.locator("#skip").focus()
    tab_to(opened, "agent=noop")
    press("Space")
    settle(opened)
    assert opened.page.evaluate(FOCUSED) == "agent=noop"
    assert "3 of 6 attempts" in opened.text("#filters")
    opened.go("#tab=heatmap")
    tab_to(opened, "heat-cell")
    for step in ("ArrowRight", "ArrowDown"):
        press(step)
    assert (
        opened.page.get_by_role("gridcell").get_by_role("link").get_attribute("aria-label")
        == "t1, noop: 1 CV; C&S 0.0 % of 1"
    )
    press("Enter")
    settle(opened)
    assert "Attempts 1 to 1 of 1" in opened.text()
    tab_to(opened, attempt_id(run, keys[3]))
    press("Enter")
    opened.page.get_by_text("t1").first.wait_for()
    opened.page.locator("#main .attempt, #main section").first.wait_for()
    tab_to(opened, "back")
    press("Enter")
    settle(opened)
    assert "Attempts 1 to 1 of 1" in opened.text()
    opened.page.go_back()
    settle(opened)
    assert "attempt=" in opened.page.url


def test_all_that_can_be_used_has_a_name(tmp_path: Path, open_page: Open) -> None:
    opened = open_page(file_of(many(120), tmp_path))
    for view in VIEWS:
        opened.go(f"#tab={view}")
        assert opened.page.evaluate(NAMELESS) == []
        tree = opened.page.locator("body").aria_snapshot()
        for wanted in ('navigation "Views"', 'complementary "Filters"', "main", "status"):
            assert wanted in tree
    opened.go("#tab=overview")
    assert 'img "Bars of label shares' in opened.page.locator("main").aria_snapshot()
    opened.page.locator("figure summary").first.click()
    opened.page.locator("figure table th[scope=row]").nth(7).wait_for()
    assert opened.page.locator("figure table th[scope=row]").count() == 8


def contrast(opened: Opened, element: str) -> float:
    """The contrast of an element's text to the page, as WCAG 2 defines it."""
    script = """(element) => {
      const found = document.querySelector(element);
      let ground = found;
      while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
      return [getComputedStyle(found).color, getComputedStyle(ground).backgroundColor];
    }"""
    lights = []
    for text in opened.page.evaluate(script, element):
        parts = [int(part) / 255 for part in re.findall(r"\d+", text)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.nightly("a view of its own in a browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(scheme: str, tmp_path: Path, open_page: Open) -> None:
    opened = open_page(file_of(many(60), tmp_path) + "#tab=leaderboard", color_scheme=scheme)
    places = (
        "main p.note",
        "main td small",
        "#tabs a[aria-current]",
        ".count",
        "thead button",
        "footer p",
    )
    for switched in range(2):
        for place in places:
            assert contrast(opened, place) >= 4.5, (place, switched)
        opened.page.locator("#theme").click()
        settle(opened)
    assert opened.page.evaluate("getComputedStyle(document.documentElement).colorScheme") == scheme


@pytest.mark.rotating(4)
def test_a_filter_is_linked_shown_and_cleared(tmp_path: Path, open_page: Open) -> None:
    rows = many(300)
    address = file_of(rows, tmp_path)
    opened = open_page(f"{address}#tab=attempts&agent=aider&label=CV&run=*")
    chosen = [row for row in rows if row.agent == "aider" and row.label == "CV"]
    assert f"of {len(chosen)}" in opened.text()
    assert f"{len(chosen)} of 300 attempts" in opened.text("#filters")
    assert opened.page.locator("input[data-key='agent=aider']").is_checked()
    opened.page.get_by_role("button", name="Clear all filters").click()
    settle(opened)
    assert "64 of 300 attempts" not in opened.text("#filters")
    assert "0 chosen" not in opened.text("#filters")
    assert "agent=" not in opened.page.url
    opened.page.go_back()
    settle(opened)
    assert f"{len(chosen)} of 300 attempts" in opened.text("#filters")


def test_a_csv_holds_what_is_shown_and_no_formulas(tmp_path: Path, open_page: Open) -> None:
    rows = [replace(row, agent="=1+1" if row.agent == "aider" else row.agent) for row in many(60)]
    opened = open_page(file_of(rows, tmp_path) + "#tab=leaderboard&by=agent")
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="CSV of Leaderboard of track repo").click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert lines[0].startswith("track,agent,model,prompt,")
    assert sorted(line.split(",")[1] for line in lines[1:3]) == ['"\'=1+1"', "openhands"]


def test_a_folder_is_read_by_any_web_server(tmp_path: Path, open_page: Open) -> None:
    rows = many(60)
    detail = {"attempt": rows[5].id, "label": "CV", "track": "repo"}
    write_folder(tmp_path, board(rows, [], live=False), [(rows[5].id, detail)])
    with served(tmp_path) as address:
        opened = open_page(f"{address}#attempt={rows[5].id}")
        assert f"{address}attempts/{rows[5].id}.json" in opened.asked
        assert all(url.startswith(address) or url == "data:," for url in opened.asked)


class Sweep:
    """What a server says while attempts end."""

    def __init__(self) -> None:
        self.rows = many(100)
        self.asked = 0

    def state(self) -> bytes:
        self.asked += 1
        if self.asked == 2:
            self.rows = many(150)
        run = {
            "run": "run-1",
            "state": "running",
            "done": len(self.rows),
            "total": 200,
            "usd": 1.5,
            "rate_per_minute": 10.0,
        }
        return json.dumps({"version": str(len(self.rows)), "runs": [run]}).encode()

    def board(self) -> bytes:
        return json.dumps(board(self.rows, [Run("run-1")], live=True)).encode()


@pytest.mark.nightly("kills and restarts processes, or waits for a service to come back")
def test_a_page_of_a_running_sweep_goes_on(tmp_path: Path, open_page: Open) -> None:
    write_folder(tmp_path, board([], [], live=True), ())
    index = tmp_path / "index.html"
    index.write_text(index.read_text().replace('data-source="folder"', 'data-source="live"'))
    sweep = Sweep()
    answers: dict[str, Any] = {"/api/state": sweep.state, "/api/board": sweep.board}
    with served(tmp_path, answers) as address:
        opened = open_page(f"{address}#tab=attempts&agent=aider&run=*")
        before = sum(row.agent == "aider" for row in many(100))
        assert f"{before} of 100 attempts" in opened.text("#filters")
        opened.page.locator("input[data-key='agent=aider']").focus()
        after = sum(row.agent == "aider" for row in many(150))
        opened.page.get_by_text(f"{after} of 150 attempts").wait_for()
        opened.page.get_by_text("150 of 200 attempts, 1.50 USD, 10.0 a minute").wait_for()
        assert opened.page.evaluate(FOCUSED) == "agent=aider"
        assert opened.page.get_by_role("progressbar").get_attribute("value") == "150"
        opened.page.close()
