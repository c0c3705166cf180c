"""axe finds nothing to complain of: each view of the dashboard, at three widths, light and dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page

from arena.store.model import attempt_id
from arena.store.store import Store
from tests.arena.serve.conftest import Serve
from tests.arena.serve.making import finish, many, rich
from tests.arena.serve.sweep_store import fill
from tests.arena.serve.test_serve_attempt import GOLD, OTHER

WIDTHS = (390, 1100, 1400)
VIEWS = ("overview", "leaderboard", "heatmap", "compare", "paper", "attempts", "search")
READY = """async () => {
  const shown = () => performance.getEntriesByName("arena-shown").length && !document.querySelector(".later");
  while (!shown()) await new Promise((done) => setTimeout(done, 20));
}"""
OPENED = "document.querySelectorAll('details').forEach((one) => (one.open = true))"


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(color_scheme=request.param)
    yield context.new_page()
    context.close()


def complaints(page: Page, where: str, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe says, a line each with the elements that it means. rules: that it does not have by itself."""
    options = {"rules": {rule: {"enabled": True} for rule in rules}}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{where}: {one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]} "
        f"{one['nodes'][0]['any'][:1] and one['nodes'][0]['any'][0]['message'][:200]}"
        for one in found
    ]


@pytest.mark.by_day("1100-light")
@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_the_dashboard_is_without_violations(
    width: int, store: Store, serve: Serve, page: Page
) -> None:
    many(store, tasks=3, replicates=1)
    url = serve("--port", "0").url
    found = []
    page.set_viewport_size({"width": width, "height": 900})
    for view in VIEWS:
        page.goto("about:blank")
        page.goto(f"{url}#tab={view}")
        page.evaluate(READY)
        page.evaluate(OPENED)
        found += complaints(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    assert not found, "\n".join(found)


@pytest.mark.by_day("390-dark")
@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_an_attempt_is_without_violations(
    width: int, store: Store, serve: Serve, page: Page
) -> None:
    id_ = rich(store)
    run = store.open_run("starter", [OTHER], {}, "rich", "repo")
    finish(store, attempt_id(run, OTHER), "CS", GOLD)
    url = serve("--port", "0").url
    found = []
    page.set_viewport_size({"width": width, "height": 900})
    for beside in ("", f"&beside={attempt_id(run, OTHER)}"):
        page.goto("about:blank")
        page.goto(f"{url}#attempt={id_}{beside}")
        page.locator(".beside" if beside else ".attempt").wait_for()
        for _ in range(2):
            page.evaluate(OPENED)
        page.locator(".steps pre").first.wait_for()
        found += complaints(page, beside[:7] or "alone")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not found, "\n".join(found)


# A name for those who listen that does not hold what others see: axe counts it as an experiment.
NAMES = "label-content-name-mismatch"
OVERLAPS = """() => {
  const texts = [...document.querySelectorAll("main svg text")].filter((one) => one.textContent.trim());
  const boxes = texts.map((one) => [one.getBoundingClientRect(), one]);
  const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  return boxes.flatMap(([a, one], n) => boxes.slice(n + 1)
    .filter(([b, other]) => one.ownerSVGElement === other.ownerSVGElement
      && common(a, b, "left", "right") > 2 && common(a, b, "top", "bottom") > 3)
    .map(([, other]) => `${one.textContent} / ${other.textContent}`));
}"""


@pytest.mark.by_day("1100-light")
@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_of_26_columns_is_readable_and_without_violations(
    width: int, store: Store, serve: Serve, page: Page
) -> None:
    """Four agents, three models and two prompts, gold and fixed: the commonest sweep."""
    run = fill(store, 26, tasks=8)
    url = serve("--port", "0").url
    page.set_viewport_size({"width": width, "height": 900})
    found = []
    attempt = store.attempts(run)[9].id
    for view in ("tab=overview", "tab=heatmap", "tab=compare", "tab=paper", f"attempt={attempt}"):
        page.goto("about:blank")
        page.goto(f"{url}#{view}")
        page.evaluate(READY)
        found += complaints(page, view, (NAMES,)) + page.evaluate(OVERLAPS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    assert not found, "\n".join(found)
    others = page.locator("section[aria-label='Others at this task'] tbody tr")
    assert others.count() == 6, "a row for each agent"
