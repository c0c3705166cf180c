"""The page says in its header, and of each attempt, on what labels rest; and what a good one costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.report import write_page
from arena.report.board.data import board
from arena.report.board.page import write_file
from arena.store.model import Row
from arena.store.provenance import Provenance
from arena.store.store import Store
from tests.arena.board.conftest import Open
from tests.arena.board.making import many, row
from tests.arena.exchange.making import RUN, a_run

pytestmark = pytest.mark.rotating(3)

FIVE = Provenance(grader_version="grader 5", scanner="<b>semgrep</b> \u202e1")


def header(rows: list[Row], folder: Path, open_page: Open) -> str:
    path = write_file(folder / "page.html", board(rows, (), live=False), ()).path
    opened = open_page(path.as_uri())
    place = opened.page.locator("header #provenance")
    place.locator("summary").click()
    return place.inner_text()


def test_the_header_tells_versions_and_opens_to_all(tmp_path: Path, open_page: Open) -> None:
    shown = header([replace(one, provenance=FIVE) for one in many(16)], tmp_path, open_page)
    assert shown.startswith("Rests on grader 5")
    assert "scanner\n<b>semgrep</b> U+202E1" in shown


def test_the_header_of_labels_that_do_not_compare(tmp_path: Path, open_page: Open) -> None:
    four = replace(FIVE, grader_version="grader 4")
    rows = [replace(one, provenance=(FIVE, four)[n % 2]) for n, one in enumerate(many(16))]
    path = write_file(tmp_path / "page.html", board(rows, (), live=False), ()).path
    opened = open_page(path.as_uri())
    assert "Of all attempts here: labels that do not compare are taken together" in opened.text()
    assert "Rests on grader" in opened.text("header #provenance")


def test_the_header_of_old_labels(tmp_path: Path, open_page: Open) -> None:
    assert header(many(16), tmp_path, open_page).startswith("The grader version is not recorded")


def test_an_attempt_says_it_too(tmp_path: Path, open_page: Open) -> None:
    store = Store(tmp_path / "store")
    a_run(store, effort="high")
    opened = open_page(write_page(store, RUN, str(tmp_path / "p.html")).as_uri())
    one = next(a for a in store.attempts(RUN) if a.label and a.key.model)
    opened.go(f"#attempt={one.id}")
    opened.page.locator("article.attempt").wait_for()
    shown = opened.text()
    assert "aider openai/m (high)" in shown
    assert "grader version grader 5; pack version 1.2" in shown and "effort high" in shown


def test_what_a_good_attempt_costs(tmp_path: Path, open_page: Open) -> None:
    rows = [row(n, label=label, usd=0.5) for n, label in enumerate(("C&S", "CV", "CV", "C&S"))]
    rows += [row(9, label=None, health="infra", usd=2.0), row(10, agent="poor", label="CV")]
    path = write_file(tmp_path / "page.html", board(rows, (), live=False), ()).path
    opened = open_page(f"{path.as_uri()}#tab=leaderboard")
    heads = opened.page.locator(".leaderboard thead th").all_inner_texts()
    cells = opened.page.locator(".leaderboard tbody tr").first.locator("td").all_inner_texts()
    assert heads[-1].strip() == "USD per C&S" and cells[-1].startswith("2")
    assert (
        opened.page.locator(".leaderboard tbody tr").last.locator("td").last.inner_text()
        == "\u2013"
    )
