"""What people look at: whatever hostile text is stored, it comes out as text."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arena.report.html import page
from arena.report.tables import (
    print_attempt,
    print_matrix,
    print_rates,
    print_tasks,
    to_csv,
)
from arena.report.text import one_line, visible
from arena.store.store import Attempt, AttemptKey, Store, attempt_id
from harness.grade.verdict import Label
from tests.arena.conftest import finish

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x="',
    "link": "</pre><a href='https://example.com/'>x</a><img src=x onerror=alert(1)>",
    "entity": "&lt;b&gt;&#x3c;i&#x3e;",
    "style": "</style><style>@import url(//example.com/x.css)</style>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "markup": "[bold red]x[/bold red] [link=https://example.com]y[/link] [/b]",
    "escape": "\x1b[31mred\x1b]0;title\x07 \x9b2J",
    "controls": "a\x00b\x08c\rd\x7f",
    "directions": "safe\u202egnp.exe\u2066 \u200bx",
    "surrogate": "a\udcffb",
}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "b", "span", "table", "tr",
    "th", "td", "a", "details", "summary", "dl", "dt", "dd", "pre",
}  # fmt: skip
ATTRIBUTES = {"lang", "charset", "name", "content", "http-equiv", "class", "href", "title", "id"}


class Elements(HTMLParser):
    """Collects start tags with their attributes, and the text between them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile_run(store: Store, text: str) -> list[Attempt]:
    """A run in which everything that can come from outside is `text`."""
    stored = text.encode("utf-8", "backslashreplace").decode()
    keys = [AttemptKey(stored, f"command:{stored}"), AttemptKey(stored, "open")]
    run = store.open_run(stored, keys, {"note": text})
    log = store.keep(text.encode("utf-8", "surrogateescape"))
    evidence = {
        "apply": {"files": [text], text: text},
        "build": {"log": log, "tail": text},
        "tests": {"log": log, "problems": [text], "not_passed": {"failed": [text]}},
        "poc": {"log": log, "report": log, "crash": {"kind": text, "frames": [text]}},
        "sast": {"findings": [{"path": text, "message": text}]},
    }
    patch = text.encode("utf-8", "surrogateescape")
    finish(
        store,
        attempt_id(run, keys[0]),
        Label.CV,
        reason=text,
        evidence=evidence,
        patch=patch,
        ended=stored,
    )
    return store.attempts(run)


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE)
def hostile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_page_holds_hostile_text_as_text(hostile: str, store: Store) -> None:
    attempts = hostile_run(store, hostile)
    text = page(store, store.run(attempts[0].run), attempts)
    seen = Elements()
    seen.feed(text)
    assert {tag for tag, _ in seen.found} <= TAGS
    for tag, attributes in seen.found:
        assert attributes.keys() <= ATTRIBUTES, (tag, attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert not set(text) & {
        "\x00",
        "\x07",
        "\x08",
        "\x1b",
        "\x7f",
        "\x9b",
        "\u202e",
        "\u200b",
        "\udcff",
    }
    shown = visible(attempts[1].key.task)
    assert seen.text.count(shown.strip()) >= 4
    text.encode("utf-8")


def test_page_needs_nothing_from_outside(store: Store) -> None:
    attempts = hostile_run(store, "plain")
    text = page(store, store.run(attempts[0].run), attempts)
    assert not re.search(
        r"(?:src|href|action|data|poster)\s*=\s*[\"']?(?!#)[^\"'\s>]", text.replace('href="#', "")
    )
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<script|<link|<iframe|<img|<base", text)
    assert "default-src 'none'" in text


def test_page_cuts_what_is_long(store: Store) -> None:
    run = store.open_run("pack", [AttemptKey("t", "a")], {})
    (attempt,) = store.attempts(run)
    log = store.keep(b"first line\n" + b"x" * 500_000 + b"\nlast")
    evidence = {"build": {"log": log, "tail": "y" * 500_000}}
    finish(store, attempt.id, Label.CE, evidence=evidence, patch=b"z" * 500_000)
    text = page(store, store.run(run), store.attempts(run))
    assert len(text) < 60_000
    assert "last" in text
    assert "first line" not in text


def test_page_of_a_run_without_results(store: Store) -> None:
    run = store.open_run("pack", [AttemptKey("t", "a")], {})
    assert "open" in page(store, store.run(run), store.attempts(run))
    empty = store.open_run("pack", [], {})
    assert empty in page(store, store.run(empty), [])


FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "\n@x",
    "\x00=1",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_csv_cells_are_no_formulas(formula: str) -> None:
    key = AttemptKey(formula, formula, formula, formula)
    rows = list(
        csv.reader(io.StringIO(to_csv([Attempt("1", "r", key, reason=formula, ended=formula)])))
    )
    assert len(rows) == 2
    assert len(rows[0]) == len(rows[1])
    for cell in rows[1]:
        assert cell.lstrip()[:1] not in ("=", "+", "-", "@")
        assert "\r" not in cell


@given(text=st.text(max_size=30))
def test_csv_comes_back(text: str) -> None:
    key = AttemptKey("t", text)
    written = to_csv(
        [Attempt("1", "r", key, reason=text, label=Label.CANDS, health="ok", seconds=1.5)]
    )
    (row,) = csv.DictReader(io.StringIO(written))
    assert (row["task"], row["label"], row["seconds"]) == ("t", "C&S", "1.5")
    assert row["agent"] in (visible(text), f"'{visible(text)}")
    assert row["agent"] == row["reason"]


def plain(width: int = 400) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, color_system=None), out


def test_terminal_gets_no_escapes_and_no_markup(
    hostile: str, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    attempts = hostile_run(store, hostile)
    console, out = plain()
    print_matrix(attempts, [attempt.key.agent for attempt in attempts], console)
    print_rates(attempts, console)
    row = {
        "task": hostile,
        "language": hostile,
        "cwe": [hostile],
        "sanitizer": "",
        "kind": "",
        "parser": "",
        "title": hostile,
    }
    print_tasks([row])
    for attempt in attempts:
        print_attempt(attempt, store)
    printed = out.getvalue() + capsys.readouterr().out
    assert not [c for c in printed if not c.isprintable() and c != "\n"]
    if "[bold" in hostile:
        assert hostile in printed


def test_matrix_shows_labels_and_health(store: Store) -> None:
    keys = [AttemptKey("t", "a", replicate=n) for n in range(3)]
    run = store.open_run("pack", keys, {})
    finish(store, attempt_id(run, keys[0]), Label.CANDS)
    finish(store, attempt_id(run, keys[1]), None)
    console, out = plain()
    print_matrix(store.attempts(run), ["a", "b"], console)
    assert "C&S (infra) (open)" in out.getvalue()


def test_rates_show_bounds_only_where_they_matter(store: Store) -> None:
    keys = [AttemptKey("t", agent, replicate=n) for agent in "ab" for n in range(2)]
    run = store.open_run("pack", keys, {})
    for key in keys[:3]:
        finish(store, attempt_id(run, key), Label.CV)
    console, out = plain()
    print_rates(store.attempts(run), console)
    (a, b) = (line for line in out.getvalue().splitlines() if re.match(r"│ [ab] ", line))
    assert "100.0%" in a
    assert "[" not in a
    assert "100.0% [50.0%, 100.0%]" in b


@given(text=st.text())
def test_visible_text_is_harmless(text: str) -> None:
    assert all(c.isprintable() or c in "\n\t" for c in visible(text))
    assert len(visible(text)) == len(text)
    assert one_line(text).isprintable()
    assert visible(visible(text)) == visible(text)


def test_json_of_an_attempt_is_plain_ascii_json(hostile: str, store: Store) -> None:
    for attempt in hostile_run(store, hostile):
        text = json.dumps(attempt.to_json())
        assert text.isascii()
        assert json.loads(text)["task"] == attempt.key.task


def test_page_is_written_whole_or_not_at_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.cli import report

    run = store.open_run("pack", [AttemptKey("t", "a")], {})
    path = report.write_page(store, run)
    assert path == store.folder / "reports" / f"{run}.html"
    before = path.read_text("utf-8")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("killed")))
    with pytest.raises(OSError, match="killed"):
        report.write_page(store, run)
    assert path.read_text("utf-8") == before
