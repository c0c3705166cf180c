"""What the views say to a person: words beside colours, tables beside drawings, n of what is drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.report.board.data import board
from arena.report.board.page import write_file
from arena.store.model import Row
from tests.arena.board.conftest import Open, Opened
from tests.arena.board.making import many, row

pytestmark = pytest.mark.rotating(3)

WATCH_TEXT = """() => {
  window.drawn = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    window.drawn.push(text);
    return fillText.call(this, text, ...place);
  };
}"""


def shown(rows: list[Row], folder: Path, open_page: Open, hash_: str) -> Opened:
    path = write_file(folder / "page.html", board(rows, [], live=False), ()).path
    return open_page(f"{path.as_uri()}{hash_}")


def test_a_cell_of_the_heat_map_always_says_its_label(tmp_path: Path, open_page: Open) -> None:
    labels = ("vulnerable", "not-applicable", "safe", "invalid", "NO")
    rows = [
        row(n, track="exposure", label=labels[n % 5], agent=f"agent-{n}", prompt="w0")
        for n in range(40)
    ]
    opened = shown(rows, tmp_path, open_page, "#tab=leaderboard")
    opened.page.evaluate(WATCH_TEXT)
    opened.go("#tab=heatmap")
    texts = opened.page.evaluate("window.drawn")
    for label in labels:
        assert any(len(text) > 1 and label.startswith(text.rstrip("…")) for text in texts), label


@pytest.mark.rotating(4)
def test_the_heat_map_is_a_table_too(tmp_path: Path, open_page: Open) -> None:
    rows = [row(0), row(1, agent="other", label="CV"), row(2, task="task-2", label=None)]
    opened = shown(rows, tmp_path, open_page, "#tab=heatmap")
    opened.page.get_by_text("Numbers: labels by task and column").click()
    lines = opened.page.locator("details table tr").all_inner_texts()
    assert [line.split("\t") for line in lines] == [
        ["task", "aider model-a", "other model-a"],
        ["task-1", "1 C&S", "1 CV"],
        ["task-2", "1 no label", "none"],
    ]


@pytest.mark.rotating(4)
def test_n_of_a_cwe_is_of_the_agents_that_are_drawn(tmp_path: Path, open_page: Open) -> None:
    """Six agents are drawn, those with most attempts, and no line without one of them."""
    rows = [row(0, agent="rare", cwes=("CWE-1",))]
    rows += [row(1, agent="rarer", task="task-2", cwes=("CWE-2",))]
    rows += [
        row(n, agent=f"usual-{n % 6}", replicate=n, task="task-2", cwes=("CWE-2",))
        for n in range(2, 20)
    ]
    opened = shown(rows, tmp_path, open_page, "#tab=overview")
    figure = opened.page.locator("figure", has_text="Vulnerable share by CWE and agent")
    assert "rare" not in figure.locator(".legend").inner_text()
    texts = figure.locator("svg.drawing text").all_text_contents()
    assert [text for text in texts if re.match(r"CWE-|n ", text)] == ["CWE-2", "n 18"]


@pytest.mark.rotating(4)
def test_a_comparison_begins_with_columns_that_have_attempts(
    tmp_path: Path, open_page: Open
) -> None:
    rows = [one for one in many(300) if one.prompt == "neutral"]
    rows += [row(1000, agent="lucky"), row(1001, track="exposure", label="safe", pack="other")]
    opened = shown(rows, tmp_path, open_page, "#tab=compare")
    chosen = opened.page.evaluate(
        "[...document.querySelectorAll('main select')].map((one) => one.selectedOptions[0].textContent)"
    )
    assert all("lucky" not in one and one.endswith("(repo)") for one in chosen), chosen
    text = opened.text()
    assert re.search(r"B less A: [+-]?\d+\.\d points, 95 % interval \[", text)


def test_a_score_is_explained_beside_the_table(tmp_path: Path, open_page: Open) -> None:
    rows = [row(n, track="mutation", label="detects", score=0.5, agent=f"a{n}") for n in range(2)]
    opened = shown(rows, tmp_path, open_page, "#tab=leaderboard")
    heads = opened.page.locator("thead th").all_inner_texts()
    assert "score" in heads
    assert "Score: share of the mutants" in opened.text()


def test_a_long_leaderboard_is_shown_whole_when_asked(tmp_path: Path, open_page: Open) -> None:
    rows = [row(n, agent=f"agent-{n:02}") for n in range(40)]
    opened = shown(rows, tmp_path, open_page, "#tab=leaderboard")
    lines = opened.page.locator("table.leaderboard tbody tr")
    assert lines.count() == 25
    assert "The first 25 of 40 rows" in opened.text()
    with opened.page.expect_download() as download:
        opened.page.get_by_role("button", name="CSV of Leaderboard of track repo").click()
    assert len(Path(download.value.path()).read_text("utf-8").splitlines()) == 43
    opened.page.get_by_role("button", name="Show all rows").press("Enter")
    assert lines.count() == 40
    focused = opened.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "Bounds of agent-25 model-a"
    opened.go("#tab=leaderboard&label=C%26S")
    assert lines.count() == 40


def test_an_agent_that_ends_too_often_without_a_label_is_warned_of(
    tmp_path: Path, open_page: Open
) -> None:
    rows = [row(n, agent="sly", replicate=n, label=None, health="infra") for n in range(9)]
    rows += [row(100 + n, agent="fair", replicate=n) for n in range(30)]
    opened = shown(rows, tmp_path, open_page, "#tab=leaderboard")
    warned = "Of all attempts here: sly (repo): 9 of 9 attempts ended without a label, 0 of 30"
    assert opened.text(".warning").startswith(warned)
    opened.go("#tab=overview")
    assert opened.text(".warning").startswith(warned)
