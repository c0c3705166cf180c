"""Figures as PNG, drawn by a Chromium through Playwright, which is installed for development."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from arena.report.text import one_line

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Pixels for each unit of a figure.
SCALE = 2
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
LACKS = "no PNG: it needs a Chromium and `pip install playwright`; the SVG are there"


class NoBrowser(Exception):
    """Nothing here draws PNG; the message is a line with what is missing."""


def pngs(figures: Sequence[str]) -> list[bytes]:
    """Each SVG as PNG on white, with no network and no scripts. Raises NoBrowser."""
    if not figures:
        return []
    images: list[bytes] = []
    with _browser() as browser:
        page = browser.new_page(device_scale_factor=SCALE, java_script_enabled=False)
        page.context.set_offline(True)
        for figure in figures:
            page.set_content(f'<body style="margin:0;background:#fff;color:#000">{figure}</body>')
            images.append(page.locator("svg").first.screenshot())
    return images


@contextmanager
def _browser() -> Iterator[Browser]:
    if importlib.util.find_spec("playwright") is None:
        raise NoBrowser(LACKS)
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    try:
        with ExitStack() as stack:
            play = stack.enter_context(sync_playwright())
            # Chromium's own sandbox does not start as root or in most containers; the figures are ours,
            # without scripts.
            browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
            stack.callback(browser.close)
            # It runs: what goes wrong from here on is no missing browser.
            started = stack.pop_all()
    except Exception as error:  # its own Error, or any where its driver cannot run here
        raise NoBrowser(f"{LACKS}: {one_line(str(error))[:200]}") from error
    with started:
        yield browser
