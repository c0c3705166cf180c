"""The index of published runs: what each page shows, its best column, and nothing that a page could smuggle in."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.report.board.index_page import with_facts, write_index
from arena.store.model import AttemptKey, AttemptUpdate, Spent
from arena.store.store import Store
from harness.grade.verdict import Health, Label, Verdict
from tests.arena.conftest import Arena

PAGE = '<html><head><meta charset="utf-8"></head></html>'


def fill(store: Store) -> None:
    keys = [AttemptKey(task, agent, "a/m") for task in ("t1", "t2") for agent in ("good", "bad")]
    run = store.open_run("starter", [*keys, AttemptKey("t1", "fixed")], {}, run="night")
    store.write(
        [
            AttemptUpdate(
                one.id,
                Spent(),
                verdict=Verdict(Label.CV if one.key.agent == "bad" else Label.SECURE, Health.OK),
            )
            for one in store.attempts(run)
        ]
    )


def test_an_index_tells_the_best_column_of_each_page(arena: Arena, tmp_path: Path) -> None:
    fill(Store(tmp_path / "home"))
    assert arena("report", "night", "--html", "site/one.html").status == 0
    assert arena("report", "night", "--html", "site/two/").status == 0
    for _ in range(2):  # an index is written anew
        assert arena("report", "--index", "site").out.strip() == "site/index.html"
    text = (tmp_path / "site/index.html").read_text()
    for href in ("./one.html", "./two/index.html"):
        assert f'<a href="{href}">night</a></td><td>starter</td><td>repo</td>' in text
    assert text.count("<td>5</td><td>good a/m</td><td>100.0 [") == 2
    assert arena("report", "--index", "site/two").status == 2, "another page is not written over"


def test_a_hostile_page_is_text_and_a_plain_link(tmp_path: Path) -> None:
    facts = [
        {"run": "<script>alert(1)</script>", "pack": ["x"], "evil": "y", "best": 3},
        "no object",
    ]
    (tmp_path / "javascript:alert(1).html").write_text(with_facts(PAGE, facts))  # type: ignore[arg-type]
    (tmp_path / "junk.html").write_text('<meta name="arena-runs" content="[[[[">')
    target, pages = write_index(tmp_path)
    text = target.read_text()
    assert (pages, "<script" in text, "evil" in text) == (2, False, False)
    assert "\\" not in text + with_facts(PAGE, []), "lines are parted, and nothing is escaped"
    assert 'href="./javascript%3Aalert%281%29.html"' in text
    assert "1 pages tell nothing of their runs" in text


def test_a_folder_without_pages_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no page"):
        write_index(tmp_path)
