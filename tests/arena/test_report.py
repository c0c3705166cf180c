"""What people look at: whatever hostile text is stored, it comes out as text."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from arena.report.tables import (
    evidence_lines,
    print_attempt,
    print_matrix,
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
        [Attempt("1", "r", key, reason=text, label=Label.SECURE, health="ok", seconds=1.5)]
    )
    (row,) = csv.DictReader(io.StringIO(written))
    assert (row["task"], row["label"], row["seconds"]) == ("t", "C&S", "1.5")
    assert row["agent"] in (visible(text), f"'{visible(text)}")
    assert row["agent"] == row["reason"]


def plain(width: int = 400) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=width, color_system=None), out


@pytest.mark.slow
def test_terminal_gets_no_escapes_and_no_markup(
    hostile: str, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    attempts = hostile_run(store, hostile)
    console, out = plain()
    print_matrix(attempts, [attempt.key.agent for attempt in attempts], console, track="repo")
    row = {
        "task": hostile,
        "asks": "",
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
    finish(store, attempt_id(run, keys[0]), Label.SECURE)
    finish(store, attempt_id(run, keys[1]), None)
    console, out = plain()
    print_matrix(store.attempts(run), ["a", "b"], console, track="repo")
    assert "C&S (infra) (open)" in out.getvalue()


@given(text=st.text())
def test_visible_text_is_harmless(text: str) -> None:
    assert all(c.isprintable() or c in "\n\t" for c in visible(text))
    assert len(visible(text)) == len(text)
    assert one_line(text).isprintable()
    assert visible(visible(text)) == visible(text)


@pytest.mark.slow
def test_json_of_an_attempt_is_plain_ascii_json(hostile: str, store: Store) -> None:
    for attempt in hostile_run(store, hostile):
        text = json.dumps(attempt.to_json())
        assert text.isascii()
        assert json.loads(text)["task"] == attempt.key.task


@pytest.mark.slow
@pytest.mark.parametrize(
    "audit", [[{"severity": "cheating", "name": "history:reflog", "why": "x"}], ["odd"], 3]
)
def test_an_attempt_is_shown_with_its_flags(
    audit: object, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    run = store.open_run("pack", [AttemptKey("t", "a")], {})
    id_ = attempt_id(run, AttemptKey("t", "a"))
    store.set_flags(id_, ["history:reflog"], {"audit": audit})
    print_attempt(store.attempt(id_), store)
    out = capsys.readouterr().out
    assert ("cheating history:reflog x" in out) is (audit not in (["odd"], 3))
    assert ("odd" in out) is (audit == ["odd"])


def test_evidence_is_printed_in_lines_and_not_as_python() -> None:
    crash = {
        "kind": "heap-buffer-overflow",
        "frames": ["a", "b"],
        "bugs": [{"line": 1}, {"line": 2}],
    }
    lines = list(
        evidence_lines(
            {"crashed": True, "crash": crash, "stopped": "", "size": 0, "log": "one\nlabel C&S"}
        )
    )
    assert lines == [
        "  crashed: True",
        "  crash:",
        "    kind: heap-buffer-overflow",
        "    frames: a, b",
        "    bugs:",
        "      1:",
        "        line: 1",
        "      2:",
        "        line: 2",
        "  size: 0",
        "  log: one\n    label C&S",
    ]


evidence_values = st.recursive(
    st.none() | st.booleans() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(part=st.lists(evidence_values) | st.dictionaries(st.text(), evidence_values))
def test_no_line_of_evidence_begins_where_the_label_does(part: Any) -> None:
    lines = visible("\n".join(evidence_lines(part))).split("\n")
    assert all(line.startswith("  ") for line in lines if line)


def test_columns_are_headed_by_what_tells_them_apart_and_never_cut(store: Store) -> None:
    keys = [
        AttemptKey("t", "direct", "script:/a/long/way/to/answers.toml", f"w{n}", replicate)
        for n in range(8)
        for replicate in range(2)
    ]
    run = store.open_run("pack", keys, {}, "r", "exposure")
    for key in keys:
        finish(
            store, attempt_id(run, key), "not-applicable" if key.prompt != "w3" else "vulnerable"
        )
    attempts = store.attempts(run)
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None, force_terminal=True)
    print_matrix(
        attempts, list(dict.fromkeys(a.key.column for a in attempts)), console, track="exposure"
    )
    printed = out.getvalue()
    heads = re.findall(r"\bw\d\b", printed)
    assert heads == [f"w{n}" for n in range(8)]
    assert "direct" not in printed and "script" not in printed
    assert (printed.count("2 not-applicable"), printed.count("2 vulnerable")) == (7, 1)
    assert max(map(len, printed.splitlines())) <= 80
