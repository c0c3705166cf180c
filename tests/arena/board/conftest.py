"""A real browser, and pages in it that tell what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page

PATIENCE_MS = 60_000
SHOWN = """async () => {
  const shown = () => performance.getEntriesByName("arena-shown").length;
  while (!shown()) await new Promise((done) => setTimeout(done, 10));
}"""


@dataclass
class Opened:
    """A page, and all that it or a hostile text in it did wrong: errors, dialogs, requests elsewhere."""

    page: Page
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def refuse(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, hash_: str) -> None:
        """Another address of the page; returns when it is drawn."""
        script = """async (hash) => {
          location.hash = hash;
          for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
        }"""
        self.page.evaluate(script, hash_)

    def text(self, place: str = "#main") -> str:
        return self.page.locator(place).inner_text()


Open = Callable[..., Opened]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens addresses; fails the test if a page had an error, a violation of its policy or a dialog."""
    opened: list[Opened] = []

    def open_(address: str, wait: bool = True, **options: Any) -> Opened:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
        page.set_default_timeout(PATIENCE_MS)
        one = Opened(page)
        opened.append(one)
        page.on("pageerror", lambda error: one.wrong.append(f"error: {error}"))
        page.on("console", lambda m: one.wrong.append(m.text) if m.type == "error" else None)
        page.on("dialog", one.refuse)
        page.on("request", lambda request: one.asked.append(request.url))
        page.goto(address)
        if wait:
            page.evaluate(SHOWN)
        return one

    yield open_
    wrong = [line for one in opened for line in one.wrong]
    for one in opened:
        one.page.close()
    assert wrong == []
