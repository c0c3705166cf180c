"""The leaderboard of a run: it fits, its names differ where columns do, its scores and pairs are Python's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.report.board.data import board
from arena.report.board.page import write_file
from arena.report.matrix import contests, matrix_table
from arena.store.model import Row
from arena.store.store import AttemptKey, Store, attempt_id
from arena.tracks.mutation.verdicts import verdict_of
from arena.tracks.paper_view import paper
from harness.protocols import Solution
from tests.arena.board.conftest import Open, Opened
from tests.arena.board.making import Run, many, row
from tests.arena.mutation.stand_in import sample

pytestmark = pytest.mark.rotating(3)

AGENTS = {"aider": "mini-swe-agent", "openhands": "openhands-sdk-with-tools-and-more"}


def long_names() -> list[Row]:
    return [
        replace(one, agent=AGENTS[one.agent], model=f"provider/strong-{one.model[-1]}-20261122")
        for one in many(64)
    ]


def shown(
    rows: list[Row], folder: Path, open_page: Open, hash_: str, runs: tuple[Run, ...] = ()
) -> Opened:
    path = write_file(folder / "page.html", board(rows, runs, live=False), ()).path
    return open_page(f"{path.as_uri()}{hash_}")


@pytest.mark.rotating(4)
def test_it_fits_a_page_of_1100_pixels(tmp_path: Path, open_page: Open) -> None:
    opened = shown(long_names(), tmp_path, open_page, "#tab=leaderboard")
    opened.page.set_viewport_size({"width": 1100, "height": 900})
    opened.go("#tab=leaderboard&by=agent,model,prompt")
    wide = "[...document.querySelectorAll('main .wide')].map((e) => e.scrollWidth - e.clientWidth)"
    assert opened.page.evaluate(wide) == [0]
    opened.go("#tab=attempts")
    assert opened.page.evaluate(wide) == [0]
    opened.go("#tab=leaderboard")
    heads = opened.page.locator(".leaderboard thead th").all_inner_texts()
    words = ["attempts of", "good (C&S)▼", "vulnerable (CV)", "labels", "USD each", "front", "USD per C&S"]  # fmt: skip
    assert [head.replace("\n", " ") for head in heads[1:]] == words
    assert opened.page.locator(".leaderboard tbody svg[role=img]").count() == 8


def test_a_phone_shows_whole_numbers_only(tmp_path: Path, open_page: Open) -> None:
    """Of 390 pixels: a rate that is cut in its middle reads as another, 81 for 81.7 %."""
    opened = shown(long_names(), tmp_path, open_page, "#tab=leaderboard")
    opened.page.set_viewport_size({"width": 390, "height": 900})
    opened.go("#tab=leaderboard&by=agent,model,prompt")
    wide = "[...document.querySelectorAll('main .wide')].map((e) => e.scrollWidth - e.clientWidth)"
    assert opened.page.evaluate(wide) == [0]
    heads = opened.page.locator(".leaderboard thead th").all_inner_texts()
    assert [head.replace("\n", " ") for head in heads[1:]] == [
        "attempts of",
        "good (C&S)▼",
        "USD each",
    ]
    opened.go("#tab=leaderboard&cols=good,vulnerable,n")
    assert opened.page.locator(".leaderboard thead th").count() == 5, "others by choice"


def test_names_are_never_cut_where_they_differ(tmp_path: Path, open_page: Open) -> None:
    opened = shown(long_names(), tmp_path, open_page, "#tab=leaderboard")
    names = opened.page.locator(".leaderboard tbody th").all_inner_texts()
    assert len(set(names)) == 8
    assert all(len(line) <= 24 + 12 for name in names for line in name.split("\n"))
    opened.page.set_viewport_size({"width": 390, "height": 900})
    opened.go("#tab=overview")
    drawn = opened.page.locator("figure svg").first.locator("text.group").all_text_contents()
    assert len(set(drawn)) == 8
    boxes = opened.page.evaluate(
        "[...document.querySelectorAll('figure svg text.group')].map((e) => e.getBBox().x)"
    )
    assert min(boxes) >= 0, "the first letter is seen"


@pytest.mark.rotating(4)
def test_other_columns_are_there_by_choice(tmp_path: Path, open_page: Open) -> None:
    opened = shown(many(64), tmp_path, open_page, "#tab=leaderboard")
    opened.page.locator("summary", has_text="Columns").click()
    opened.page.get_by_label("tokens each").check()
    opened.page.locator(".leaderboard thead", has_text="tokens each").wait_for()
    assert "cols=" in opened.page.url
    opened.page.get_by_label("labels", exact=True).uncheck()
    opened.page.locator(".leaderboard tbody svg[role=img]").first.wait_for(state="detached")
    opened.page.get_by_role("button", name="The first ones again").click()
    opened.page.locator(".leaderboard tbody svg[role=img]").first.wait_for()


def test_the_newest_run_is_shown_until_another_is_chosen(tmp_path: Path, open_page: Open) -> None:
    rows = [replace(one, run=("old", "new", "older")[n % 3]) for n, one in enumerate(many(60))]
    runs = (Run("old", 5.0), Run("new", 9.0), Run("older", 1.0))
    opened = shown(rows, tmp_path, open_page, "", runs)
    assert "20 of 60 attempts" in opened.text("#filters")
    chooser = opened.page.get_by_label("Run", exact=True)
    assert chooser.locator("option").all_inner_texts() == [
        *("new (newest)", "old", "older"),
        "All 3 runs",
    ]
    chooser.select_option("*")
    opened.page.get_by_text("60 of 60 attempts").wait_for()
    chooser.select_option("older")
    opened.page.get_by_text("20 of 60 attempts").wait_for()
    assert opened.page.url.endswith("run=older")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A run of the track mutation: two agents, one of which kills more."""
    made = Store(tmp_path / "store")
    keys = [AttemptKey(t, agent, "m", "full") for t in "abcdef" for agent in ("direct", "worse")]
    run = made.open_run("pack", keys, {}, "suites", "mutation")
    for key in keys:
        kills, well = ("ss", True) if key.agent == "direct" else ("--", False)
        verdict = verdict_of(sample(key.task, kills, detects=well))
        made.finish(attempt_id(run, key), verdict, Solution(b"suite"), 1.0)
    return made


def test_scores_of_the_paper_and_all_pairs_stand_with_the_rates(
    store: Store, tmp_path: Path, open_page: Open
) -> None:
    from arena.cli.report import write_page

    found = paper(store, store.run("suites"))
    entries, met = contests(list(store.rows(["suites"])))
    assert found["pairs"][0]["title"] == "Which is better: all pairs"
    assert found["pairs"][0]["rows"][0][2:] == [
        "=" if cell == "=" else cell or "-" for cell in matrix_table(entries, met).rows[0][2:]
    ]
    values = {one["agent"]: one["values"]["SMS %"] for one in found["scores"]}
    assert values == {"direct": 100.0, "worse": 0.0}
    opened = open_page(write_page(store, "suites", str(tmp_path / "p.html")).as_uri())
    opened.go("#tab=leaderboard")
    opened.page.locator(".leaderboard thead", has_text="SMS %").wait_for()
    assert "100.00" in opened.page.locator(".leaderboard tbody tr", has_text="direct").inner_text()
    matrix = opened.page.get_by_role("table", name="Which is better: all pairs")
    assert "p 0.031" in matrix.inner_text()
    opened.go("#tab=leaderboard&agent=direct")
    assert "Of the whole run: the other filters do not act here." in opened.text()


@pytest.mark.rotating(4)
def test_a_run_with_nothing_labelled_is_shown(tmp_path: Path, open_page: Open) -> None:
    rows = [row(n, label=None, health="infra", agent=f"a{n % 3}") for n in range(9)]
    opened = shown(rows, tmp_path, open_page, "#tab=overview")
    for view in ("leaderboard", "heatmap", "compare", "paper", "attempts", "overview"):
        opened.go(f"#tab={view}")
        assert "NaN" not in opened.text() and "undefined" not in opened.text()
    assert opened.page.locator("figure", has_text="against cost").count() == 0
