"""A page that is written down names its runs, packs and dates; both commands write the same page."""

from __future__ import annotations

import re
from pathlib import Path

from arena.store.model import AttemptKey
from arena.store.store import Store
from tests.arena.conftest import Arena


def statement_in(path: Path) -> str:
    found = re.search(r'<p id="statement">(.*?)</p>', path.read_text())
    return found.group(1) if found else ""


def test_a_page_names_run_pack_date_and_version(arena: Arena, tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    store.open_run("<pack>", [AttemptKey("a", "noop")], {}, run="r1")
    store.open_run("other", [AttemptKey("a", "noop")], {}, run="r2")
    assert arena("report", "r1", "--html", "one.html").status == 0
    assert re.match(
        r"Run r1, pack &lt;pack&gt;, made 20\d\d-\d\d-\d\d\.<br>.*Written by arena \S+ on 20\d\d-\d\d-\d\d\.$",
        statement_in(tmp_path / "one.html"),
    )
    assert "r2" not in statement_in(tmp_path / "one.html")
    assert arena("export", "r1", "--to", "html", "--out", "two.html").status == 0
    assert statement_in(tmp_path / "two.html") == statement_in(tmp_path / "one.html")
    assert arena("export", "r1", "--to", "html", "--out", "site").status == 0
    assert statement_in(tmp_path / "site/index.html") == statement_in(tmp_path / "one.html")
