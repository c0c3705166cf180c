"""The tables and figures of a track's paper on the page, in a file and from a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.report import write_page
from arena.store.store import AttemptKey, Store, attempt_id
from arena.tracks import paper_view
from arena.tracks.mutation.verdicts import verdict_of
from arena.tracks.paper_view import paper
from harness.protocols import Solution
from tests.arena.board.conftest import Open
from tests.arena.mutation.stand_in import sample
from tests.arena.serve.conftest import client_of

HOSTILE = "<script>alert(1)</script>"
ODD = "\x1b[31m\x00\u202e&]]>"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """With a run of a track whose paper has tables, the newest, and one of a track that has none."""
    made = Store(tmp_path / "store")
    made.open_run("pack", [AttemptKey("alpha", "gold")], {}, "plain")
    keys = [AttemptKey(task, "direct", HOSTILE, "full") for task in ("a", "b")]
    run = made.open_run("pack", keys, {}, "suites", "mutation")
    for key, found in zip(keys, (sample("a", "ss"), sample("b", "s-")), strict=True):
        made.finish(attempt_id(run, key), verdict_of(found), Solution(b"suite"), 1.0)
    return made


@pytest.mark.slow
def test_tables_and_figures_are_plain_data(store: Store) -> None:
    found = paper(store, store.run("suites"))
    assert [table["title"].partition(".")[0] for table in found["tables"]][:2] == [
        "Table 4",
        "Table 5",
    ]
    assert all(
        isinstance(cell, str) for table in found["tables"] for row in table["rows"] for cell in row
    )
    assert found["figures"] and all(one["svg"][0] == "svg" for one in found["figures"])
    nothing: dict[str, list[str]] = {part: [] for part in ("tables", "figures", "scores", "pairs")}
    assert paper(store, store.run("plain")) == {"run": "plain", **nothing}


@pytest.mark.slow
def test_names_that_no_xml_takes_are_shown_all_the_same(tmp_path: Path) -> None:
    """Of an imported run: its names, task and CWE are whatever its file says."""
    made = Store(tmp_path / "store")
    key = AttemptKey("a", "direct", ODD.replace("\x00", ""), "full")
    run = made.open_run("pack", [key], {}, "odd", "mutation")
    made.finish(attempt_id(run, key), verdict_of(sample("a", "ss", cwe=ODD)), Solution(b"x"), 1.0)
    assert len(paper(made, made.run("odd"))["figures"]) == 2


def test_of_too_many_attempts_nothing_is_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_view, "MOST", 1)
    assert paper(store, store.run("suites"))["left_out"] is True
    assert "left_out" not in paper(store, store.run("plain"))


@pytest.mark.slow
def test_a_server_answers_with_them(store: Store) -> None:
    client = client_of(store)
    assert client.get("/api/runs/suites/paper").json() == paper(store, store.run("suites"))
    assert client.get("/api/runs/nosuch/paper").status_code == 404
    assert client.get("/api/runs/suites/paper?more=1").status_code == 400


@pytest.mark.slow
def test_the_page_shows_them_as_text(store: Store, tmp_path: Path, open_page: Open) -> None:
    opened = open_page(write_page(store, "", str(tmp_path / "page.html")).as_uri())
    opened.go("#tab=paper")
    opened.page.wait_for_selector("main figure svg")
    text = opened.text()
    assert "Table 4. Overall results" in text and HOSTILE in text
    opened.go("#tab=paper&run=plain")
    opened.page.wait_for_selector("text=This page does not hold them")
